package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"
)

// Diverged is the error of a run whose numbers left the range of float32: the loss, the gradient or an output of a step
// is not finite, or the weights are not finite at a save. The step is not saved, so a checkpoint holds the last good
// state.
type Diverged struct {
	Step           int     // the step that failed, counted from 0; also the number of its batch
	Loss           float64 // of that step
	GradientNorm   float64 // of that step
	ProjectionNorm float64 // of that step: the largest length of a row of outputs, in pretraining a projection
	Batches        string  // the String of the batches, seed included
	Seed           uint64  // of weights and views
	Layer          string  // the first variable, in the order of the network, that is not finite after that step; "" for none
	BadLayers      int     // the number of variables that are not finite
	Layers         []LayerNorm
	Checkpoint     string // file with the last good state; "" for none
	Folder         string // the checkpoint folder; "" for none
	SavedStep      int    // steps done in Checkpoint

	lossesBefore, gradientsBefore, projectionsBefore []float64
	rate, tau                                        float64
}

// LayerNorm is the Euclidean norm of one variable of a network as a vector.
type LayerNorm struct {
	Path string // as in the store, such as "/encoder/conv1/weights"
	Norm float64
}

// allFinite reports whether all of x are finite numbers.
func allFinite(x ...float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// diverged returns the error of a step whose numbers are not finite.
func (r *run) diverged(m metrics, step int) error {
	d := &Diverged{
		Step: step, Loss: m.loss, GradientNorm: m.gradientNorm, ProjectionNorm: m.outputNorm,
		Batches: r.Data, Seed: r.Seed, Folder: r.Settings.Checkpoint, rate: r.rate(step), tau: r.Tau,
		lossesBefore: before(r.history.Losses, step), gradientsBefore: before(r.history.GradientNorms, step),
		projectionsBefore: before(r.history.ProjectionNorms, step),
	}
	d.Checkpoint, d.SavedStep = r.checkpoint.lastGood()
	var err error
	if d.Layers, err = r.layerNorms(); err != nil {
		return fmt.Errorf("%w; the weights cannot be read: %w", d, err)
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

// layerNorms returns the norm of every floating-point variable of the networks, in the order of their creation.
func (r *run) layerNorms() ([]LayerNorm, error) {
	var norms []LayerNorm
	for v := range r.Store.IterVariables() {
		if !r.isNetwork(v) {
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

// lengthOf returns the norm of a tensor as one vector; ok is false unless it holds floating-point numbers.
func lengthOf(t *tensors.Tensor) (length float64, ok bool, err error) {
	err = t.ConstFlatData(func(flat any) {
		switch flat := flat.(type) {
		case []float32:
			length, ok = norm2(flat), true
		case []float64:
			length, ok = norm2(flat), true
		}
	})
	return length, ok, err
}

// norm2 returns the Euclidean norm of x.
func norm2[T float32 | float64](x []T) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// Error names the step with its seeds, the values that are not finite, their recent trend, the saved state and the
// remedy.
func (d *Diverged) Error() string {
	var b strings.Builder
	what := fmt.Sprintf("the loss is %g", d.Loss)
	switch {
	case !allFinite(d.Loss):
	case !allFinite(d.GradientNorm):
		what = fmt.Sprintf("the gradient's length is %g, though the loss is %.4g,", d.GradientNorm, d.Loss)
	case !allFinite(d.ProjectionNorm):
		what = fmt.Sprintf("the longest row of outputs has the length %g, though the loss is %.4g,", d.ProjectionNorm, d.Loss)
	default:
		what = fmt.Sprintf("the weights are not finite, though the loss is %.4g,", d.Loss)
	}
	fmt.Fprintf(&b, "train: %s at step %d (batch %d of %s; seed %d of weights and views); training stops\n", what, d.Step, d.Step, d.Batches, d.Seed)
	fmt.Fprintf(&b, "  loss: %s\n", trend(d.lossesBefore, d.Loss))
	fmt.Fprintf(&b, "  length of the gradient: %s\n", trend(d.gradientsBefore, d.GradientNorm))
	fmt.Fprintf(&b, "  longest row of outputs: %s\n", trend(d.projectionsBefore, d.ProjectionNorm))
	fmt.Fprintf(&b, "  weights after the step: %s\n", d.weights())
	switch {
	case d.Folder == "":
		b.WriteString("  saved: nothing; Checkpoint can name a folder to save to\n")
	case d.Checkpoint == "":
		fmt.Fprintf(&b, "  saved: nothing yet in %s\n", d.Folder)
	default:
		fmt.Fprintf(&b, "  saved: %s holds the good state after %d steps\n", d.Checkpoint, d.SavedStep)
	}
	fmt.Fprintf(&b, "  to try: a learning rate below the %.3g of this step, a longer warm-up", d.rate)
	if d.tau > 0 {
		fmt.Fprintf(&b, ", a temperature τ above %g", d.tau)
	}
	b.WriteString("; where the numbers above were small until now, look at the loss and at the network for a division by 0 or a logarithm of 0")
	return b.String()
}

// trend returns the values of the steps before, and of the step itself.
func trend(before []float64, now float64) string {
	parts := make([]string, 0, 4)
	for _, v := range before {
		parts = append(parts, fmt.Sprintf("%.3g", v))
	}
	return strings.Join(append(parts, fmt.Sprintf("%.3g at this step", now)), ", ")
}

// weights returns which layers are not finite, or else the longest layer.
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

// Stopped is the error of a canceled run: its context is done, as after Ctrl-C in a terminal or an interrupt of a
// notebook cell. It wraps the context's error and cause.
type Stopped struct {
	Name        string // the name of the run, such as "pretraining"
	Step, Steps int    // steps done, of all steps
	Checkpoint  string // file that holds the state; "" without a checkpoint folder or if the save failed
	SaveError   error  // the error of a failed save

	err, cause error
}

// stopped saves the state and returns the error of a canceled run.
func (r *run) stopped(ctx context.Context, step int) error {
	s := &Stopped{Name: r.Name, Step: step, Steps: r.Steps, SaveError: r.save(step), err: ctx.Err(), cause: context.Cause(ctx)}
	if s.SaveError == nil {
		s.Checkpoint, _ = r.checkpoint.lastGood()
	}
	return s
}

// Error returns the progress of training, the file of its state and how to resume.
func (s *Stopped) Error() string {
	text := fmt.Sprintf("train: %s stopped after %d of %d steps (%v)", s.Name, s.Step, s.Steps, s.cause)
	switch {
	case s.Step == 0:
		return text + ", before there was anything to save"
	case s.SaveError != nil:
		return text + "; its state could not be saved: " + s.SaveError.Error()
	case s.Checkpoint == "":
		return text + "; nothing is saved, since Checkpoint names no folder: name one, and the next run can be stopped and gone on with"
	}
	return text + fmt.Sprintf("; its state is saved in %s: run the same again, and it goes on from there", s.Checkpoint)
}

// Unwrap returns the context's error and cause, so that errors.Is(err, context.Canceled) holds.
func (s *Stopped) Unwrap() []error { return []error{s.err, s.cause, s.SaveError} }
