package papers

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// The heads of a pretrained encoder: linear probes on its outputs h, scaled to length one.
const (
	PUPL    = "PUPL (CE)"                // cross-entropy on PUPL's pseudo-labels from h, as Algorithm 1 has it
	PUPLOnZ = "PUPL on z (CE)"           // the same with pseudo-labels from the projections z
	Mixture = "mixture (CE)"             // cross-entropy on pseudo-labels from h by package pseudo, which is told no class prior
	NNPU    = "nnPU"                     // the non-negative risk with the true class prior
	Naive   = "CE, unlabeled = negative" // cross-entropy that takes every unlabeled image for a negative one
	Ceiling = "CE, all true labels"      // what a linear probe reaches that knows all classes: no method
)

// Heads lists the heads in the order of tables.
func Heads() []string { return []string{NNPU, PUPL, PUPLOnZ, Mixture, Naive, Ceiling} }

// probeEpochs is how many epochs the linear probes of heads make. They stop before they converge. All stored results
// of heads are by this number.
const probeEpochs = 10

// embedded is a part of the data as an encoder has it, a row for each example.
type embedded struct {
	h, z *mat.Dense // of length one
	part
}

// embeddings are the examples of a run as an encoder has them.
type embeddings struct {
	train, held embedded
	views       *mat.Dense // h of views of those held out, of length one
	test        *mat.Dense // h, of length one

	heads     []string   // that judge; nil for all
	neighbors int        // that judge too; 0 for none
	bank      *mat.Dense // h of all images of the task that are not held out
	poolTruth []bool     // which of them are positive
}

// embed embeds the images.
func (o *opened) embed(eng *engine.Engine, m *train.Model) (embeddings, error) {
	learn, err := m.EmbedImages(eng, o.train.images)
	held, heldErr := m.EmbedImages(eng, o.held.images)
	views, viewsErr := m.EmbedImages(eng, o.views)
	test, testErr := m.EmbedImages(eng, o.test)
	if err := errors.Join(err, heldErr, viewsErr, testErr); err != nil {
		return embeddings{}, err
	}
	if views, err = views.Take(o.held.Index); err != nil {
		return embeddings{}, err
	}
	all, err := o.embeddings(learn, held, views, test)
	all.heads = o.heads
	if err != nil || o.neighbors == 0 {
		return all, err
	}
	all.neighbors, all.poolTruth = o.neighbors, o.poolTruth
	all.bank, err = rows.Take(learn.H, o.pool)
	return all, err
}

// embeddings returns the examples, given the data sets that their parts are of, embedded whole, views and the test examples.
func (o *opened) embeddings(learn, held, views, test *train.Embedding) (embeddings, error) {
	of := func(whole *train.Embedding, p part) (embedded, error) {
		e, err := whole.Take(p.Index)
		if err != nil {
			return embedded{}, err
		}
		return embedded{rows.Unit(e.H), rows.Unit(e.Z), p}, nil
	}
	l, err := of(learn, o.train)
	h, heldErr := of(held, o.held)
	return embeddings{train: l, held: h, views: rows.Unit(views.H), test: rows.Unit(test.H)}, errors.Join(err, heldErr)
}

// judge judges an encoder by its heads, truth telling which of the test examples are positive. A head that cannot be had of this
// embedding, as where it has collapsed, is a point that says why. Of pseudo-labels it keeps how many are right, and of PUPL's on how many
// examples those of the mixture are others.
func (all embeddings) judge(eng *engine.Engine, truth []bool, step int, seed uint64) ([]experiment.Point, error) {
	heads := all.heads
	if heads == nil {
		heads = Heads()
	}
	points, learned, err := all.judgeBy(eng, heads, truth, step, seed, func(head string) (*mat.Dense, []bool, risk.Risk, error) {
		return all.train.head(head, seed)
	})
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		labels, clusters := learned[p.Head], p.Head == PUPL || p.Head == PUPLOnZ
		if labels == nil || !clusters && p.Head != Mixture {
			continue
		}
		if all.train.Unknown == nil {
			p.Values[LabelsRight] = agreeing(labels, all.train.Positive, all.train.Labeled)
		}
		if mixture := learned[Mixture]; clusters && mixture != nil {
			p.Values[Disagreement] = 1 - agreeing(labels, mixture, all.train.Labeled)
		}
	}
	if all.neighbors > 0 {
		p, err := nearest(eng, all.neighbors, all.bank, all.poolTruth, all.test, truth)
		if err != nil {
			return nil, fmt.Errorf("papers: after %d steps, %s: %w", step, Neighbors, err)
		}
		p.Step = step
		points = append(points, p)
	}
	return points, nil
}

