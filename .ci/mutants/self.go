package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// selfFiles is the module on which the program checks itself.
var selfFiles = map[string]string{
	"go.mod": "module example.com/self\n\ngo 1.26\n",
	"sum/sum.go": `package sum

// Of returns the sum of all values.
func Of(values []int) int {
	total := 0
	for i := 0; i < len(values); i++ {
		total += values[i]
	}
	return total
}

// Count returns the number of values. Only the tests of package double cover it.
func Count(values []int) int { return len(values) }
`,
	"sum/sum_test.go": `package sum

import "testing"

func TestOf(t *testing.T) {
	if got := Of([]int{1, 2, 4}); got != 7 {
		t.Fatalf("Of is %d, want 7", got)
	}
}
`,
	"double/double.go": `package double

import "example.com/self/sum"

// Twice returns twice the number of values.
func Twice(values []int) int { return 2 * sum.Count(values) }
`,
	"double/double_test.go": `package double

import "testing"

func TestTwice(t *testing.T) {
	if got := Twice([]int{5}); got != 2 {
		t.Fatalf("Twice is %d, want 2", got)
	}
}
`,
}

// selfMutants are mutants of that module with the expected result: the killer, "survives", or part of an error.
var selfMutants = []struct {
	mutant
	want string
}{
	{mutant{Func: "Of", Lines: []string{"total += values[i]"}, Mutated: []string{"total -= values[i]"}}, "sum/TestOf"},
	{mutant{Func: "Of", Lines: []string{"total += values[i]"}, Mutated: []string{}}, "sum/TestOf"},
	{mutant{Func: "Of", Lines: []string{"for i := 0; i < len(values); i++ {"},
		Mutated: []string{"for i := 0; i <= len(values); i++ {"}}, "sum/TestOf"},
	{mutant{Func: "Count", Lines: []string{"func Count(values []int) int { return len(values) }"},
		Mutated: []string{"func Count(values []int) int { return len(values) + 1 }"}}, "double/TestTwice"},
	{mutant{Func: "Of", Lines: []string{"for i := 0; i < len(values); i++ {"},
		Mutated: []string{"for i := 0; i != len(values); i++ {"}}, "survives"},
	{mutant{Func: "Of", Lines: []string{"for i := 0; i < len(values); i++ {"},
		Mutated: []string{"for i := 0; i < len(values); {"}}, "sum: time-out"},
	{mutant{Func: "Of", Lines: []string{"total := 0"}, Mutated: []string{"total := none"}}, "did not run"},
	{mutant{Func: "Of", Lines: []string{"total := 1"}, Mutated: []string{"total := 2"}}, "gone from sum/sum.go"},
	{mutant{Func: "Gone", Lines: []string{"total := 0"}, Mutated: []string{"total := 2"}}, "there is no Gone"},
}

// checkSelf judges selfMutants and returns an error for the first unexpected result.
func checkSelf(ctx context.Context) error {
	root, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	for name, text := range selfFiles {
		if err := replaceFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text)); err != nil {
			return err
		}
	}
	r := &runner{engines: []string{"go"}, procs: 1, least: 5 * time.Second}
	if r.mod, err = loadModule(ctx, root); err != nil {
		return err
	}
	if r.state, err = openState(r.mod, filepath.Join(root, "notebooks", "out")); err != nil {
		return err
	}
	for i, one := range selfMutants {
		m := one.mutant
		m.ID, m.Package, m.File, m.Occurrence = fmt.Sprintf("self%d", i+1), "sum", "sum/sum.go", 1
		v, err := r.judge(ctx, &m)
		got := "survives"
		if err != nil {
			got = err.Error()
		} else if v.killed {
			got = v.by
		}
		if got != one.want && (err == nil || !strings.Contains(got, one.want)) {
			return fmt.Errorf("%v: the result is %q, want %q", &m, got, one.want)
		}
	}
	return checkDraw(ctx, r.mod)
}

// checkDraw draws twice with one seed and compares the mutants. It then applies every variant of every site by its
// list entry and compares the result with the direct replacement, ignoring space.
func checkDraw(ctx context.Context, mod *module) error {
	const n = 4
	list, err := drawList(ctx, mod, 1, n)
	if err != nil {
		return err
	}
	again, err := drawList(ctx, mod, 1, n)
	if err != nil {
		return err
	}
	for i, m := range list.Mutants {
		if m.digest() != again.Mutants[i].digest() {
			return fmt.Errorf("the same seed draws %v and %v", m, again.Mutants[i])
		}
	}
	all, err := candidates(mod)
	if err != nil {
		return err
	}
	tried := 0
	for _, c := range all {
		for _, f := range c.files {
			for _, s := range f.sites {
				for _, variant := range s.variants {
					_, applied, err := f.mutant(s, variant).apply(mod.root)
					if err != nil {
						return err
					}
					want := string(f.source[:s.start]) + variant + string(f.source[s.end:])
					if strings.Join(strings.Fields(string(applied)), "") != strings.Join(strings.Fields(want), "") {
						return fmt.Errorf("%s: the entry of %+v differs from the replacement", f.path, s)
					}
					tried++
				}
			}
		}
	}
	if len(list.Mutants) != n || tried < n {
		return fmt.Errorf("%d mutants were drawn of %d variants, want %d", len(list.Mutants), tried, n)
	}
	return nil
}
