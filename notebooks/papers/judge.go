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
	PUPL    = "PUPL (CE)"      // cross-entropy on PUPL's pseudo-labels from h, as in Algorithm 1
	PUPLOnZ = "PUPL on z (CE)" // the same with pseudo-labels from the projections z
	// Mixture is cross-entropy on pseudo-labels from h by package pseudo, without a given class prior.
	Mixture = "mixture (CE)"
	NNPU    = "nnPU"                     // the non-negative risk with the true class prior
	Naive   = "CE, unlabeled = negative" // cross-entropy with every unlabeled image as negative
	Ceiling = "CE, all true labels"      // a fully supervised linear probe: an upper reference, not a method
)

// Heads lists the heads in the order of tables.
func Heads() []string { return []string{NNPU, PUPL, PUPLOnZ, Mixture, Naive, Ceiling} }

// probeEpochs is the number of epochs of the linear probes of heads. They stop before convergence. All stored results
// of heads use this number.
const probeEpochs = 10

// embedded is a part of the data as embedded by an encoder, a row for each example.
type embedded struct {
	h, z *mat.Dense // of unit length
	part
}

// embeddings are the examples of a run as embedded by an encoder.
type embeddings struct {
	train, held embedded
	views       *mat.Dense // h of views of the held-out images, of unit length
	test        *mat.Dense // h, of unit length

	heads     []string   // for evaluation; nil for all
	neighbors int        // for evaluation; 0 for none
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

// embeddings returns the examples, given the embeddings of the complete data sets of their parts, of views and of the
// test examples.
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

// judge evaluates an encoder by its heads; truth marks the positive test examples. If a head cannot be fitted on this
// embedding, for example after a collapse, its point has the reason. It stores the fraction of correct pseudo-labels,
// and for PUPL the disagreement with the mixture.
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

// judgeBy evaluates an encoder by heads trained on the results of of: rows of h, labels, and the risk to minimize. It
// also returns the labels of each head. If a head cannot be fitted, its point has the reason, and it has no labels.
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

// probe evaluates a linear classifier of h that is trained on labels, one for each row of x, with a risk: on the test
// examples, and on held-out examples if there are any.
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

// scored returns the point of logits of test examples against their true classes, with the answer for each.
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

// head returns the training data of a head: rows, labels, and the risk to minimize.
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
		if labels = e.Positive; e.Unknown != nil { // the classes of most images of STL-10 are unknown
			_, known := rows.Split(e.Unknown)
			labels = rows.Pick(labels, known)
			x, err = rows.Take(x, known)
		}
	}
	return x, labels, minimized, err
}

// agreeing returns the fraction of the unlabeled rows with equal labels in both.
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
