// Package refusal checks, in tests, that the error of a wrong use states its cause and its remedy.
package refusal

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// Check fails the test unless err states cause and remedy. says quotes err, with an ellipsis where the remedy begins:
// for "pucl: λ = 2; it must lie between 0 and 1" it may be "λ = 2 … between 0 and 1". Several parts must occur in err
// in their order, the first being the cause and the last the remedy. Check also tests the form. err begins with the
// name of a package and contains it once. It is one or two sentences, with line breaks only in lists. It contains no
// words of the engine or the runtime, and no type where a word is enough.
func Check(t testing.TB, err error, says string) {
	t.Helper()
	for _, fault := range faults(err, says) {
		t.Errorf("%s\n\tgot  %v\n\twant %s", fault, err, says)
	}
}

// Whole is [Check] with says as the full text of err, with an ellipsis before the remedy.
func Whole(t testing.TB, err error, says string) {
	t.Helper()
	if whole := strings.ReplaceAll(says, "… ", ""); err != nil && err.Error() != whole {
		t.Errorf("got  %v\n\twant %s", err, whole)
	}
	Check(t, err, says)
}

// Err returns the error of a call that has another result.
func Err[T any](_ T, err error) error { return err }

// Of returns the panic value of call as an error, nil if it does not panic.
func Of(call func()) (err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case error:
			err = cause
		default:
			err = fmt.Errorf("%v", cause)
		}
	}()
	call()
	return nil
}

var (
	prefix   = regexp.MustCompile(`^([a-z][a-z0-9]*): `)
	wrapping = regexp.MustCompile(`graphFn|panicked|panic:|goroutine|runtime error|failed during graph|stack trace|nil pointer|strconv|json: |\bmat: `)
	types    = regexp.MustCompile(`\*\w+\.[A-Z]|\[\](byte|bool|int|uint|float|string)|map\[|func\(|interface ?\{|<nil>|%!`)
	breaks   = regexp.MustCompile(`\n[^ \t]`) // list items are indented
	ends     = regexp.MustCompile(`[.!?]\s`)
)

// faults returns the violations of the rules of [Check] by an error, nothing if there are none.
func faults(err error, says string) (all []string) {
	if err == nil {
		return []string{"no error"}
	}
	bad := func(is bool, format string, args ...any) {
		if is {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	text := err.Error()
	parts := strings.Split(says, "…")
	bad(len(parts) < 2, "the row names no mend: an ellipsis separates it from the cause")
	rest := text
	for _, part := range parts {
		part = strings.TrimSpace(part)
		_, after, found := strings.Cut(rest, part)
		bad(part == "", "the row has an empty part")
		bad(!found, "the error lacks %q, or it stands too early", part)
		rest = after
	}
	if name := prefix.FindString(text); name == "" {
		bad(true, "the error does not begin with the name of a package")
	} else {
		bad(strings.Contains(text[len(name):], " "+name), "the error names its package twice, %q", name)
	}
	bad(wrapping.MatchString(text), "the error holds %q, which is no word of ours", wrapping.FindString(text))
	bad(types.MatchString(text), "the error holds %q where a word would do", types.FindString(text))
	bad(breaks.MatchString(text), "the error breaks its line without a list")
	bad(len(ends.FindAllString(text, 2)) > 1, "the error has more than two sentences")
	return all
}
