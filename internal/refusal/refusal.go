// Package refusal checks, in tests, that the error of a wrong use tells its cause and its mend.
package refusal

import (
	"fmt"
	"path"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// Check fails the test unless err is something that a newcomer can act on. says quotes it with an ellipsis where the mend begins: of
// "pucl: λ = 2; it must lie between 0 and 1" it may be "λ = 2 … between 0 and 1". Several parts stand in err in their order, the cause being
// the first and the mend the last. The form is checked too: err begins with the name of the tested package and has it once, is a sentence or
// two, has line breaks where it lists only, and holds nothing of the engine's wrapping and no type where a word would do.
func Check(t testing.TB, err error, says string) {
	t.Helper()
	caller, _, _, _ := runtime.Caller(1)
	name, _, _ := strings.Cut(path.Base(runtime.FuncForPC(caller).Name()), ".")
	for _, fault := range faults(err, strings.TrimSuffix(name, "_test"), says) {
		t.Errorf("%s\n\tgot  %v\n\twant %s", fault, err, says)
	}
}

// Err returns the error of a call that has another result.
func Err[T any](_ T, err error) error { return err }

// Of returns what call panics with, nil if it does not.
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
	wrapping = regexp.MustCompile(`graphFn|panicked|panic:|goroutine|runtime error|failed during graph|stack trace|nil pointer`)
	goTypes  = regexp.MustCompile(`\*\w+\.[A-Z]|\[\](byte|bool|int|uint|float|string)|map\[|func\(|interface ?\{|<nil>|%!`)
	breaks   = regexp.MustCompile(`\n[^ \t]`) // what is listed is set in
	ends     = regexp.MustCompile(`[.!?]\s`)
)

// faults returns what is wrong with an error of the package called name, nothing if it is as [Check] wants it.
func faults(err error, name, says string) (all []string) {
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
	own := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(name) + `: `)
	bad(!strings.HasPrefix(text, name+": "), "the error does not begin with %q", name+": ")
	bad(len(own.FindAllString(text, 2)) > 1, "the error names package %s twice", name)
	bad(wrapping.MatchString(text), "the error holds the engine's or the runtime's %q", wrapping.FindString(text))
	bad(goTypes.MatchString(text), "the error holds %q where a word would do", goTypes.FindString(text))
	bad(breaks.MatchString(text), "the error breaks its line without a list")
	bad(len(ends.FindAllString(text, 2)) > 1, "the error has more than two sentences")
	return all
}
