package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	// wholeTime is the time-out of a package's tests on unchanged code, as in .ci/run.
	wholeTime = 20 * time.Minute
	// The time-out of tests with a mutant is timeFactor times their time without, and at least leastTime.
	timeFactor = 5
	leastTime  = 3 * time.Minute
	onXLA      = " on XLA"
)

// runner runs tests against mutants.
type runner struct {
	mod     *module
	state   *state
	engines []string // in the order in which they are tried
	short   bool
	full    bool // ignore the recorded killers
	procs   int  // of one trial
	least   time.Duration
}

// verdict is the result of the tests for one mutant.
type verdict struct {
	killed bool
	by     string
	flaky  []string // tests that failed once and passed when repeated
	left   int      // dependents skipped because of maxDependents
	cpu    float64
}

// judge runs tests with m until one fails. The recorded killer runs first, then for each engine the tests of m's
// package and of its dependents. On XLA, only direct dependents run.
func (r *runner) judge(ctx context.Context, m *mutant) (verdict, error) {
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return verdict{}, err
	}
	defer os.RemoveAll(folder)
	overlay, err := m.overlay(r.mod, folder)
	if err != nil {
		return verdict{}, err
	}
	owner := r.mod.packages[m.Package]
	if owner == nil {
		return verdict{}, m.gone("there is no package " + m.Package)
	}
	var v verdict
	if pkg, test, engine, ok := recorded(m); ok && !r.full && slices.Contains(r.engines, engine) {
		if killed, err := r.try(ctx, m, &v, overlay, pkg, test, engine); err != nil || killed {
			return v, err
		}
	}
	dependents, left := r.mod.dependents(owner)
	v.left = left
	var undecided error
	for _, engine := range r.engines {
		if owner.hasTests() {
			killed, err := r.try(ctx, m, &v, overlay, owner.path, "", engine)
			if ctx.Err() != nil || killed {
				return v, ctx.Err()
			}
			undecided = errors.Join(undecided, err)
		}
		ordered := slices.Clone(dependents)
		if engine == "xla" {
			ordered = slices.DeleteFunc(ordered, func(d dependent) bool { return d.distance > 1 })
		}
		if err := r.nearestFirst(ctx, ordered, engine); err != nil {
			return v, err
		}
		for _, d := range ordered {
			killed, err := r.try(ctx, m, &v, overlay, d.path, "", engine)
			if ctx.Err() != nil || killed {
				return v, ctx.Err()
			}
			undecided = errors.Join(undecided, err)
		}
	}
	return v, undecided
}

// recorded returns the test that the list names as the killer of m.
func recorded(m *mutant) (pkg, test, engine string, ok bool) {
	by, xla := strings.CutSuffix(m.By, onXLA)
	engine = "go"
	if xla {
		engine = "xla"
	}
	if pkg, _, ok = strings.Cut(by, ": "); ok { // a time-out or a crash
		return pkg, "", engine, m.Killed
	}
	slash := strings.LastIndex(by, "/")
	if !m.Killed || slash < 0 {
		return "", "", "", false
	}
	return by[:slash], by[slash+1:], engine, true
}

// nearestFirst sorts packages by distance, then by the duration of their tests on unchanged code.
func (r *runner) nearestFirst(ctx context.Context, packages []dependent, engine string) error {
	seconds := map[string]float64{}
	for _, d := range packages {
		result, err := r.unchanged(ctx, d.path, "", engine)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil { // try returns the error
			seconds[d.path] = result.Seconds
		}
	}
	slices.SortStableFunc(packages, func(a, b dependent) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(seconds[a.path], seconds[b.path]))
	})
	return nil
}

// try runs the tests of one package with m and reports whether they kill it. It repeats a failed test alone and, if
// that passes, all tests of the package. A test that fails once at random thus kills nothing.
func (r *runner) try(ctx context.Context, m *mutant, v *verdict, overlay, pkg, test, engine string) (bool, error) {
	before, err := r.unchanged(ctx, pkg, test, engine)
	if err != nil {
		return false, err
	}
	limit := max(r.least, time.Duration(timeFactor*before.Seconds)*time.Second)
	t := trial{pkg, test, engine, r.short, limit, r.procs, overlay}
	result, err := r.keep(ctx, m.digest(), t)
	v.cpu += result.CPU
	if err != nil || result.Passed {
		return false, err
	}
	if test == "" && result.Test != "time-out" && result.Test != "crash" {
		for _, again := range []string{result.Test, ""} {
			t.test = again
			second, err := r.keep(ctx, m.digest()+" again", t)
			v.cpu += second.CPU
			if err != nil {
				return false, err
			}
			if !second.Passed {
				break
			}
			if again == "" {
				v.flaky = append(v.flaky, pkg+"/"+result.Test)
				return false, nil
			}
		}
	}
	v.killed = true
	if v.by = pkg + "/" + result.Test; result.Test == "time-out" || result.Test == "crash" {
		v.by = pkg + ": " + result.Test
	}
	if engine == "xla" {
		v.by += onXLA
	}
	return true, nil
}

// unchanged runs tests without a mutant, once, and once more if they fail. It returns an error if they fail again: a
// failure with a mutant proves nothing then. The state stores passing runs only.
func (r *runner) unchanged(ctx context.Context, pkg, test, engine string) (outcome, error) {
	t := trial{pkg, test, engine, r.short, wholeTime, r.procs, ""}
	return r.state.do(r.key("unchanged", t), func() (outcome, error) {
		for range 2 {
			result, err := t.run(ctx, r.mod)
			if err != nil || result.Passed {
				return result, err
			}
			test = result.Test
		}
		return outcome{}, fmt.Errorf("%s/%s fails without a mutant on engine %s; fix it first", pkg, test, engine)
	})
}

// keep runs a trial and stores its outcome, or returns the stored one.
func (r *runner) keep(ctx context.Context, what string, t trial) (outcome, error) {
	return r.state.do(r.key(what, t), func() (outcome, error) { return t.run(ctx, r.mod) })
}

// key identifies a trial in the state; what is "unchanged" or identifies a mutant.
func (r *runner) key(what string, t trial) string {
	key := strings.Join([]string{what, t.engine, t.pkg, t.test}, " ")
	if t.short {
		key += " short"
	}
	return key
}
