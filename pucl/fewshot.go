package pucl

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// FewShotConfig says how to try embeddings with few labels. The zero value draws 10 rows of each class, 5 times.
type FewShotConfig struct {
	PerClass int         // labeled rows of each class; 0 means 10
	Draws    int         // how often rows are drawn and a probe is trained; 0 means 5
	Start    *ClassProbe // where training starts, for fine-tuning; nil means at zero
	Probe    ProbeConfig // how to train; Epochs 0 means 100 here, few rows making few steps
	Seed     uint64      // of the draws; draw i has the seed Seed+i, which is also the probe's
}

// FewShot is how well probes do that saw few labels.
type FewShot struct {
	PerClass int                // labeled rows of each class
	Draws    []evaluate.Classes // one result for each draw
	Accuracy evaluate.Summary   // over the draws, with 95% intervals
	Balanced evaluate.Summary
}

// FitFewShot measures what embeddings are worth to somebody with few labels: it draws PerClass rows of each class from x
// [n, k] with their classes, trains a linear probe on these alone, and judges it on all rows of test, again and again. The
// interval is over draws of rows; the encoder is one and the same.
func FitFewShot(eng *engine.Engine, x *mat.Dense, labels []int, test *mat.Dense, truth []int, classes int,
	config FewShotConfig) (*FewShot, error) {
	c := config
	if c.PerClass == 0 {
		c.PerClass = 10
	}
	if c.Draws == 0 {
		c.Draws = 5
	}
	if c.Probe.Epochs == 0 {
		c.Probe.Epochs = 100
	}
	if c.Draws < 0 {
		return nil, fmt.Errorf("pucl: %d draws; there must be 1 or more, or 0 for 5", c.Draws)
	}
	if n, _ := x.Dims(); n != len(labels) {
		return nil, fmt.Errorf("pucl: %d rows of features, %d labels; there must be one label a row", n, len(labels))
	}
	if c.Start == nil {
		_, k := x.Dims()
		var err error
		if c.Start, err = NewClassProbe(classes, k); err != nil {
			return nil, err
		}
	}
	started, _, err := c.Start.shape()
	if err != nil {
		return nil, err
	}
	if started != classes {
		return nil, fmt.Errorf("pucl: the probe to start at has %d classes, the data %d", started, classes)
	}
	out := &FewShot{PerClass: c.PerClass}
	var accuracy, balanced []float64
	for draw := range c.Draws {
		seed := c.Seed + uint64(draw)
		rows, err := DrawShots(labels, classes, c.PerClass, rand.New(rand.NewPCG(seed, 0x5407)))
		if err != nil {
			return nil, err
		}
		shots, err := Take(x, rows)
		if err != nil {
			return nil, err
		}
		shotLabels := make([]int, len(rows))
		for i, row := range rows {
			shotLabels[i] = labels[row]
		}
		settings := c.Probe
		settings.Seed = seed
		probe, err := c.Start.FineTune(eng, shots, shotLabels, settings)
		if err != nil {
			return nil, err
		}
		s, err := probe.Score(test, truth)
		if err != nil {
			return nil, err
		}
		out.Draws = append(out.Draws, s)
		accuracy, balanced = append(accuracy, s.Accuracy), append(balanced, s.Balanced)
	}
	if out.Accuracy, err = evaluate.Summarize(accuracy, 0.95); err != nil {
		return nil, err
	}
	out.Balanced, err = evaluate.Summarize(balanced, 0.95)
	return out, err
}

// String gives both accuracies with their intervals, and tells how many draws gave a degenerate probe.
func (f *FewShot) String() string {
	text := fmt.Sprintf("%d labels a class: accuracy %s, balanced %s", f.PerClass, overDraws(f.Accuracy), overDraws(f.Balanced))
	degenerate := 0
	for _, s := range f.Draws {
		if s.Degenerate() {
			degenerate++
		}
	}
	if degenerate > 0 {
		text += fmt.Sprintf("; degenerate in %d of %d draws", degenerate, len(f.Draws))
	}
	return text
}

// overDraws prints s, whose runs differ in the rows that were drawn.
func overDraws(s evaluate.Summary) string {
	if s.Seeds == 1 {
		return fmt.Sprintf("%.1f%% (one draw, no interval)", 100*s.Mean)
	}
	return fmt.Sprintf("%.1f ± %.1f%% (%g%% interval, %d draws)", 100*s.Mean, 100*s.HalfWidth, 100*s.Confidence, s.Seeds)
}

// DrawShots draws perClass rows of each of the classes 0 to classes−1, without replacement, and returns them class by class.
func DrawShots(labels []int, classes, perClass int, rng *rand.Rand) ([]int, error) {
	if perClass < 1 || classes < 1 {
		return nil, errors.New("pucl: few-shot learning needs 1 row or more of each of 1 class or more")
	}
	of := make([][]int, classes)
	for row, class := range labels {
		if class < 0 || class >= classes {
			return nil, fmt.Errorf("pucl: row %d has class %d; %d classes are numbered from 0 to %d", row, class, classes, classes-1)
		}
		of[class] = append(of[class], row)
	}
	var drawn []int
	for class, rows := range of {
		if len(rows) < perClass {
			return nil, fmt.Errorf("pucl: class %d has %d rows, too few to draw %d of it", class, len(rows), perClass)
		}
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		drawn = append(drawn, rows[:perClass]...)
	}
	return drawn, nil
}
