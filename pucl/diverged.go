package pucl

import (
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Diverged is the error of a run whose numbers left the range of float32: the loss, the gradient or a projection of a step is
// not finite, or the weights are not when they are to be saved. The step is not saved, so a checkpoint holds the last good state.
type Diverged struct {
	Step           int     // the step that failed, counted from 0, which is the number of its batch too
	Loss           float64 // of that step
	GradientNorm   float64 // of that step
	ProjectionNorm float64 // of that step, the largest
	Batches        string  // what the batches say of themselves, seed included
	Seed           uint64  // of weights and views
	Layer          string  // the first variable, in the order of the network, that is not finite after that step; "" for none
	BadLayers      int     // how many variables are not finite
	Layers         []LayerNorm
	Checkpoint     string // file with the last good state; "" for none
	Folder         string // where checkpoints go; "" where none were asked for
	SavedStep      int    // steps done in there

	lossesBefore, gradientsBefore, projectionsBefore []float64
	rate, tau                                        float64
}

// LayerNorm is the length of one variable of a network, all entries taken together as one vector.
type LayerNorm struct {
	Path string // as in the store, such as "/encoder/conv1/weights"
	Norm float64
}

// allFinite tells whether all of x are finite numbers.
func allFinite(x ...float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// diverged says what there is to know of a step whose numbers are not finite.
func (m *Model) diverged(t taken, step int, resume *checkpoint) error {
	c := resume.config
	d := &Diverged{
		Step: step, Loss: t.loss, GradientNorm: t.gradientNorm, ProjectionNorm: t.projectionNorm,
		Batches: m.Record.Data, Seed: c.Seed, rate: c.rate(step), tau: c.Tau,
		lossesBefore: before(m.Losses, step), gradientsBefore: before(m.History.GradientNorms, step),
		projectionsBefore: before(m.History.ProjectionNorms, step),
	}
	d.Folder = c.Checkpoint
	d.Checkpoint, d.SavedStep = resume.lastGood()
	var err error
	if d.Layers, err = layerNorms(m.store); err != nil {
		return fmt.Errorf("%w; the weights cannot be looked at: %w", d, err)
	}
	for _, l := range d.Layers {
		if !allFinite(l.Norm) {
			if d.BadLayers++; d.Layer == "" {
				d.Layer = l.Path
			}
		}
	}
	return d
}

// layerNorms returns the length of every floating-point variable of encoder and projector, in the order of the network.
func layerNorms(store *model.Store) ([]LayerNorm, error) {
	var norms []LayerNorm
	for v := range store.IterVariables() {
		if !isNetwork(v.Path()) {
			continue
		}
		value, err := v.Value()
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", v.Path(), err)
		}
		norm, ok, err := lengthOf(value)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", v.Path(), err)
		}
		if ok {
			norms = append(norms, LayerNorm{v.Path(), norm})
		}
	}
	return norms, nil
}

// isNetwork tells a variable of encoder or projector from one of the optimizer.
func isNetwork(path string) bool {
	return strings.HasPrefix(path, "/"+encoderScope+"/") || strings.HasPrefix(path, "/"+projectorScope+"/")
}

// lengthOf is the length of a tensor as one vector; ok is false for one that holds no floating-point numbers.
func lengthOf(t *tensors.Tensor) (length float64, ok bool, err error) {
	sum := 0.0
	err = t.ConstFlatData(func(flat any) {
		switch flat := flat.(type) {
		case []float32:
			ok = true
			for _, x := range flat {
				sum += float64(x) * float64(x)
			}
		case []float64:
			ok = true
			for _, x := range flat {
				sum += x * x
			}
		}
	})
	return math.Sqrt(sum), ok, err
}

// Error tells the step with its seeds, what is not finite, how it came, what is saved and what to try.
func (d *Diverged) Error() string {
	var b strings.Builder
	what := fmt.Sprintf("the loss is %g", d.Loss)
	switch {
	case !allFinite(d.Loss):
	case !allFinite(d.GradientNorm):
		what = fmt.Sprintf("the gradient's length is %g, though the loss is %.4g,", d.GradientNorm, d.Loss)
	case !allFinite(d.ProjectionNorm):
		what = fmt.Sprintf("the longest projection has the length %g, though the loss is %.4g,", d.ProjectionNorm, d.Loss)
	default:
		what = fmt.Sprintf("the weights are not finite, though the loss is %.4g,", d.Loss)
	}
	fmt.Fprintf(&b, "pucl: %s at step %d (batch %d of %s; seed %d of weights and views); training stops\n", what, d.Step, d.Step, d.Batches, d.Seed)
	fmt.Fprintf(&b, "  loss: %s\n", trend(d.lossesBefore, d.Loss))
	fmt.Fprintf(&b, "  length of the gradient: %s\n", trend(d.gradientsBefore, d.GradientNorm))
	fmt.Fprintf(&b, "  longest projection: %s\n", trend(d.projectionsBefore, d.ProjectionNorm))
	fmt.Fprintf(&b, "  weights after the step: %s\n", d.weights())
	switch {
	case d.Folder == "":
		b.WriteString("  saved: nothing; PretrainConfig.Checkpoint can name a folder to save to\n")
	case d.Checkpoint == "":
		fmt.Fprintf(&b, "  saved: nothing yet in %s\n", d.Folder)
	default:
		fmt.Fprintf(&b, "  saved: %s holds the good state after %d steps\n", d.Checkpoint, d.SavedStep)
	}
	fmt.Fprintf(&b, "  to try: a learning rate below the %.3g of this step, a longer warm-up, a temperature τ above %g; where the numbers above were small "+
		"until now, look at the objective and at the encoder for a division by 0 or a logarithm of 0", d.rate, d.tau)
	return b.String()
}

// trend shows the values of the steps before and that of the step itself.
func trend(before []float64, now float64) string {
	parts := make([]string, 0, 4)
	for _, v := range before {
		parts = append(parts, fmt.Sprintf("%.3g", v))
	}
	return strings.Join(append(parts, fmt.Sprintf("%.3g at this step", now)), ", ")
}

// weights says which of the layers are not finite, or which is the longest.
func (d *Diverged) weights() string {
	if d.BadLayers > 0 {
		return fmt.Sprintf("%d of %d layers are not finite, the first of them %s", d.BadLayers, len(d.Layers), d.Layer)
	}
	var longest LayerNorm
	for _, l := range d.Layers {
		if l.Norm > longest.Norm {
			longest = l
		}
	}
	return fmt.Sprintf("all %d layers are finite, the longest is %s with %.3g", len(d.Layers), longest.Path, longest.Norm)
}
