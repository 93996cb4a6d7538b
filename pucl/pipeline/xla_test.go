package pipeline

import (
	"context"
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
)

// Algorithm 1 and cross-fitting come on XLA to the pseudo-labels and the probe of the pure-Go engine.
func TestPipelinesOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	run := func(eng *engine.Engine) ([]bool, *probe.Probe) {
		r := expect.Must(Run(context.Background(), eng, blobRows(60), Config{
			Pretrain: quick(10), Cluster: cluster.Config{Restarts: 3, Seed: 1}, Probe: probe.Config{Epochs: 20, Seed: 2},
		}))(t)
		return r.Labels, r.Probe
	}
	crossFit := func(eng *engine.Engine) ([]bool, *probe.Probe) {
		data, _ := manyBlobs(new([][]bool))
		r := expect.Must(CrossFit(context.Background(), eng, data, CrossFitConfig{
			Folds: 2, Pretrain: quick(10), Labels: pseudo.Config{Seed: 1}, Probe: probe.Config{Epochs: 20}, Seed: 3,
		}))(t)
		return r.Labels.Positive, r.Classifier[0].Probe
	}
	for name, method := range map[string]func(*engine.Engine) ([]bool, *probe.Probe){"Algorithm 1": run, "CrossFit": crossFit} {
		labels, p := method(xla)
		wantLabels, want := method(pureGo)
		for i, positive := range wantLabels {
			expect.That(t, labels[i] == positive,
				"%s: example %d has pseudo-label %v, and %v in pure Go", name, i, labels[i], positive)
		}
		for i, w := range want.Weights.RawMatrix().Data {
			if got := p.Weights.RawMatrix().Data[i]; !(math.Abs(got-w) <= 1e-2*max(1, math.Abs(w))) {
				t.Errorf("%s: weight %d of the probe is %g, and %g in pure Go", name, i, got, w)
			}
		}
	}
}
