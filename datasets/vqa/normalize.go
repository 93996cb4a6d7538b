package vqa

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

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
