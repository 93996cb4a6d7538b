package vqa_test

import (
	"fmt"
	"slices"

	"github.com/puclab/puclab/pucl/vqa"
)

// A vocabulary of a few words; what it does not have is cut into pieces, or unknown.
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
