package vqa

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// Texts become the tokens that Hugging Face's own tokenizer makes of them.
func TestTokensAreTransformers(t *testing.T) {
	data := expect.Must(os.ReadFile("testdata/tokens.json"))(t)
	var want struct {
		Vocabulary, Texts []string
		IDs               [][]int32
	}
	expect.NoError(t, json.Unmarshal(data, &want))
	vocabulary, err := ReadVocabulary(strings.NewReader(strings.Join(want.Vocabulary, "\r\n")))
	expect.Require(t, err == nil && slices.Equal(vocabulary, want.Vocabulary),
		"vocabulary %q, error %v", vocabulary, err)
	tokenizer := expect.Must(NewTokenizer(vocabulary))(t)
	for i, text := range want.Texts {
		expect.Equal(t, tokenizer.Encode(text), want.IDs[i], "%q: tokens ", text)
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
