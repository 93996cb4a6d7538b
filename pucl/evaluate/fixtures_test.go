package evaluate

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// fixtures are what testdata/make_fixtures.py wrote.
type fixtures struct {
	Binary []struct {
		Name                                           string
		Scores                                         []float64
		Truth                                          []bool
		Threshold                                      float64
		AUC, Accuracy, Balanced, Precision, Recall, F1 float64
	}
	Classes []struct {
		Scores             [][]float64
		Truth              []int
		Accuracy, Balanced float64
		Recall, TopK       []float64
	}
	Neighbors struct {
		Bank, Queries [][]float64
		Labels        []int
		Cases         []struct {
			K           int
			Temperature float64
			Votes       [][]float64
		}
	}
	Intervals []struct {
		Values                []float64
		Confidence, Low, High float64
	}
	Embeddings []struct {
		Name                  string
		X, Views              [][]float64
		Alignment, Uniformity float64
		MeanStd               float64 `json:"mean_std"`
		MeanCosine            float64 `json:"mean_cosine"`
		Rank                  float64 `json:"effective_rank"`
	}
}

func readFixtures(t *testing.T) fixtures {
	t.Helper()
	data, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixtures
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Binary) == 0 || len(f.Classes) == 0 || len(f.Neighbors.Cases) == 0 || len(f.Intervals) == 0 || len(f.Embeddings) == 0 {
		t.Fatal("testdata/sklearn.json holds no cases of some kind")
	}
	return f
}

func dense(rows [][]float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	return x
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

func must[T any](t *testing.T) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func TestBinaryAgreesWithScikitLearn(t *testing.T) {
	for _, f := range readFixtures(t).Binary {
		t.Run(f.Name, func(t *testing.T) {
			b := must[Binary](t)(ScoreBinary(f.Scores, f.Truth, f.Threshold))
			for _, m := range []struct {
				name      string
				got, want float64
			}{
				{"AUC", b.AUC, f.AUC}, {"accuracy", b.Accuracy(), f.Accuracy}, {"balanced", b.Balanced(), f.Balanced},
				{"precision", b.Precision(), f.Precision}, {"recall", b.Recall(), f.Recall}, {"F1", b.F1(), f.F1},
			} {
				near(t, m.name, m.got, m.want, 1e-12)
			}
			if b.Degenerate() != (f.Name == "all positive") {
				t.Errorf("degenerate: %v", b.Degenerate())
			}
		})
	}
}

func TestClassesAgreeWithScikitLearn(t *testing.T) {
	for _, f := range readFixtures(t).Classes {
		scores := dense(f.Scores)
		predicted := make([]int, len(f.Truth))
		for i, row := range f.Scores {
			for class, s := range row {
				if s > row[predicted[i]] {
					predicted[i] = class
				}
			}
		}
		s := must[Classes](t)(ScoreClasses(predicted, f.Truth, len(f.Recall)))
		near(t, "accuracy", s.Accuracy, f.Accuracy, 1e-12)
		near(t, "balanced", s.Balanced, f.Balanced, 1e-12)
		for class, want := range f.Recall {
			near(t, fmt.Sprint("recall of class ", class), s.Recall[class], want, 1e-12)
		}
		for i, want := range f.TopK {
			near(t, fmt.Sprint("top ", i+1), must[float64](t)(TopK(scores, f.Truth, i+1)), want, 1e-12)
		}
	}
}

func TestVotesAgreeWithScikitLearn(t *testing.T) {
	f := readFixtures(t).Neighbors
	bank := must[*Bank](t)(Supervised(dense(f.Bank), f.Labels, 4))
	type way struct {
		name      string
		knn       KNN
		tolerance float64
	}
	ways := []way{{"processor", KNN{}, 1e-12}}
	for _, eng := range enginetest.All(t) {
		ways = append(ways, way{eng.Kind + ", float32", KNN{Engine: eng}, 2e-5})
	}
	for _, how := range ways {
		for _, c := range f.Cases {
			how.knn.K, how.knn.Temperature = c.K, c.Temperature
			votes := must[*mat.Dense](t)(how.knn.Votes(bank, dense(f.Queries)))
			for i, row := range c.Votes {
				for class, want := range row {
					near(t, fmt.Sprintf("%s, k=%d: vote %d of query %d", how.name, c.K, class, i), votes.At(i, class), want, how.tolerance)
				}
			}
		}
	}
}

func TestIntervalsAgreeWithSciPy(t *testing.T) {
	for _, f := range readFixtures(t).Intervals {
		low, high := must[Summary](t)(Summarize(f.Values, f.Confidence)).Interval()
		near(t, "low end", low, f.Low, 1e-9)
		near(t, "high end", high, f.High, 1e-9)
	}
}

func TestCollapseAgreesWithNumPy(t *testing.T) {
	for _, f := range readFixtures(t).Embeddings {
		t.Run(f.Name, func(t *testing.T) {
			c := must[Collapse](t)(Diagnose(dense(f.X), dense(f.Views)))
			near(t, "alignment", c.Alignment, f.Alignment, 1e-10)
			near(t, "uniformity", c.Uniformity, f.Uniformity, 1e-10)
			near(t, "effective rank", c.EffectiveRank, f.Rank, 1e-9)
			near(t, "mean std", c.MeanStd, f.MeanStd, 1e-10)
			near(t, "mean cosine", c.MeanCosine, f.MeanCosine, 1e-10)
			if c.Collapsed() != (f.Name == "shifted") {
				t.Errorf("collapsed: %v, with mean cosine %g", c.Collapsed(), c.MeanCosine)
			}
		})
	}
}
