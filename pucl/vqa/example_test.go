package vqa_test

import (
	"fmt"
	"slices"

	"github.com/puclab/puclab/pucl/vqa"
)

// With a vocabulary of a few words, other words are split into pieces or unknown.
func ExampleNewTokenizer() {
	vocabulary := slices.Concat(vqa.Special(), []string{"what", "color", "is", "the", "cat", "##s", "?"})
	t, err := vqa.NewTokenizer(vocabulary)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range t.Encode("What color is the cats' dog?") {
		fmt.Print(vocabulary[id], " ")
	}
	fmt.Println()
	// Output:
	// [CLS] what color is the cat ##s [UNK] [UNK] ? [SEP]
}
