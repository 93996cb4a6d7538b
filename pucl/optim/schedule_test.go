package optim

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// With ReachFloor, Cosine is lightly's CosineWarmupScheduler.
func TestCosineAgainstLightly(t *testing.T) {
	var frozen []struct {
		Steps, Warmup int
		From, Floor   float64
		Rates         []float64
	}
	read(t, "schedule.json", &frozen)
	expect.Require(t, len(frozen) == 5, "%d schedules, want 5", len(frozen))
	for _, f := range frozen {
		c := Cosine{Warmup: f.Warmup, From: f.From, Floor: f.Floor, ReachFloor: true}
		if f.Warmup == 0 {
			c.Warmup = -1
		}
		for step, want := range f.Rates {
			expect.Near(t, c.Rate(1.2, step, f.Steps), want, 1e-15, "%s, step %d of %d", c, step, f.Steps)
		}
	}
}

// The values that the documentation names.
func TestCosineByHand(t *testing.T) {
	for _, tt := range []struct {
		c           Cosine
		step, steps int
		want        float64
	}{
		{Cosine{}, 0, 1000, 2.0 / 50}, {Cosine{}, 49, 1000, 2}, {Cosine{}, 50, 1000, 2}, {Cosine{}, 525, 1000, 1},
		{Cosine{}, 999, 1000, 1 + math.Cos(math.Pi*949/950)}, {Cosine{}, 1000, 1000, 0}, {Cosine{}, 2000, 1000, 0},
		{Cosine{}, 0, 3, 2},                                   // a twentieth, but at least one step
		{Cosine{Warmup: -1}, 0, 4, 2},                         // cos 0
		{Cosine{Warmup: -1}, 1, 4, 1 + math.Sqrt2/2},          // cos π/4
		{Cosine{Warmup: -1}, 2, 4, 1},                         // cos π/2
		{Cosine{Warmup: -1, ReachFloor: true}, 1, 4, 1.5},     // cos π/3
		{Cosine{Warmup: -1, ReachFloor: true}, 3, 4, 0},       // the floor
		{Cosine{Warmup: 4, From: 0.5}, 0, 8, 1.25},            // 1 + 1/4
		{Cosine{Warmup: 4, Floor: 0.25}, 6, 8, 0.5 + 1.5*0.5}, // halfway between
		{Cosine{Warmup: 4, Floor: 0.25, ReachFloor: true}, 7, 8, 0.5},
	} {
		expect.Near(t, tt.c.Rate(2, tt.step, tt.steps), tt.want, 1e-15, "%s, step %d of %d", tt.c, tt.step, tt.steps)
	}
	expect.Equal(t, (Constant{}).Rate(0.3, 7, 10), 0.3, "the constant rate")
}

func TestScheduleErrors(t *testing.T) {
	for want, c := range map[string]Cosine{"warm-up of 11 steps does not fit into a run … shorten it, or train for longer": {Warmup: 11}, "From is 2 and Floor is 0 … both are shares of the peak, between 0 and 1": {From: 2}, "Floor is -1 … both are shares of the peak, between 0 and 1": {Floor: -1}} {
		refusal.Check(t, c.Check(10), want)
	}
	refusal.Check(t, (Cosine{}).Check(0), "0 steps has no learning rate … it needs at least 1")
	for _, s := range []Schedule{Cosine{}, Cosine{Warmup: 10}, Constant{}} {
		err := s.Check(10)
		expect.That(t, err == nil && s.String() != "", "%v: %v", s, err)
	}
}
