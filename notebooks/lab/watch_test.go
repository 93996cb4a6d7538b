package lab

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A loop sees every item once and in order; its line stands before the first one and ends with how many there were.
func TestWatch(t *testing.T) {
	var b bytes.Buffer
	var seen []string
	for i, name := range watch(&b, "loss", []string{"ssCL", "PUCL"}) {
		if seen = append(seen, name); i != len(seen)-1 {
			t.Errorf("item %d has index %d", len(seen)-1, i)
		}
		if !strings.HasPrefix(b.String(), "loss 0 of 2 (0 %)\n") {
			t.Errorf("during item %d it says %q", i, b.String())
		}
	}
	if !slices.Equal(seen, []string{"ssCL", "PUCL"}) {
		t.Errorf("it went through %q", seen)
	}
	if !regexp.MustCompile(`\n2 losses in .*\n$`).MatchString(b.String()) {
		t.Errorf("at the end it says\n%s", b.String())
	}
}

// A loop that is left says how far it came; no items, no line.
func TestWatchLeftEarly(t *testing.T) {
	var b bytes.Buffer
	for i := range watch(&b, "claim", make([]int, 4)) {
		if i == 1 {
			break
		}
	}
	if !regexp.MustCompile(`\n1 of 4 claims in .*, left at claim 2\n$`).MatchString(b.String()) {
		t.Errorf("it says\n%s", b.String())
	}
	b.Reset()
	for range watch(&b, "claim", []int(nil)) {
		t.Error("there is nothing to go through")
	}
	if b.Len() > 0 {
		t.Errorf("of nothing it says\n%s", b.String())
	}
}