// judgeBy judges an encoder by heads that learn from what of returns: rows of h, labels, and the risk that they minimize. It returns the labels
// of each head too. One that cannot be had is a point that says why, and has none.
func (all embeddings) judgeBy(eng *engine.Engine, heads []string, truth []bool, step int, seed uint64,
	of func(head string) (*mat.Dense, []bool, risk.Risk, error)) (points []experiment.Point, learned map[string][]bool, err error) {
	learned = map[string][]bool{}
	for _, head := range heads {
		x, labels, minimized, err := of(head)
		if err != nil {
			points = append(points, experiment.Point{Head: head, Step: step, Failure: err.Error()})
			continue
		}
		p, err := all.probe(eng, x, labels, minimized, truth, seed)
		if err != nil {
			return nil, nil, fmt.Errorf("papers: after %d steps, %s: %w", step, head, err)
		}
		p.Head, p.Step = head, step
		points, learned[head] = append(points, p), labels
	}
	return points, learned, nil
}

// probe returns what a linear classifier of h is worth that learns labels, one for each row of x, by a risk: on the test examples, and where
// examples are held out on these.
func (all embeddings) probe(eng *engine.Engine, x *mat.Dense, labels []bool, minimized risk.Risk, truth []bool, seed uint64) (experiment.Point, error) {
	linear, err := probe.FitPU(eng, x, labels, minimized, probe.Config{Epochs: probeEpochs, Seed: seed})
	if err != nil {
		return experiment.Point{}, err
	}
	scores, err := linear.Scores(all.test)
	if err != nil {
		return experiment.Point{}, err
	}
	p, err := scored(scores, truth)
	if err != nil || all.held.h == nil {
		return p, err
	}
	held, err := linear.Scores(all.held.h)
	views, viewsErr := linear.Scores(all.views)
	if err := errors.Join(err, viewsErr); err != nil {
		return experiment.Point{}, err
	}
	pu, err := evaluate.ScorePU(held, all.held.Labeled, 0, evaluate.ScoreConfig{Prior: all.held.Prior})
	agree, agreeErr := agreement(held, views)
	p.PU, p.Values = &pu, agree
	return p, errors.Join(err, agreeErr)
}

// scored returns the point of logits of test examples, measured by their true classes, with the answer to each.
func scored(logits []float64, truth []bool) (experiment.Point, error) {
	test, err := evaluate.ScoreBinary(logits, truth, 0)
	if err != nil {
		return experiment.Point{}, err
	}
	answers := make(experiment.Answers, len(truth))
	for i, logit := range logits {
		answers[i] = (logit > 0) == truth[i]
	}
	return experiment.Point{Test: &test, Answers: answers}, nil
}

// head returns what a head learns from: rows, labels, and the risk that it minimizes.
func (e embedded) head(name string, seed uint64) (x *mat.Dense, labels []bool, minimized risk.Risk, err error) {
	x, labels, minimized = e.h, e.Labeled, risk.CrossEntropy
	switch name {
	case PUPL:
		labels, err = clusterLabels(e.h, e.Labeled, restarts, seed)
	case PUPLOnZ:
		labels, err = clusterLabels(e.z, e.Labeled, restarts, seed)
	case Mixture:
		var l *pseudo.Labels
		if l, err = pseudo.Label(e.h, e.Labeled, pseudo.Config{Seed: seed}); err == nil {
			labels = l.Positive
		}
	case NNPU:
		minimized = risk.NNPU(e.Prior, risk.LogisticLoss)
	case Ceiling:
		if labels = e.Positive; e.Unknown != nil { // nobody knows the classes of most images of STL-10
			_, known := rows.Split(e.Unknown)
			labels = rows.Pick(labels, known)
			x, err = rows.Take(x, known)
		}
	}
	return x, labels, minimized, err
}

// agreeing returns the share of the unlabeled rows to which two give the same label.
func agreeing(labels, others, labeled []bool) float64 {
	_, unlabeled := rows.Split(labeled)
	same := 0
	for _, i := range unlabeled {
		if labels[i] == others[i] {
			same++
		}
	}
	return float64(same) / float64(len(unlabeled))
}

// clusterLabels returns PUPL's pseudo-labels.
func clusterLabels(x *mat.Dense, labeled []bool, restarts int, seed uint64) ([]bool, error) {
	c, err := cluster.PUPL(x, labeled, cluster.Config{Restarts: restarts, Seed: seed})
	if err != nil {
		return nil, err
	}
	return c.Positive, nil
}
