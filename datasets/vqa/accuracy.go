package vqa

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Hit judges an answer by whether anybody gave it: 1 if it is among the ten, else 0. Texts are compared as they are; see
// [Normalize].
//
// Source: the slides on distribution bias in contrastive learning by Nikitina, which report this accuracy.
func Hit(answer string, answers [NumAnswers]string) float64 {
	return min(1, float64(matches(answer, answers)))
}

// Consensus judges an answer by how many people gave it: a third for each, and no more than 1. It is the formula in the
// paper on VQA; [LeaveOneOut] is what its authors' program computes.
func Consensus(answer string, answers [NumAnswers]string) float64 {
	return min(1, float64(matches(answer, answers))/3)
}

// LeaveOneOut judges an answer as the official program does: the mean of [Consensus] over the ten ways to leave one person
// out. That makes 0, 0.3, 0.6 and 0.9 of 0 to 3 people who gave it, and 1 of more.
func LeaveOneOut(answer string, answers [NumAnswers]string) float64 {
	n := matches(answer, answers)
	// In n of the ten ways one of those who agree is left out.
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

// Score is how well a list of answers does, each number a mean over all questions, from 0 to 1.
type Score struct {
	Hit, Consensus, LeaveOneOut float64
}

// Score judges one answer to each question, given by the questions' numbers. An answer that is missing, or is to no
// question of the set, is an error: means over some questions cannot be compared with means over others. The answers of
// both sides go through [Normalize] first.
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

// Normalize brings an answer to the form in which answers are compared: small letters, single spaces, no articles, the
// words for 0 to 10 as digits, and no punctuation, save for apostrophes, colons and points before a digit. A mark of
// punctuation next to a space, and a comma in an answer with a number such as 1,000, goes without a trace; every other
// becomes a space. So "A T-shirt!" and "t shirt" are the same answer.
//
// It follows the official program but for one thing: apostrophes that people left out, as in "dont", stay left out.
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

// withoutPoints removes the points that no digit follows.
func withoutPoints(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == '.' && (i+1 == len(s) || !isDigit(s[i+1])) {
			continue
		}
		if r == utf8.RuneError {
			r = ' ' // bytes that are no text
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
