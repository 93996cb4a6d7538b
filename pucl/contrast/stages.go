package contrast

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
)

// stages holds the stages shared by the methods of one encoder: pretraining, embedding, labeling, a linear classifier,
// fine-tuning.
type stages struct {
	pretraining Pretraining
	label       func(f *Fitted) error // sets f.Labels by f.Embeddings; nil keeps the labeled positives
	minimized   risk.Risk
	probe       probe.Config
	tune        *classify.FineTuneConfig
}

func (s stages) fit(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*Fitted, error) {
	source, err := s.pretraining.source(data, run)
	if err != nil {
		return nil, err
	}
	f := &Fitted{labeled: slices.Clone(data.Labeled), Labels: slices.Clone(data.Labeled)} // callers may change their slice
	for _, stage := range []struct {
		name   string
		wanted bool
		run    func() error
	}{
		{"pretraining", true, func() error { return source.addEncoder(ctx, eng, f, nil) }},
		{"pseudo-labels", s.label != nil, func() error { return s.label(f) }},
		{"training the probe", true, func() error {
			s.probe.Seed = run.Seed
			head, err := probe.FitPU(eng, rows.Unit(f.Embeddings[0].H), f.Labels, s.minimized, s.probe)
			f.Members = []learn.Member{{Network: f.Networks[0], Unit: true, Head: head}}
			return err
		}},
		{"fine-tuning", s.tune != nil, func() error { return s.fineTune(ctx, eng, data, run, f) }},
	} {
		if !stage.wanted {
			continue
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("contrast: stopped before %s (%w): %w", stage.name, context.Cause(ctx), ctx.Err())
		}
		if err := stage.run(); err != nil {
			return nil, fmt.Errorf("contrast: %s: %w", stage.name, err)
		}
	}
	return f, nil
}

// fineTune trains encoder and head further.
func (s stages) fineTune(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run, f *Fitted) error {
	tune := *s.tune
	tune.Seed, tune.Checkpoint = run.Seed, ""
	if run.Checkpoint != "" {
		tune.Checkpoint = filepath.Join(run.Checkpoint, "fine-tuning")
	}
	if tune.Head == nil {
		tune.Head = f.Members[0].Head
	}
	c, err := classify.FineTunePU(ctx, eng, f.Networks[0],
		classify.LabeledImages[bool]{Pixels: data.Pixels, Labels: f.Labels}, s.minimized, tune)
	if err != nil {
		return err
	}
	f.Members[0].Network, f.Members[0].Head = c.Model, c.Probe
	return nil
}

// check returns the error of the first stage that is invalid for the data.
func (s stages) check(name string, data learn.Data) error {
	return cmp.Or(data.Check(), s.pretraining.check(name, data), s.checkProbe(), s.checkTuning(data))
}

// checkProbe returns an error if a probe of one output cannot be trained with these settings.
func (s stages) checkProbe() error {
	if err := s.probe.Check(); err != nil || s.probe.Start == nil {
		return err
	}
	outputs := len(s.probe.Start.Bias)
	return fault.If(outputs != 1, "contrast: Probe.Start has %d outputs, and positives against negatives take 1; "+
		"probe.Binary makes 1 of 2", outputs)
}

func (s stages) checkTuning(data learn.Data) error {
	switch c := s.tune; {
	case c == nil:
		return nil
	case !data.Images():
		return fmt.Errorf("contrast: FineTune is for images; leave it nil for rows")
	case c.Seed != 0 || c.Checkpoint != "":
		return fmt.Errorf("contrast: FineTune with a Seed or a Checkpoint of its own; set those of the call")
	default:
		return c.Check(data.Shape.Height, data.Shape.Width, data.Shape.Channels)
	}
}

// tuned describes fine-tuning.
func tuned(c *classify.FineTuneConfig) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("fine-tuned for %d epochs", cmp.Or(c.Epochs, 50))
	if c.FreezeEncoder {
		text += ", head alone"
	}
	if c.LearningRate != 0 {
		text += fmt.Sprintf(", learning rate %g", c.LearningRate)
	}
	if len(c.Recipe) > 0 {
		text += fmt.Sprintf(", views %s", c.Recipe)
	}
	return text
}

// named returns a method's name with its settings in parentheses.
func named(name string, settings ...string) string {
	settings = slices.DeleteFunc(settings, func(s string) bool { return s == "" })
	if len(settings) == 0 {
		return name
	}
	text := name + " ("
	for i, s := range settings {
		if i > 0 {
			text += "; "
		}
		text += s
	}
	return text + ")"
}
