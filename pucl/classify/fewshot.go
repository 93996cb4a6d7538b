package pucl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// FewShotConfig says how to try an encoder with few labels. The zero value draws 10 examples of each class, 5 times.
type FewShotConfig struct {
	PerClass int            // labeled examples of each class; 0 means 10
	Draws    int            // how often examples are drawn and learned from; 0 means 5
	Start    *ClassProbe    // where the probe, or the head of the network, starts; nil means at zero
	Probe    ProbeConfig    // how FitFewShot trains; Epochs 0 means 100 here, few rows making few steps
	Tune     FineTuneConfig // how FineTuneFewShot trains; Epochs 0 means 100 here
	Seed     uint64         // of the draws; draw i has the seed Seed+i, which is also that of what learns from it
}

// withDefaults fills in the zero fields.
func (c FewShotConfig) withDefaults() FewShotConfig {
	setDefault := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	setDefault(&c.PerClass, 10)
	setDefault(&c.Draws, 5)
	setDefault(&c.Probe.Epochs, 100)
	setDefault(&c.Tune.Epochs, 100)
	return c
}

// FewShot is how well classifiers do that saw few labels. Nothing was chosen by a test result: each stands after its last
// epoch.
type FewShot struct {
	Method   string             // "linear probe" or "fine-tuning"
	PerClass int                // labeled examples of each class
	Draws    []evaluate.Classes // one result for each draw
	Accuracy evaluate.Summary   // over the draws, with 95% intervals of Student's
	Balanced evaluate.Summary
}

// FitFewShot measures what embeddings are worth to somebody with few labels: it draws PerClass rows of each class from x
// [n, k] with their classes, trains a linear probe on these alone, and judges it on all rows of test, again and again. The
// interval is over draws of rows; the encoder is one and the same.
func FitFewShot(eng *engine.Engine, x *mat.Dense, labels []int, test *mat.Dense, truth []int, classes int,
	config FewShotConfig) (*FewShot, error) {
	c := config.withDefaults()
	_, k, err := labeledRows(x, len(labels), "labels")
	if err != nil {
		return nil, err
	}
	_, entries, err := labeledRows(test, len(truth), "true classes")
	if err != nil {
		return nil, err
	}
	if entries != k {
		return nil, fmt.Errorf("pucl: rows of %d entries to learn from, rows of %d to test on; embed both with the same model", k, entries)
	}
	if err := classesBelow(classes, truth, "test row"); err != nil {
		return nil, err
	}
	if c.Start == nil {
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
	return c.draw("linear probe", labels, classes, func(rows, labels []int, seed uint64) (evaluate.Classes, error) {
		shots, err := Take(x, rows)
		if err != nil {
			return evaluate.Classes{}, err
		}
		settings := c.Probe
		settings.Seed = seed
		probe, err := c.Start.FineTune(eng, shots, labels, settings)
		if err != nil {
			return evaluate.Classes{}, err
		}
		return probe.Score(test, truth)
	})
}

// FineTuneFewShot is [FitFewShot] where the whole network learns from the few labels, see [FineTune]: it draws PerClass images
// of each class from pixels and judges the network that was fine-tuned on these alone on all test images, again and again.
// Draws with the same seed hold the same examples as in FitFewShot, so that the two can be compared draw by draw.
func FineTuneFewShot(ctx context.Context, eng *engine.Engine, m *Model, pixels []uint8, labels []int, test []uint8, truth []int,
	classes int, config FewShotConfig) (*FewShot, error) {
	c := config.withDefaults()
	if err := m.tunable(); err != nil {
		return nil, err
	}
	shape := m.shape()
	if err := labeledImages(pixels, len(labels), "images", "labels", shape); err != nil {
		return nil, err
	}
	if err := labeledImages(test, len(truth), "test images", "true classes", shape); err != nil {
		return nil, err
	}
	if err := classesBelow(classes, truth, "test image"); err != nil {
		return nil, err
	}
	return c.draw("fine-tuning", labels, classes, func(rows, labels []int, seed uint64) (evaluate.Classes, error) {
		size := imageBytes(shape)
		shots := make([]uint8, 0, len(rows)*size)
		for _, row := range rows {
			shots = append(shots, pixels[row*size:(row+1)*size]...)
		}
		settings := c.Tune
		if settings.Seed = seed; c.Start != nil {
			settings.Head = c.Start
		}
		tuned, err := FineTune(ctx, eng, m, shots, labels, classes, settings)
		if err != nil {
			return evaluate.Classes{}, err
		}
		return tuned.Score(eng, test, truth)
	})
}

// draw draws examples, has them learned from, and gathers the results. Its configuration has its defaults filled in.
func (c FewShotConfig) draw(method string, labels []int, classes int,
	learn func(rows, labels []int, seed uint64) (evaluate.Classes, error)) (*FewShot, error) {
	if c.Draws < 0 {
		return nil, fmt.Errorf("pucl: %d draws; there must be 1 or more, or 0 for 5", c.Draws)
	}
	out := &FewShot{Method: method, PerClass: c.PerClass}
	var accuracy, balanced []float64
	for draw := range c.Draws {
		seed := c.Seed + uint64(draw)
		rows, err := DrawShots(labels, classes, c.PerClass, rand.New(rand.NewPCG(seed, 0x5407)))
		if err != nil {
			return nil, err
		}
		s, err := learn(rows, pick(labels, rows), seed)
		if err != nil {
			return nil, err
		}
		out.Draws = append(out.Draws, s)
		accuracy, balanced = append(accuracy, s.Accuracy), append(balanced, s.Balanced)
	}
	var err error
	if out.Accuracy, err = evaluate.Summarize(accuracy, 0.95); err != nil {
		return nil, err
	}
	out.Balanced, err = evaluate.Summarize(balanced, 0.95)
	return out, err
}

// String gives both accuracies with their intervals, and tells how many draws gave a degenerate classifier.
func (f *FewShot) String() string {
	text := fmt.Sprintf("%s, %d labels a class: accuracy %s, balanced %s", f.Method, f.PerClass, overDraws(f.Accuracy),
		overDraws(f.Balanced))
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
	if err := classesBelow(classes, labels, "row"); err != nil {
		return nil, err
	}
	of := make([][]int, classes)
	for row, class := range labels {
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
