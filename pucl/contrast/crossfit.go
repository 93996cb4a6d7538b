package contrast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
)

// CrossFit trains a classifier without a class prior and without the assumption that the classes are two clusters:
//
//  1. It pretrains several encoders, each without the labels of one fold of the labeled positives.
//  2. [pseudo.Vote] labels the unlabeled examples by all embeddings. An encoder was not trained on the labels of its
//     fold, which makes the estimate of the class prior reliable: encoders memorize their labels.
//  3. A linear probe on each embedding is trained on these pseudo-labels, and the mean of their logits decides.
//
// It takes the time of that many encoders. Each has its own checkpoint, which is an error for other folds.
type CrossFit struct {
	Pretraining Pretraining   // of each encoder
	Folds       int           // encoders; 0 means 3
	Labels      pseudo.Config // Seed and Prior are those of the call
	Probe       probe.Config  // Seed is that of the call

	// Debiased pretrains all encoders a second time, from new weights, with [pucl.PUDebiased] and the class prior
	// estimated with the first encoders.
	Debiased      bool
	DebiasedSteps int // of each encoder of the second time; 0 means twice the steps of the first

	// HeldOut holds examples of the same kind, labeled and unlabeled ones, that nothing trains on. They choose between
	// the first time and the second without a negative; see [Fitted.Best]. Nil selects the second.
	HeldOut *learn.Data
}

// String implements [learn.Method].
func (m CrossFit) String() string {
	debiased, chosen := "", ""
	if m.Debiased {
		debiased = "then PU-debiased"
		if m.DebiasedSteps != 0 {
			debiased += fmt.Sprintf(" for %d steps", m.DebiasedSteps)
		}
		if m.HeldOut != nil {
			chosen = "chosen by held-out labels"
		}
	}
	return named(fmt.Sprintf("CrossFit of %d encoders", m.folds()), m.Pretraining.describe(), debiased, chosen)
}

func (m CrossFit) folds() int { return cmp.Or(m.Folds, 3) }

// Check implements [learn.Method].
func (m CrossFit) Check(data learn.Data, _ float64) error {
	positive, _ := data.Counts()
	if err := cmp.Or(stages{pretraining: m.Pretraining, probe: m.Probe}.check("CrossFit", data),
		fault.If(m.Pretraining.Network != nil, "contrast: CrossFit with a Network; it trains encoders that have not seen "+
			"some labels: leave Network nil"),
		fault.If(m.folds() < 2 || positive < m.folds(), "contrast: CrossFit of %d folds with %d labeled positives; it "+
			"needs 2 folds or more and a labeled positive for each", m.folds(), positive),
		fault.If(m.DebiasedSteps < 0, "contrast: CrossFit with %d DebiasedSteps; there must be at least 1, or 0 for "+
			"twice those of the first time", m.DebiasedSteps),
		m.checkHeldOut(data),
	); err != nil {
		return err
	}
	return pseudo.CheckVote(m.folds(), foldsOf(data.Labeled, m.folds(), 0), m.Labels)
}

// Fit trains on data and returns the encoders, embeddings and pseudo-labels of the last time as well; First holds those
// of the first time, if there are two.
func (m CrossFit) Fit(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*Fitted, error) {
	if err := m.Check(data, run.Prior); err != nil {
		return nil, err
	}
	return m.fit(ctx, eng, data, run)
}

// fit is Fit for a method and data that Check accepts.
func (m CrossFit) fit(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*Fitted, error) {
	m.Labels.Seed, m.Labels.Prior, m.Probe.Seed = run.Seed, run.Prior, run.Seed
	config := m.Pretraining.For(data).Config
	again := config
	again.Steps = cmp.Or(m.DebiasedSteps, 2*config.Steps)
	if m.Debiased { // report invalid settings now rather than after the first time
		again.Objective = pucl.PUDebiased(0.5)
		if err := again.Check(eng); err != nil {
			return nil, fmt.Errorf("contrast: CrossFit, the second time: %w", err)
		}
	}
	fold := foldsOf(data.Labeled, m.folds(), run.Seed)
	first, err := m.once(ctx, eng, data, run, fold)
	if err != nil || !m.Debiased {
		return first, err
	}
	again.Objective = pucl.PUDebiased(first.Pseudo.Prior)
	m.Pretraining.Config = again
	if run.Checkpoint != "" {
		run.Checkpoint = filepath.Join(run.Checkpoint, "again")
	}
	second, err := m.once(ctx, eng, data, run, fold)
	if err != nil {
		return nil, fmt.Errorf("the second time, with the class prior %.4g: %w", first.Pseudo.Prior, err)
	}
	second.First = first
	return second, nil
}

