// Package decimal parses numbers in text files, for readers that must not change a value silently.
package decimal

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Parse reads a finite number in decimal digits, such as 3, -0.5 or 1e-3. For any other text ok is false. Then fault is
// "" if text is no number at all. Otherwise text looks like a number, and fault states its fault and a remedy.
//
// Faults are an infinity, NaN, the syntax of a programming language (1_500, 0x1p3) and the notation of another language
// (1,5, 1'000, −1, 5%, $5). Other faults are whole numbers that a float64 rounds, and numbers that a float64 turns into
// infinity or 0. A fraction is rounded to the nearest float64.
func Parse(text string) (v float64, fault string, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	plain := true
	for i := range len(text) {
		c := text[i]
		plain = plain && ('0' <= c && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E')
	}
	switch {
	case errors.Is(err, strconv.ErrRange) && plain:
		fault = "is too large for a number of 64 bits: correct it or rescale the column"
	case err != nil && !errors.Is(err, strconv.ErrRange):
		fault = foreign(text)
	case math.IsNaN(v):
		fault = "is not a number: leave the value empty if it is missing"
	case math.IsInf(v, 0) && !plain && !strings.ContainsAny(text, "xX_"):
		fault = "is not finite: leave the value empty if it is missing, or correct it"
	case !plain:
		fault = fmt.Sprintf("is not in decimal digits: write %s if it is that number", shortest(v))
	case v == 0 && !isZero(text):
		fault = "is too small for a number of 64 bits: write 0 or rescale the column"
	case math.Abs(v) >= 1<<53 && rounds(text, v):
		fault = "is a whole number that 64 bits do not hold exactly: leave the column out if it is an identifier, " +
			"or write " + shortest(v)
	default:
		return v, "", true
	}
	return 0, fault, false
}

func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// notation matches numbers with a decimal comma, marks between thousands, another minus sign, a currency or a percent
// sign.
var notation = regexp.MustCompile(`^[$€£]?[-+−]?[$€£]?` +
	`((\d+|\d{1,3}([,.'’  ]\d{3})+)([.,]\d*)?|[.,]\d+)([eE][-+−]?\d+)? ?[%€]?$`)

// foreign returns the fault of a number in the notation of another program or language; "" for a text that is not a
// number.
func foreign(text string) string {
	if !strings.ContainsAny(text, "0123456789") || !notation.MatchString(text) {
		return ""
	}
	return "is not in the notation -1234.5: write a decimal point, no marks " +
		"between thousands, no units, and \"-\" as " +
		"the minus sign"
}

// isZero reports whether the digits of a decimal number before its exponent are all 0.
func isZero(text string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return !strings.ContainsAny(mantissa, "123456789")
}

// rounds reports whether text is a whole number without an exponent that is neither exactly v nor the shortest text of
// v.
func rounds(text string, v float64) bool {
	if strings.ContainsAny(text, "eE") {
		return false
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	if strings.Trim(fraction, "0") != "" {
		return false
	}
	whole = strings.TrimLeft(whole, "0")
	v = math.Abs(v)
	return whole != strconv.FormatFloat(v, 'f', 0, 64) && whole != strconv.FormatFloat(v, 'f', -1, 64)
}
