package pipeline

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
)

// Best returns what came of the first time or of the second, whichever has the higher Lee–Liu criterion on CrossFitConfig.HeldOut, which
// needs neither a prior nor a negative; the second where the two are equal, or where nothing was held out. With few labeled positives held
// out the criterion is rough: of the runs that the notebook without-prior shows, each with a hundred, it takes the worse one on CIFAR-I,
// where the second time is longer and better.
func (c *CrossFitted) Best() *CrossFitted {
	if c.First == nil || c.HeldOut == nil || c.First.HeldOut == nil {
		return c
	}
	if first := c.First.HeldOut.LeeLiu(); first > c.HeldOut.LeeLiu() || c.HeldOut.Predicted == 0 && first > 0 {
		return c.First
	}
	return c
}

// judge scores the classifier on examples that nothing learned from.
func (c *CrossFitted) judge(eng *engine.Engine, held Data) error {
	var mean []float64
	for fold, member := range c.Classifier {
		e, err := held.embed(eng, member.Model)
		if err != nil {
			return fmt.Errorf("embedding HeldOut by encoder %d: %w", fold, err)
		}
		own, err := member.Probe.Scores(rows.Unit(e.H))
		if err != nil {
			return fmt.Errorf("scoring HeldOut by probe %d: %w", fold, err)
		}
		if mean == nil {
			mean = make([]float64, len(own))
		}
		floats.AddScaled(mean, 1/float64(len(c.Classifier)), own)
	}
	pu, err := evaluate.ScorePU(mean, held.labeled(), 0, evaluate.ScoreConfig{})
	if err != nil {
		return fmt.Errorf("HeldOut: %w", err)
	}
	c.HeldOut = &pu
	return nil
}

// checkHeldOut returns an error if examples cannot be held out of data. No examples can.
func checkHeldOut(data, held Data) error {
	if held == nil {
		return nil
	}
	if err := checkStages(held, Config{}); err != nil {
		return fmt.Errorf("HeldOut: %w", err)
	}
	switch d := data.(type) {
	case Images:
		h, ok := held.(Images)
		if !ok {
			return errors.New("HeldOut are rows of features, and the data are images; hold images out")
		}
		a, b, c := d.Images.Shape()
		if x, y, z := h.Images.Shape(); [3]int{a, b, c} != [3]int{x, y, z} {
			return fmt.Errorf("HeldOut are images of %d×%d×%d (height×width×channels), and the data of %d×%d×%d; both must be of one size", x, y, z, a, b, c)
		}
	case Features:
		h, ok := held.(Features)
		if !ok {
			return errors.New("HeldOut are images, and the data are rows of features; hold rows out")
		}
		_, want := d.X.Dims()
		if _, columns := h.X.Dims(); columns != want {
			return fmt.Errorf("HeldOut are rows of %d features, and the data of %d; both must have the same columns", columns, want)
		}
	}
	return nil
}
