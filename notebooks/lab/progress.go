package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/viz"
)

// Progress returns an observer that displays training, for the field Observer of train.Config or
// classify.FineTuneConfig. Its one line has steps done, the loss, in pretraining also the chance level, images (or
// rows) per second, time left, learning rate and the latest reading. The line is updated in place in a notebook and on
// a terminal; in a file it is a new line every few seconds. It starts with label, such as the name of the loss. w nil
// means the notebook, or standard error outside a notebook.
//
//	model, err := train.Pretrain(ctx, eng, batches, train.Config{Observer: lab.Progress(nil, "PUCL")})
func Progress(w io.Writer, label string) train.Observer { return &progress{w: w, label: label} }

type progress struct {
	w       io.Writer
	label   string
	shown   *viz.Progress
	paused  time.Duration // pauses of the run, as reported
	views   int           // views of the preceding step
	reading string
}

func (p *progress) Start(at train.Progress) {
	*p = progress{w: p.w, label: p.label}
	for _, note := range at.Notes {
		fmt.Fprintf(cmp.Or[io.Writer](p.w, os.Stderr), "%s: note: %s\n", p.label, note)
	}
	p.shown = viz.NewProgress(p.w, p.label, at.Steps)
	switch {
	case at.Step >= at.Steps:
		p.shown.Update(at.Step) // trained before
	case at.Step > 0:
		p.shown.Say("going on after step " + strconv.Itoa(at.Step) + " of " + strconv.Itoa(at.Steps) + ", preparing")
	default:
		p.shown.Say("preparing the first step")
	}
}

func (p *progress) Step(at train.Progress) {
	p.shown.ExamplesPerStep, p.shown.ViewsPerStep, p.shown.Example = at.Examples, at.Views-p.views, at.Example
	p.views = at.Views
	p.shown.Pause(at.Paused - p.paused)
	p.paused = at.Paused
	if at.Reading != nil {
		p.reading = at.Reading.Brief()
	}
	p.shown.Update(at.Step, at.String(), "rate "+strconv.FormatFloat(at.Rate, 'g', 2, 64), p.reading)
}

func (p *progress) End(at train.Progress, err error) {
	note := ""
	if at.Views > 0 {
		note = at.String()
	}
	switch stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded); {
	case stopped && at.Views == 0: // the error reports it alone
	case stopped:
		note = "stopped"
	case err != nil:
		note = "failed"
	case at.Views == 0 && at.Step >= at.Steps:
		note = "all done before"
	}
	p.shown.Done(note)
}
