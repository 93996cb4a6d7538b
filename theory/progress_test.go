package theory

import (
	"testing"

	"github.com/puclab/puclab/pucl"
)

// Every measurement says its size before it starts, goes on in steps, and ends at what it said; trials of symmetry are not
// counted. The sizes are multisets of unordered pairs: 3 of two points and, for unlabeled examples, 6.
func TestMeterProgress(t *testing.T) {
	m := meterOf(t, pucl.SSCL(), 0.5)
	defer func() { m.Progress = nil }()
	d := Design{Labeled: 2, Unlabeled: 4, Prior: 0.5} // C(4,2)·C(9,4) = 6·126
	small := Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	for _, tt := range []struct {
		name    string
		total   float64
		reports int
		run     func() error
	}{
		{"exact", 756, 2, func() error { _, err := m.Exact(quartet(), d); return err }},
		{"exact, smaller", 18, 2, func() error { _, err := m.Exact(quartet(), small); return err }},
		{"gradient", 18, 2, func() error { _, err := m.Gradient(quartet(), small); return err }},
		{"sampled", 2500, 4, func() error { _, err := m.MonteCarlo(quartet(), small, Draws{Batches: 2500}); return err }},
	} {
		var told []float64
		m.Progress = func(done, total float64) {
			if total != tt.total {
				t.Errorf("%s: %g batches announced, want %g", tt.name, total, tt.total)
			}
			told = append(told, done)
		}
		if err := tt.run(); err != nil {
			t.Fatal(err)
		}
		if len(told) != tt.reports || told[0] != 0 || told[len(told)-1] != tt.total {
			t.Errorf("%s: reports %v, want %d from 0 to %g", tt.name, told, tt.reports, tt.total)
			continue
		}
		for i := 1; i < len(told); i++ {
			if step := told[i] - told[i-1]; !(step > 0 && step <= 1024) {
				t.Errorf("%s: reports %v", tt.name, told)
			}
		}
	}
	// What is refused for its size is not announced.
	m.Progress = func(done, total float64) { t.Errorf("%g of %g", done, total) }
	_, err := m.Exact(quartet(), Design{Labeled: 40, Unlabeled: 40, Prior: 0.5})
	wantError(t, "too many batches", err, "MonteCarlo")
}