// Train implements [learn.Method].
func (m CrossFit) Train(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained,
	error) {
	f, err := m.fit(ctx, eng, data, run)
	if err != nil {
		return nil, err
	}
	return f.Best().Trained(), nil
}

// once pretrains the encoders, votes on the labels with their embeddings, and trains a probe on each.
func (m CrossFit) once(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run, fold []int) (*Fitted,
	error) {
	f := &Fitted{labeled: slices.Clone(data.Labeled), Fold: fold}
	var embedded []*mat.Dense
	for i := range m.folds() {
		if err := m.addWithout(ctx, eng, f, data, run, i); err != nil {
			return nil, fmt.Errorf("contrast: pretraining encoder %d: %w", i, err)
		}
		embedded = append(embedded, rows.Unit(f.Embeddings[i].H))
	}
	var err error
	if f.Pseudo, err = pseudo.Vote(embedded, fold, m.Labels); err != nil {
		return nil, fmt.Errorf("contrast: pseudo-labels: %w", err)
	}
	f.Labels = f.Pseudo.Positive
	for i, network := range f.Networks {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("contrast: stopped before training probe %d (%w): %w", i, context.Cause(ctx), ctx.Err())
		}
		head, err := probe.FitPU(eng, embedded[i], f.Labels, risk.CrossEntropy, m.Probe)
		if err != nil {
			return nil, fmt.Errorf("contrast: training probe %d: %w", i, err)
		}
		f.Members = append(f.Members, learn.Member{Network: network, Unit: true, Head: head})
	}
	return f, m.judge(eng, f, run.Prior)
}

// addWithout pretrains an encoder without the labels of a fold.
func (m CrossFit) addWithout(ctx context.Context, eng *engine.Engine, f *Fitted, data learn.Data, run learn.Run,
	without int) error {
	hidden := make([]bool, len(f.Fold))
	for i, of := range f.Fold {
		hidden[i] = of == without
	}
	source, err := m.Pretraining.source(data, run)
	if err != nil {
		return err
	}
	source.config.Seed = rand.New(rand.NewPCG(run.Seed, uint64(without))).Uint64()
	if run.Checkpoint != "" {
		source.config.Checkpoint = filepath.Join(run.Checkpoint, fmt.Sprintf("without-fold-%d", without))
	}
	return source.addEncoder(ctx, eng, f, hidden)
}

// foldsOf assigns each labeled example a fold, with sizes that differ by at most one, and −1 to the others.
func foldsOf(labeled []bool, folds int, seed uint64) []int {
	fold := make([]int, len(labeled))
	for i := range fold {
		fold[i] = -1
	}
	positive, _ := rows.Split(labeled)
	for place, i := range rand.New(rand.NewPCG(seed, 0xf01d5)).Perm(len(positive)) {
		fold[positive[i]] = place % folds
	}
	return fold
}

// checkHeldOut returns an error if HeldOut cannot evaluate classifiers of data.
func (m CrossFit) checkHeldOut(data learn.Data) error {
	held := m.HeldOut
	if held == nil {
		return nil
	}
	var err error
	switch {
	case held.Images() != data.Images():
		err = errors.New("images or rows, and the data are of the other kind; hold out examples of one kind")
	case data.Images():
		err = fault.If(held.Shape != data.Shape, "images of %s (height×width×channels), and the data of %s; both must "+
			"be of one size", held.Shape, data.Shape)
	default:
		_, want := data.X.Dims()
		_, columns := held.X.Dims()
		err = fault.If(columns != want, "rows of %d features, and the data of %d; both must have the same columns",
			columns, want)
	}
	if err = cmp.Or(err, held.Check()); err != nil {
		return fmt.Errorf("contrast: HeldOut: %w", err)
	}
	return nil
}
