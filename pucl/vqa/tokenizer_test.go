package vqa

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/refusal"
)

// Texts become the tokens that Hugging Face's own tokenizer makes of them.
func TestTokensAreTransformers(t *testing.T) {
	data, err := os.ReadFile("testdata/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Vocabulary, Texts []string
		IDs               [][]int32
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	vocabulary, err := ReadVocabulary(strings.NewReader(strings.Join(want.Vocabulary, "\r\n")))
	if err != nil || !slices.Equal(vocabulary, want.Vocabulary) {
		t.Fatalf("vocabulary %q, error %v", vocabulary, err)
	}
	tokenizer, err := NewTokenizer(vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range want.Texts {
		if got := tokenizer.Encode(text); !slices.Equal(got, want.IDs[i]) {
			t.Errorf("%q: tokens %d, want %d", text, got, want.IDs[i])
		}
	}
}

func TestTokenizerRefusals(t *testing.T) {
	special := Special()
	for _, tt := range []struct {
		err  error
		says string
	}{
		{refusal.Err(NewTokenizer([]string{"[PAD]", "a"})), "vqa: the vocabulary of 2 tokens lacks [UNK] … Special()"},
		{refusal.Err(NewTokenizer(append(special[:5:5], "a", "a"))), "vqa: token 6 of the vocabulary, \"a\", is empty or there already … once"},
		{refusal.Err(NewTokenizer(append([]string{"a"}, special...))), "vqa: [PAD] is token 1 … put it first"},
		{refusal.Err(ReadVocabulary(strings.NewReader(""))), "vqa: an empty vocabulary … one token a line"},
	} {
		refusal.Check(t, tt.err, tt.says)
	}
}
