package optim

import (
	"cmp"
	"fmt"
	"math"

	"github.com/puclab/puclab/internal/fault"
)

// Schedule defines the learning rate of each step. It depends on the step alone, so a run can resume at any step.
type Schedule interface {
	// Rate returns the learning rate of a step, 0 ≤ step < steps, in a run of that many steps with the maximum rate
	// peak.
	Rate(peak float64, step, steps int) float64

	// Check returns an error unless the schedule is valid for a run of that many steps.
	Check(steps int) error

	// String names the schedule and its numbers.
	String() string
}

// Cosine rises linearly for W warm-up steps and then falls as half a cosine. With lo = Floor·peak, From·peak at the
// start and n steps in all,
//
//	step t < W:  from + (peak − from)·(t+1)/W
//	step t ≥ W:  lo + (peak − lo)·(1 + cos(π(t−W)/N))/2,   N = n − W, or n − W − 1 with ReachFloor
//
// The first step has from + (peak − from)/W and not from itself, since a rate of 0 would waste it; the last warm-up
// step W−1 and the next one both have the peak. The last step n−1 is one short of the floor, so that no step is wasted
// at a rate of 0. With ReachFloor it has the floor exactly, as in lightly's CosineWarmupScheduler. Steps past the end
// keep the floor.
//
// The zero value warms up for a twentieth of the run, from 0, and falls to 0.
//
// Sources: Loshchilov, Hutter, SGDR, arXiv 1608.03983, 2016 (cosine); Goyal et al., arXiv 1706.02677, 2017 (warm-up).
type Cosine struct {
	Warmup     int     // W, steps; 0 means a twentieth of the run and at least 1, negative means none
	From       float64 // rate before the first step, as a share of the peak
	Floor      float64 // rate after the last step, as a share of the peak
	ReachFloor bool    // the last step has the floor, not the one after it
}

// warmup returns W for a run of that many steps.
func (c Cosine) warmup(steps int) int { return max(cmp.Or(c.Warmup, steps/20, 1), 0) }

// Rate implements [Schedule].
func (c Cosine) Rate(peak float64, step, steps int) float64 {
	warmup := c.warmup(steps)
	if step < warmup {
		from := c.From * peak
		return from + (peak-from)*float64(step+1)/float64(warmup)
	}
	fall := steps - warmup
	if c.ReachFloor {
		fall--
	}
	floor := c.Floor * peak
	if step-warmup >= fall {
		return floor
	}
	return floor + (peak-floor)*0.5*(1+math.Cos(math.Pi*(float64(step-warmup)/float64(fall))))
}

// Check implements [Schedule].
func (c Cosine) Check(steps int) error {
	return cmp.Or(
		fault.If(steps < 1, "optim: a run of %d steps has no learning rate; it needs at least 1", steps),
		fault.If(c.warmup(steps) > steps,
			"optim: a warm-up of %d steps does not fit into a run of %d; shorten it, or train for longer", c.Warmup, steps),
		fault.If(!(c.From >= 0 && c.From <= 1) || !(c.Floor >= 0 && c.Floor <= 1),
			"optim: From is %g and Floor is %g; both are shares of the peak, between 0 and 1", c.From, c.Floor),
	)
}

// String implements [Schedule].
func (c Cosine) String() string {
	warmup := fmt.Sprintf("%d steps", max(c.Warmup, 0))
	if c.Warmup == 0 {
		warmup = "a twentieth of the run"
	}
	end := "after the last step"
	if c.ReachFloor {
		end = "at the last step"
	}
	return fmt.Sprintf("warm-up of %s from %g of the peak, cosine to %g %s", warmup, c.From, c.Floor, end)
}

// Constant keeps the rate at its maximum.
type Constant struct{}

// Rate implements [Schedule].
func (Constant) Rate(peak float64, _, _ int) float64 { return peak }

// Check implements [Schedule]; a constant rate is valid for every run.
func (Constant) Check(int) error { return nil }

// String implements [Schedule].
func (Constant) String() string { return "constant rate" }
