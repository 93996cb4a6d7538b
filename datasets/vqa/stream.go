package vqa

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/puclab/puclab/internal/fault"
)

// NumAnswers is the number of answers to each question.
const NumAnswers = 10

// Question is one entry of a file of questions.
type Question struct {
	ID      int64  // of the question
	ImageID int64  // of its picture
	Text    string // of the question
}

// Annotation is one entry of a file of annotations.
type Annotation struct {
	QuestionID, ImageID int64
	Truth
}

// Truth holds the answers of people to a question.
type Truth struct {
	QuestionType string             // the first words of the question, such as "how many"
	AnswerType   string             // "yes/no", "number" or "other"
	Consensus    string             // the most frequent answer
	Answers      [NumAnswers]string // all answers, one per person
}

// Questions reads the entries of a file of questions one after the other. An error ends the loop; it gives the number
// of the entry or the byte.
func Questions(r io.Reader) iter.Seq2[Question, error] {
	return entries(r, "questions", func(e questionEntry) (Question, error) {
		err := cmp.Or(e.missing(), fault.If(e.Question == nil || *e.Question == "", "question is missing or empty"))
		if err != nil {
			return Question{}, err
		}
		return Question{ID: *e.QuestionID, ImageID: *e.ImageID, Text: *e.Question}, nil
	})
}

// Annotations reads the entries of a file of annotations one after the other; each must have ten answers. Errors are
// those of [Questions].
func Annotations(r io.Reader) iter.Seq2[Annotation, error] {
	return entries(r, "annotations", func(e annotationEntry) (Annotation, error) {
		if err := e.missing(); err != nil {
			return Annotation{}, err
		}
		if len(e.Answers) != NumAnswers {
			return Annotation{}, fmt.Errorf("question %d has %d answers, not %d", *e.QuestionID, len(e.Answers), NumAnswers)
		}
		a := Annotation{QuestionID: *e.QuestionID, ImageID: *e.ImageID}
		a.QuestionType, a.AnswerType, a.Consensus = e.QuestionType, e.AnswerType, e.Consensus
		for i, answer := range e.Answers {
			if answer.Answer == nil {
				return Annotation{}, fmt.Errorf("question %d: answer %d is missing", *e.QuestionID, i+1)
			}
			a.Answers[i] = *answer.Answer
		}
		return a, nil
	})
}

// questionEntry and annotationEntry are entries in the file's format. Nil pointers mean missing fields.
type questionEntry struct {
	ids
	Question *string `json:"question"`
}

type annotationEntry struct {
	ids
	QuestionType string `json:"question_type"`
	AnswerType   string `json:"answer_type"`
	Consensus    string `json:"multiple_choice_answer"`
	Answers      []struct {
		Answer *string `json:"answer"`
	} `json:"answers"`
}

// ids holds the numbers that every entry has.
type ids struct {
	QuestionID *int64 `json:"question_id"`
	ImageID    *int64 `json:"image_id"`
}

// missing returns an error unless both numbers are present.
func (i ids) missing() error {
	return cmp.Or(fault.If(i.QuestionID == nil, "question_id is missing"), fault.If(i.ImageID == nil, "image_id is missing"))
}

// entries reads the list under key in the file's object, and skips everything else.
func entries[E, T any](r io.Reader, key string, convert func(E) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := readObject(json.NewDecoder(r), key, func(e E) error {
			v, err := convert(e)
			if err == nil && !yield(v, nil) {
				err = errStopped
			}
			return err
		})
		if err != nil && !errors.Is(err, errStopped) {
			var none T
			yield(none, fmt.Errorf("vqa: %w", err))
		}
	}
}

// errStopped ends the reading after the caller's loop has ended.
var errStopped = errors.New("stopped")

// readObject calls each with the entries of the list under key.
func readObject[E any](d *json.Decoder, key string, each func(E) error) error {
	if err := expectDelim(d, '{'); err != nil {
		return err
	}
	found := false
	for d.More() {
		name, err := d.Token()
		switch {
		case err != nil:
			err = at(d, err)
		case name != key:
			err = skip(d)
		case found:
			err = fmt.Errorf("byte %d: a second list of %s", d.InputOffset(), key)
		default:
			found = true
			err = readList(d, key, each)
		}
		if err != nil {
			return err
		}
	}
	if err := expectDelim(d, '}'); err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("there is no list of %s in this file: are questions and annotations swapped?", key)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("byte %d: the file goes on after its end", d.InputOffset())
	}
	return nil
}

// readList calls each with the entries of the next list.
func readList[E any](d *json.Decoder, key string, each func(E) error) error {
	if err := expectDelim(d, '['); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	for i := 0; d.More(); i++ {
		var e E
		start := d.InputOffset()
		err := unexpectedEnd(d.Decode(&e))
		if err == nil {
			err = each(e)
		}
		if err != nil {
			return fmt.Errorf("%s, entry %d (from byte %d): %w", key, i, start, err)
		}
	}
	if err := expectDelim(d, ']'); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// expectDelim reads one bracket.
func expectDelim(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err != nil {
		return at(d, err)
	}
	if got != want {
		return fmt.Errorf("byte %d: %q instead of %q: this is no file of VQA", d.InputOffset(), fmt.Sprint(got), want.String())
	}
	return nil
}

// skip skips one value with all its content.
func skip(d *json.Decoder) error {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return at(d, err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// at adds the position to an error of the decoder.
func at(d *json.Decoder, err error) error {
	return fmt.Errorf("byte %d: %w", d.InputOffset(), unexpectedEnd(err))
}

// unexpectedEnd returns io.ErrUnexpectedEOF for an io.EOF within a file, and other errors unchanged.
func unexpectedEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
