package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	// wildcard matches a range of numbers, 0.85…0.92, or a lone … that stands for words.
	wildcard = regexp.MustCompile(`(-?\d+(?:\.\d+)?)…(-?\d+(?:\.\d+)?)|…`)
	// exit matches the last line that the go command prints if a program fails.
	exit = regexp.MustCompile(`(?:^|\n)exit status (\d+)\n$`)
)

// interval is the range of numbers that a guide allows.
type interval struct {
	low, high float64
	decimals  int
}

// match returns an error if got differs from the expected output of a guide, line by line, ignoring trailing spaces.
func match(want, got string) error {
	wanted, printed := lines(want), lines(got)
	for i := range max(len(wanted), len(printed)) {
		switch {
		case i >= len(printed):
			return fmt.Errorf("line %d of the output is missing: %s", i+1, wanted[i])
		case i >= len(wanted):
			return fmt.Errorf("line %d of the output is not in the guide: %s", i+1, printed[i])
		}
		if err := matchLine(wanted[i], printed[i]); err != nil {
			return fmt.Errorf("line %d of the output: %w\n  guide:  %s\n  prints: %s", i+1, err, wanted[i], printed[i])
		}
	}
	return nil
}

// lines returns the lines of a text without trailing spaces and trailing empty lines.
func lines(text string) []string {
	var list []string
	for line := range strings.Lines(strings.TrimRight(text, " \n")) {
		list = append(list, strings.TrimRight(line, " \n"))
	}
	return list
}

// matchLine compares one line.
func matchLine(want, got string) error {
	var ranges []interval
	pattern, rest := "^", want
	for {
		at := wildcard.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		pattern += regexp.QuoteMeta(rest[:at[0]])
		if at[2] < 0 {
			pattern += `\D*`
		} else {
			r, err := readInterval(rest[at[2]:at[3]], rest[at[4]:at[5]])
			if err != nil {
				return err
			}
			ranges = append(ranges, r)
			pattern += `(-?\d+(?:\.\d+)?)`
		}
		rest = rest[at[1]:]
	}
	found := regexp.MustCompile(pattern + regexp.QuoteMeta(rest) + "$").FindStringSubmatch(got)
	if found == nil {
		return fmt.Errorf("it differs")
	}
	for i, r := range ranges {
		if err := r.holds(found[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// readInterval reads the two ends of a range.
func readInterval(low, high string) (interval, error) {
	r := interval{decimals: decimals(low)}
	var err error
	if r.low, err = strconv.ParseFloat(low, 64); err != nil {
		return r, err
	}
	if r.high, err = strconv.ParseFloat(high, 64); err != nil {
		return r, err
	}
	if r.low >= r.high || decimals(high) != r.decimals {
		return r, fmt.Errorf("%s…%s is no range: it goes from a smaller to a larger number with as many decimals", low, high)
	}
	return r, nil
}

// holds returns an error if a number does not lie in the range or has another number of decimals than its ends.
func (r interval) holds(number string) error {
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return err
	}
	if x < r.low || x > r.high || decimals(number) != r.decimals {
		return fmt.Errorf("%s is not a number from %.*f to %.*f", number, r.decimals, r.low, r.decimals, r.high)
	}
	return nil
}

// decimals returns the number of digits after the decimal point.
func decimals(number string) int {
	_, fraction, _ := strings.Cut(number, ".")
	return len(fraction)
}
