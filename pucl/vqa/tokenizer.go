package vqa

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gomlx/go-huggingface/tokenizers/hftokenizer"
)

// Tokenizer splits texts into tokens as BERT does. It lowercases, removes accents, separates words and punctuation, and
// splits unknown words into the longest known pieces (WordPiece). It uses Hugging Face's format, through
// github.com/gomlx/go-huggingface.
type Tokenizer struct {
	pieces                  *hftokenizer.Tokenizer
	vocabulary              []string
	pad, mask, start, ended int32
}

// Special returns the tokens that every vocabulary must have: padding, the unknown word, the first and the last token
// of every text, and the mask.
func Special() []string { return []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} }

// NewTokenizer returns a tokenizer of a vocabulary, in which a word-continuing piece begins with "##". Token i is
// vocabulary[i]. [ReadVocabulary] reads the vocabulary of a BERT; for texts of few words, use slices.Concat(Special(),
// words).
func NewTokenizer(vocabulary []string) (*Tokenizer, error) {
	ids := map[string]int{}
	for i, token := range vocabulary {
		if _, twice := ids[token]; twice || token == "" {
			return nil, fmt.Errorf("vqa: token %d of the vocabulary, %q, is empty or there already; give every token once", i, token)
		}
		ids[token] = i
	}
	special := map[string]any{}
	var added []map[string]any
	for _, token := range Special() {
		id, ok := ids[token]
		if !ok {
			return nil, fmt.Errorf("vqa: the vocabulary of %d tokens lacks %s; give it all of Special()", len(vocabulary), token)
		}
		added = append(added, map[string]any{"id": id, "content": token, "special": true})
		special[token] = map[string]any{"id": token, "ids": []int{id}, "tokens": []string{token}}
	}
	if ids["[PAD]"] != 0 {
		return nil, fmt.Errorf("vqa: [PAD] is token %d of the vocabulary; put it first, as BERT has it", ids["[PAD]"])
	}
	content, err := json.Marshal(map[string]any{
		"version": "1.0", "added_tokens": added,
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "TemplateProcessing", "special_tokens": special, "single": []any{
			map[string]any{"SpecialToken": map[string]any{"id": "[CLS]", "type_id": 0}},
			map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}},
			map[string]any{"SpecialToken": map[string]any{"id": "[SEP]", "type_id": 0}},
		}},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": ids},
	})
	if err != nil {
		return nil, fmt.Errorf("vqa: %w", err)
	}
	pieces, err := hftokenizer.NewFromContent(nil, content)
	if err != nil {
		return nil, fmt.Errorf("vqa: %w", err)
	}
	return &Tokenizer{pieces, slices.Clone(vocabulary), 0, int32(ids["[MASK]"]), int32(ids["[CLS]"]), int32(ids["[SEP]"])}, nil
}

// ReadVocabulary reads a file with one token per line, such as BERT's vocab.txt.
func ReadVocabulary(r io.Reader) ([]string, error) {
	var tokens []string
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		tokens = append(tokens, strings.TrimRight(lines.Text(), "\r"))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("vqa: reading a vocabulary: %w", err)
	}
	if len(tokens) == 0 {
		return nil, errors.New("vqa: an empty vocabulary; give BERT's vocab.txt, one token a line")
	}
	return tokens, nil
}

// Size returns the number of tokens in the vocabulary.
func (t *Tokenizer) Size() int { return len(t.vocabulary) }

// Encode returns the tokens of a text, [CLS] first and [SEP] last. It is safe for concurrent use.
func (t *Tokenizer) Encode(text string) []int32 {
	ids := t.pieces.Encode(text)
	out := make([]int32, len(ids))
	for i, id := range ids {
		out[i] = int32(id)
	}
	return out
}

// encode returns the tokens of a text, or an error if there are more than length. The argument what names the text.
func (t *Tokenizer) encode(text, what string, length int) ([]int32, error) {
	ids := t.Encode(text)
	if len(ids) > length {
		return nil, fmt.Errorf("vqa: %s has %d tokens, and the model reads %d; shorten it, or set Text.Positions higher: %.60q", what, len(ids), length, text)
	}
	return ids, nil
}
