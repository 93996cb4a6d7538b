package vqa

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Hit returns 1 if the answer is among the ten, and otherwise 0. Texts are compared exactly; see [Normalize].
//
// Source: the slides on distribution bias in contrastive learning by Nikitina, which report this accuracy.
func Hit(answer string, answers [NumAnswers]string) float64 {
	return min(1, float64(matches(answer, answers)))
}

// Consensus returns a third of the number of people who gave the answer, at most 1. It is the formula in the paper on
// VQA; the authors' program computes [LeaveOneOut].
func Consensus(answer string, answers [NumAnswers]string) float64 {
	return min(1, float64(matches(answer, answers))/3)
}

// LeaveOneOut returns the accuracy of the official program: the mean of [Consensus] over the ten ways to leave one
// person out. It is 0, 0.3, 0.6 and 0.9 if 0 to 3 people gave the answer, and 1 for more.
func LeaveOneOut(answer string, answers [NumAnswers]string) float64 {
	n := matches(answer, answers)
	// In n of the ten ways a person who agrees is left out.
	without, with := min(1, float64(n-1)/3), min(1, float64(n)/3)
	return (float64(n)*without + float64(NumAnswers-n)*with) / NumAnswers
}

func matches(answer string, answers [NumAnswers]string) int {
	n := 0
	for _, a := range answers {
		if a == answer {
			n++
		}
	}
	return n
}

// Score holds the accuracies of a list of answers, means over all questions from 0 to 1.
type Score struct {
	Hit, Consensus, LeaveOneOut float64
}

// Score evaluates one answer to each question, by question number. A missing answer, or one to a question outside the
// set, is an error, because means over different questions are not comparable. All answers go through [Normalize]
// first.
func (s *Set) Score(answers map[int64]string) (Score, error) {
	var score Score
	if len(s.Examples) == 0 {
		return score, errors.New("vqa: no questions to be judged")
	}
	for _, e := range s.Examples {
		answer, ok := answers[e.ID]
		if !ok {
			return Score{}, fmt.Errorf("vqa: question %d has no answer: answer every question, if only by an empty text", e.ID)
		}
		answer = Normalize(answer)
		truth := e.Answers
		for i := range truth {
			truth[i] = Normalize(truth[i])
		}
		score.Hit += Hit(answer, truth)
		score.Consensus += Consensus(answer, truth)
		score.LeaveOneOut += LeaveOneOut(answer, truth)
	}
	if len(answers) != len(s.Examples) {
		return Score{}, fmt.Errorf("vqa: %d answers to %d questions: some are to questions of another set",
			len(answers), len(s.Examples))
	}
	n := float64(len(s.Examples))
	return Score{score.Hit / n, score.Consensus / n, score.LeaveOneOut / n}, nil
}

// Normalize returns an answer in the form used for comparison: lower case, single spaces, no articles, the words for 0
// to 10 as digits, and no punctuation except apostrophes, colons and points before a digit. A punctuation mark next to
// a space, and a comma in an answer with a number such as 1,000, is removed; every other one becomes a space. So "A
// T-shirt!" and "t shirt" are the same answer.
//
// It follows the official program, except that it does not restore missing apostrophes, as in "dont".
func Normalize(answer string) string {
	answer = strings.Join(strings.Fields(answer), " ")
	commas := commaInNumber.MatchString(answer)
	var b strings.Builder
	for _, mark := range answer {
		if !strings.ContainsRune(punctuation, mark) {
			b.WriteRune(mark)
			continue
		}
		if !commas && !strings.Contains(answer, string(mark)+" ") && !strings.Contains(answer, " "+string(mark)) {
			b.WriteByte(' ')
		}
	}
	var words []string
	for _, word := range strings.Fields(strings.ToLower(withoutPoints(b.String()))) {
		if slices.Contains(articles, word) {
			continue
		}
		if digit, ok := numbers[word]; ok {
			word = digit
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

const punctuation = ";/[]\"{}()=+\\_-><@`,?!"

var articles = []string{"a", "an", "the"}

var numbers = map[string]string{
	"none": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
	"six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
}

var commaInNumber = regexp.MustCompile(`[0-9],[0-9]`)

// withoutPoints removes the points that are not followed by a digit.
func withoutPoints(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == '.' && (i+1 == len(s) || !isDigit(s[i+1])) {
			continue
		}
		if r == utf8.RuneError {
			r = ' ' // invalid bytes
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
