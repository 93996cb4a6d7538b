package pipeline

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/train"
)

// clouds are examples around points of the unit circle at these degrees, the first 50 of each of positive are labeled, with their clusters.
func clouds(t *testing.T, positive, negative []float64) (r *Result, truth []bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 2))
	var h []float64
	r = &Result{}
	for kind, centers := range [][]float64{positive, negative} {
		for _, center := range centers {
			for i := range 300 {
				sin, cos := math.Sincos((center + 8*rng.NormFloat64()) * math.Pi / 180)
				h = append(h, cos, sin)
				truth = append(truth, kind == 0)
				r.labeled = append(r.labeled, kind == 0 && i < 50)
			}
		}
	}
	r.Embedding = &train.Embedding{H: mat.NewDense(len(truth), 2, h)}
	var err error
	if r.Clusters, err = cluster.PUPL(r.Embedding.H, r.labeled, cluster.Config{Restarts: 5, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	return r, truth
}

// Where the classes are two clusters there is nothing to doubt. Where positives are two clouds and negatives one between them, PUPL cuts one
// of the three off, is wrong on many, and a run says so.
func TestDoubt(t *testing.T) {
	for _, tt := range []struct {
		positive, negative []float64
		doubtful           bool
	}{
		{[]float64{0}, []float64{180}, false},
		{[]float64{0, 10}, []float64{170, 180}, false},
		{[]float64{0, 180}, []float64{90}, true},
	} {
		r, truth := clouds(t, tt.positive, tt.negative)
		wrong := 0.0
		for i, positive := range truth {
			if r.Clusters.Positive[i] != positive {
				wrong += 1 / float64(len(truth))
			}
		}
		if (wrong > pseudo.MaxDisagreement) != tt.doubtful {
			t.Fatalf("positives at %v: %.2f of the clusters are wrong, which shows nothing", tt.positive, wrong)
		}
		doubt, err := r.Doubt(pseudo.Config{Seed: 1})
		if err != nil || (doubt != "") != tt.doubtful {
			t.Errorf("positives at %v, negatives at %v: %q, %v", tt.positive, tt.negative, doubt, err)
		}
	}
	r, _ := clouds(t, []float64{0}, []float64{180})
	refusal.Check(t, refusal.Err(r.Doubt(pseudo.Config{Folds: -1})), "labeling without clusters: pseudo: -1 folds … there must be 1 fold or more")
	r.Clusters = nil
	refusal.Check(t, refusal.Err(r.Doubt(pseudo.Config{})), "there are no clusters to doubt … leave Config.Risk nil")
}
