package claims

import (
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

var (
	openEngine = enginetest.Open
	near       = theorytest.Near
	wantError  = theorytest.WantError
)

// Checks make much garbage in a small heap, which is collected less often than by default.
func TestMain(m *testing.M) {
	debug.SetGCPercent(300)
	m.Run()
}

// metersOf returns meters of the objectives at temperature 1, until the end of the test.
func metersOf(t *testing.T, objectives ...pucl.Objective) []*meter {
	s := &subject{eng: openEngine(t), bench: newBench()}
	t.Cleanup(s.bench.close)
	return s.meters(1, objectives...)
}

// half is one of the two sets of claims that are checked side by side: those that measure, and those that only count. It
// keeps what tests have checked: compiling takes longer than measuring, and a claim's finding is the same whoever asks.
type half struct {
	*bench
	sync.Mutex
	found map[string]Claim
}

var (
	measuring = &half{bench: newBench(), found: map[string]Claim{}}
	counting  = &half{bench: newBench(), found: map[string]Claim{}}
)

// counted names the claims whose checks need no engine.
var counted = strings.Fields("theorem-3 theorem-3-repaired lemma-2 lemma-3 noise-rate pupl-variants dcl-limit-repaired " +
	"lpos-identity lpos-recovers lpos-limit lpos-limit-repaired lpos-mi lpos-mi-repaired")

// halfOf returns the half that a claim belongs to, and the engine that its check takes, if any.
func halfOf(t *testing.T, c Claim) (*half, *engine.Engine) {
	if slices.Contains(counted, c.ID) {
		return counting, nil
	}
	return measuring, openEngine(t)
}

// slowClaims take more than a second to check, with and without planted mistakes.
var slowClaims = strings.Fields("theorem-1-repaired theorem-2-unbiased theorem-3 theorem-3-repaired hypercube " +
	"pupl-variants dcl-limit infonce-mi lpos-limit pu-debiased-error")

// eachClaim runs a test of every claim, the halves in parallel.
func eachClaim(t *testing.T, test func(*testing.T, Claim)) {
	t.Run("claims", func(t *testing.T) {
		for name, h := range map[string]*half{"measuring": measuring, "counting": counting} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, c := range All() {
					if own, _ := halfOf(t, c); own == h {
						t.Run(c.ID, func(t *testing.T) { test(t, c) })
					}
				}
			})
		}
	})
}

// onBench returns a subject without a plant, which shares what claims that measure have compiled and counted.
func onBench(t *testing.T) *subject { return &subject{eng: openEngine(t), bench: measuring.bench} }

// onCounts is onBench for what claims that only count share.
func onCounts() *subject { return &subject{bench: counting.bench} }

// check returns the claim with what its check finds, which is computed once for all tests. With -short it skips the tests
// of slow claims.
func check(t *testing.T, c Claim) Claim {
	t.Helper()
	if slices.Contains(slowClaims, c.ID) {
		expect.Slow(t)
	}
	h, eng := halfOf(t, c)
	h.Lock()
	defer h.Unlock()
	known, ok := h.found[c.ID]
	if !ok {
		known = expect.Must(c.checkOn(h.bench, eng, Plant{}))(t)
		h.found[c.ID] = known
	}
	return known
}

// checkAs is check for a claim whose verdict is known.
func checkAs(t *testing.T, want Verdict, c Claim) Claim {
	t.Helper()
	c = check(t, c)
	expect.Require(t, c.Verdict == want, "%s", c)
	return c
}

// value returns the finite number that was measured under a name.
func value(t *testing.T, f Finding, name string) float64 {
	t.Helper()
	for _, m := range f.Measured {
		if m.Name == name {
			expect.That(t, !math.IsNaN(m.Value.Value) && !math.IsInf(m.Value.Value, 0), "%s is %g", name, m.Value.Value)
			return m.Value.Value
		}
	}
	t.Fatalf("nothing was measured under the name %q", name)
	return math.NaN()
}

// measured holds the number that was measured under a name to a known one.
func measured(t *testing.T, f Finding, name string, want, tol float64) {
	t.Helper()
	near(t, name, value(t, f, name), want, tol)
}
