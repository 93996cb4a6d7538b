package evaluate

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
)

// fixtures holds the output of testdata/make_fixtures.py.
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
	data := expect.Must(os.ReadFile("testdata/sklearn.json"))(t)
	var f fixtures
	expect.NoError(t, json.Unmarshal(data, &f))
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
	expect.That(t, math.Abs(got-want) <= tolerance, "%s = %.12g, want %.12g", what, got, want)
}

func TestBinaryAgreesWithScikitLearn(t *testing.T) {
	for _, f := range readFixtures(t).Binary {
		t.Run(f.Name, func(t *testing.T) {
			b := expect.Must(ScoreBinary(f.Scores, f.Truth, f.Threshold))(t)
			for _, m := range []struct {
				name      string
				got, want float64
			}{
				{"AUC", b.AUC, f.AUC}, {"accuracy", b.Accuracy(), f.Accuracy}, {"balanced", b.Balanced(), f.Balanced},
				{"precision", b.Precision(), f.Precision}, {"recall", b.Recall(), f.Recall}, {"F1", b.F1(), f.F1},
			} {
				near(t, m.name, m.got, m.want, 1e-12)
			}
			expect.That(t, b.Degenerate() == (f.Name == "all positive"), "degenerate: %v", b.Degenerate())
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
		s := expect.Must(ScoreClasses(predicted, f.Truth, len(f.Recall)))(t)
		near(t, "accuracy", s.Accuracy, f.Accuracy, 1e-12)
		near(t, "balanced", s.Balanced, f.Balanced, 1e-12)
		for class, want := range f.Recall {
			near(t, fmt.Sprint("recall of class ", class), s.Recall[class], want, 1e-12)
		}
		for i, want := range f.TopK {
			near(t, fmt.Sprint("top ", i+1), expect.Must(TopK(scores, f.Truth, i+1))(t), want, 1e-12)
		}
	}
}

func TestVotesAgreeWithScikitLearn(t *testing.T) {
	f := readFixtures(t).Neighbors
	bank := expect.Must(Supervised(dense(f.Bank), f.Labels, 4))(t)
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
			votes := expect.Must(how.knn.Votes(bank, dense(f.Queries)))(t)
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
		low, high := expect.Must(Summarize(f.Values, f.Confidence))(t).Interval()
		near(t, "low end", low, f.Low, 1e-9)
		near(t, "high end", high, f.High, 1e-9)
	}
}

func TestCollapseAgreesWithNumPy(t *testing.T) {
	for _, f := range readFixtures(t).Embeddings {
		t.Run(f.Name, func(t *testing.T) {
			c := expect.Must(Diagnose(dense(f.X), dense(f.Views)))(t)
			near(t, "alignment", c.Alignment, f.Alignment, 1e-10)
			near(t, "uniformity", c.Uniformity, f.Uniformity, 1e-10)
			near(t, "effective rank", c.EffectiveRank, f.Rank, 1e-9)
			near(t, "mean std", c.MeanStd, f.MeanStd, 1e-10)
			near(t, "mean cosine", c.MeanCosine, f.MeanCosine, 1e-10)
			expect.That(t, c.Collapsed() == (f.Name == "shifted"),
				"collapsed: %v, with mean cosine %g", c.Collapsed(), c.MeanCosine)
		})
	}
}
