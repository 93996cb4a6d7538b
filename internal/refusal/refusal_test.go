package refusal

import (
	"errors"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, says, want string }{
		{"right", "pucl: λ = 2; it must lie between 0 and 1", "λ = 2 … between 0 and 1", ""},
		{"parts that touch", "pucl: λ = 2; make it 1", "pucl: λ = 2; … make it 1", ""},
		{"inside another package", "pucl: augment: no images. Give some", "no images … Give some", ""},
		{"a list", "pucl: unknown name x; take one of\n  a\n  b", "x … take one of", ""},
		{"no error", "", "λ … 1", "no error"},
		{"no mend", "pucl: λ = 2; make it 1", "pucl: λ = 2", "names no mend"},
		{"an empty mend", "pucl: λ = 2; make it 1", "λ = 2 …", "empty part"},
		{"no cause", "pucl: wrong number; make it 1", "λ = 2 … make it 1", `lacks "λ = 2"`},
		{"mend before cause", "pucl: make it 1; λ = 2", "λ = 2 … make it 1", "too early"},
		{"no package", "λ = 2; make it 1", "λ = 2 … make it 1", "name of a package"},
		{"named twice", "pucl: HeldOut: pucl: λ = 2; make it 1", "λ = 2 … make it 1", "twice"},
		{"the engine's words", "pucl: graphFn for f: λ = 2; make it 1", "λ = 2 … make it 1", "graphFn"},
		{"the runtime's words", "pucl: runtime error: λ = 2; make it 1", "λ = 2 … make it 1", "runtime error"},
		{"a type", "pucl: []float64 of λ = 2; make it 1", "λ = 2 … make it 1", "[]float"},
		{"a forgotten argument", "pucl: λ = 2 %!d(MISSING); make it 1", "λ = 2 … make it 1", "%!"},
		{"lines", "pucl: λ = 2\nmake it 1", "λ = 2 … make it 1", "breaks its line"},
		{"an essay", "pucl: λ = 2. Wrong! Really. make it 1", "λ = 2 … make it 1", "two sentences"},
	} {
		var err error
		if tt.text != "" {
			err = errors.New(tt.text)
		}
		got := strings.Join(faults(err, tt.says), "; ")
		expect.That(t, (got == "") == (tt.want == "") && strings.Contains(got, tt.want),
			"%s: got %q, want %q", tt.name, got, tt.want)
	}
}

// fake records whether a test failed.
type fake struct {
	testing.TB
	failed bool
}

func (*fake) Helper()                 {}
func (f *fake) Errorf(string, ...any) { f.failed = true }

func TestCheck(t *testing.T) {
	err := Of(func() { panic("refusal: no rows; give one") })
	Check(t, err, "no rows … give one")
	other := &fake{TB: t}
	Check(other, err, "no rows … give two")
	expect.That(t, other.failed, "a mend that is not there passes")
	Whole(t, err, "refusal: no rows; … give one")
	part := &fake{TB: t}
	Whole(part, err, "no rows; … give one")
	expect.That(t, part.failed, "a part of the sentence passes for the whole")
	got := Err(1, err)
	expect.That(t, got == err, "got %v", got)
	if err := Of(func() {}); err != nil {
		t.Errorf("a call that does not panic gave %v", err)
	}
}
