package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// FewShotConfig configures the evaluation of an encoder with few labels. The zero value draws 10 examples of each
// class, 5 times.
type FewShotConfig struct {
	PerClass int          // labeled examples of each class; 0 means 10
	Draws    int          // number of draws of examples, each with its own training; 0 means 5
	Start    *probe.Probe // initial probe, or head of the network, instead of those in Probe and FineTune; nil means those
	Probe    probe.Config // configures FitFewShot; Seed is the draw's

	// FineTune configures FineTuneFewShot; Epochs 0 means 100 here. Seed is the draw's. The folder below Checkpoint is
	// the draw's too, draw-5 for the seed 5, so that an interrupted call can be repeated.
	FineTune FineTuneConfig

	// Seed is the seed of the draws: draw i has the seed Seed+i, which also seeds its training. Seeds that differ by
	// less than Draws share draws, so their results are not independent.
	Seed uint64
}

// withDefaults fills in the zero fields.
func (c FewShotConfig) withDefaults() FewShotConfig {
	c.PerClass, c.Draws = cmp.Or(c.PerClass, 10), cmp.Or(c.Draws, 5)
	c.FineTune.Epochs = cmp.Or(c.FineTune.Epochs, 100)
	return c
}

// FewShot holds the accuracy of classifiers trained on few labels. No choice used a test result: each is evaluated
// after its last epoch.
type FewShot struct {
	Method   string             // "linear probe" or "fine-tuning"
	PerClass int                // labeled examples of each class
	Draws    []evaluate.Classes // one result for each draw
	Accuracy evaluate.Summary   // over the draws, with Student's 95% intervals
	Balanced evaluate.Summary
}

// FitFewShot evaluates embeddings with few labels. In each draw it takes PerClass rows of each class from data, trains
// a linear probe on these alone, and scores it on all rows of test. The interval is over draws of rows; the encoder is
// always the same.
func FitFewShot(eng *engine.Engine, data, test LabeledRows, classes int, config FewShotConfig) (*FewShot, error) {
	c := config.withDefaults()
	k, err := data.check(classes, "row", "labels")
	entries, failed := test.check(classes, "test row", "true classes")
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	if entries != k {
		return nil, fmt.Errorf("classify: rows of %d entries to learn from, rows of %d to test on; embed both with the same model", k, entries)
	}
	return c.draw("linear probe", data.Labels, classes, func(index, labels []int, seed uint64) (evaluate.Classes, error) {
		shots, err := rows.Take(data.X, index)
		if err != nil {
			return evaluate.Classes{}, err
		}
		settings := c.Probe
		if settings.Seed = seed; c.Start != nil {
			settings.Start = c.Start
		}
		p, err := probe.Fit(eng, shots, labels, classes, settings)
		if err != nil {
			return evaluate.Classes{}, err
		}
		return p.ScoreClasses(test.X, test.Labels)
	})
}

// FineTuneFewShot is [FitFewShot] with training of the whole network on the few labels, see [FineTune]. In each draw it
// takes PerClass images of each class from data, fine-tunes on these alone, and scores the network on all test images.
// Draws with the same seed hold the same examples as in FitFewShot, so that the two can be compared draw by draw.
func FineTuneFewShot(ctx context.Context, eng *engine.Engine, m *train.Model, data, test LabeledImages[int], classes int,
	config FewShotConfig) (*FewShot, error) {
	c := config.withDefaults()
	if err := checkModel(m); err != nil {
		return nil, err
	}
	shape := m.Shape()
	if err := cmp.Or(errors.Join(data.check("images", "labels", shape), test.check("test images", "true classes", shape)),
		rows.CheckClasses(classes, test.Labels, "test image")); err != nil {
		return nil, err
	}
	return c.draw("fine-tuning", data.Labels, classes, func(index, labels []int, seed uint64) (evaluate.Classes, error) {
		settings := c.FineTune
		if settings.Seed = seed; c.Start != nil {
			settings.Head = c.Start
		}
		if settings.Checkpoint != "" { // each draw is a separate run
			settings.Checkpoint = filepath.Join(settings.Checkpoint, fmt.Sprint("draw-", seed))
		}
		shots := LabeledImages[int]{pixels.Pick(data.Pixels, index, pixels.Bytes(shape)), labels}
		tuned, err := FineTune(ctx, eng, m, shots, classes, settings)
		if err != nil {
			return evaluate.Classes{}, err
		}
		return tuned.ScoreClasses(eng, test)
	})
}

// draw draws examples, trains on them by learn, and collects the results. Its configuration has its defaults filled in.
func (c FewShotConfig) draw(method string, labels []int, classes int,
	learn func(index, labels []int, seed uint64) (evaluate.Classes, error)) (*FewShot, error) {
	if c.Draws < 0 {
		return nil, fmt.Errorf("classify: %d draws; there must be 1 or more, or 0 for 5", c.Draws)
	}
	out := &FewShot{Method: method, PerClass: c.PerClass}
	var accuracy, balanced []float64
	for draw := range c.Draws {
		seed := c.Seed + uint64(draw)
		index, err := DrawShots(labels, classes, c.PerClass, rand.New(rand.NewPCG(seed, 0x5407)))
		if err != nil {
			return nil, err
		}
		s, err := learn(index, rows.Pick(labels, index), seed)
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

// String returns both accuracies with their intervals, and the number of draws with a degenerate classifier.
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

// overDraws formats s; its runs differ in the drawn rows.
func overDraws(s evaluate.Summary) string {
	if s.Seeds == 1 {
		return fmt.Sprintf("%.1f%% (one draw, no interval)", 100*s.Mean)
	}
	return fmt.Sprintf("%.1f ± %.1f%% (%g%% interval, %d draws)", 100*s.Mean, 100*s.HalfWidth, 100*s.Confidence, s.Seeds)
}

// DrawShots draws perClass rows of each of the classes 0 to classes−1, without replacement, and returns them class by
// class.
func DrawShots(labels []int, classes, perClass int, rng *rand.Rand) ([]int, error) {
	if perClass < 1 || classes < 1 {
		return nil, fmt.Errorf("classify: %d rows of each of %d classes; few-shot learning needs 1 row or more of each of 1 class or more", perClass, classes)
	}
	if rng == nil {
		return nil, errors.New("classify: no generator of random numbers; give rand.New(rand.NewPCG(seed, 0))")
	}
	if err := rows.CheckClasses(classes, labels, "row"); err != nil {
		return nil, err
	}
	of := make([][]int, classes)
	for row, class := range labels {
		of[class] = append(of[class], row)
	}
	var drawn []int
	for class, index := range of {
		if len(index) < perClass {
			return nil, fmt.Errorf("classify: class %d has %d rows, too few to draw %d of it; set PerClass lower, or add rows", class, len(index), perClass)
		}
		rng.Shuffle(len(index), func(i, j int) { index[i], index[j] = index[j], index[i] })
		drawn = append(drawn, index[:perClass]...)
	}
	return drawn, nil
}
