// Package vqa reads questions about pictures and their answers: the JSON files of VQA v2, whose pictures are those of
// COCO. [Read] joins a file of questions and a file of annotations, with ten answers per question, by the numbers of
// the questions.
//
// The files have up to hundreds of megabytes, so they are streamed: [Questions] and [Annotations] hold one entry at a
// time. [Hit] is the accuracy in the slides on distribution bias in contrastive learning that this library follows;
// [Consensus] and [LeaveOneOut] are those of the data set's authors.
//
// Sources: Antol et al., "VQA: Visual Question Answering", ICCV 2015; Goyal et al., "Making the V in VQA Matter",
// CVPR 2017.
package vqa

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
)

// Example is a question with its answers.
type Example struct {
	Question
	Truth
}

// Set is a list of questions with their answers, in the order of the file of questions.
type Set struct {
	Examples []Example
}

// Read joins the questions in one file of fsys with the annotations in another by question number, for example
// v2_OpenEnded_mscoco_val2014_questions.json with v2_mscoco_val2014_annotations.json.
//
// Every question must have one annotation about the same picture, and vice versa; errors name the file and the
// question. Repeated answers are held in memory once.
func Read(fsys fs.FS, questions, annotations string) (*Set, error) {
	set := &Set{}
	row := map[int64]int{} // row of each question
	err := each(fsys, questions, Questions, func(q Question) error {
		if _, twice := row[q.ID]; twice {
			return fmt.Errorf("vqa: question %d occurs twice", q.ID)
		}
		row[q.ID] = len(set.Examples)
		set.Examples = append(set.Examples, Example{Question: q})
		return nil
	})
	if err != nil {
		return nil, err
	}

	texts := map[string]string{}
	once := func(text string) string {
		if _, ok := texts[text]; !ok {
			texts[text] = text
		}
		return texts[text]
	}
	answered := make([]bool, len(set.Examples))
	count := 0
	err = each(fsys, annotations, Annotations, func(a Annotation) error {
		i, ok := row[a.QuestionID]
		switch {
		case !ok:
			return fmt.Errorf("vqa: answers to question %d, which %s does not have: do the two files belong together?",
				a.QuestionID, questions)
		case answered[i]:
			return fmt.Errorf("vqa: answers to question %d occur twice", a.QuestionID)
		case a.ImageID != set.Examples[i].ImageID:
			return fmt.Errorf("vqa: question %d is about picture %d, its answers are about picture %d",
				a.QuestionID, set.Examples[i].ImageID, a.ImageID)
		}
		answered[i] = true
		count++
		e := &set.Examples[i]
		e.QuestionType, e.AnswerType, e.Consensus = once(a.QuestionType), once(a.AnswerType), once(a.Consensus)
		for j, answer := range a.Answers {
			e.Answers[j] = once(answer)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if i := slices.Index(answered, false); i >= 0 {
		return nil, fmt.Errorf("%s: vqa: no answers to question %d, and to %d in all: do the two files belong together?",
			annotations, set.Examples[i].ID, len(set.Examples)-count)
	}
	return set, nil
}

// each calls add with every entry of a file, and prefixes errors with the file's name.
func each[T any](fsys fs.FS, name string, entries func(io.Reader) iter.Seq2[T, error], add func(T) error) (err error) {
	file, err := fsys.Open(name)
	if err != nil {
		return fmt.Errorf("vqa: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for entry, err := range entries(file) {
		if err == nil {
			err = add(entry)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
