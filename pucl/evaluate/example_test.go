package evaluate_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Three positives and two negatives. One positive has a score below 0, and one negative a score between two positives.
// Of the six pairs of a positive and a negative, five are in order.
func ExampleScoreBinary() {
	logits := []float64{2, 1, -1, 0.5, -3}
	truth := []bool{true, true, true, false, false}
	b, err := evaluate.ScoreBinary(logits, truth, 0)
	check(err)
	fmt.Println(b)
	fmt.Println(b.TruePositive, "of", b.TruePositive+b.FalseNegative, "positives found")
	// Output:
	// accuracy 60.0% of 5, balanced 58.3%, precision 66.7%, recall 66.7%, F1 66.7%, AUC 83.3%
	// 2 of 3 positives found
}

// If 70% are positive, "always positive" has an accuracy of 70% and a recall of 1. String states that it is degenerate.
func ExampleScoreBinary_degenerate() {
	logits := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	truth := []bool{true, true, true, true, true, true, true, false, false, false}
	b, err := evaluate.ScoreBinary(logits, truth, 0)
	check(err)
	fmt.Println(b)
	fmt.Println(b.Degenerate(), b.Degeneracy() == evaluate.ConstantScore)
	// Output:
	// accuracy 70.0% of 10, balanced 50.0%, precision 70.0%, recall 100.0%, F1 82.4%, AUC 50.0%; degenerate: every score is the same
	// true true
}

// Ties count as half: the positive at 2 beats the negative at 1 and ties with the one at 2.
func ExampleAUC() {
	auc, err := evaluate.AUC([]float64{2, 2, 1}, []bool{true, false, false})
	check(err)
	fmt.Println(auc)
	// Output:
	// 0.75
}

// The true classes, 2 and 0, have the second-highest and the highest score of their rows.
func ExampleTopK() {
	scores := mat.NewDense(2, 3, []float64{
		0.1, 0.7, 0.2,
		0.5, 0.3, 0.2,
	})
	for k := 1; k <= 2; k++ {
		share, err := evaluate.TopK(scores, []int{2, 0}, k)
		check(err)
		fmt.Println(k, share)
	}
	// Output:
	// 1 0.5
	// 2 1
}

// Two labeled positives and four unlabeled examples, of which an unknown quarter is positive. Both labeled examples and
// one unlabeled example have positive logits: 2·0.25·1 + 0.75 − 0.25 = 1.
func ExampleScorePU() {
	logits := []float64{3, 2, 1, -1, -2, -3}
	labeled := []bool{true, true, false, false, false, false}
	s, err := evaluate.ScorePU(logits, labeled, 0, evaluate.ScoreConfig{Prior: 0.25})
	check(err)
	fmt.Println(s.ProxyAccuracy(), s.LeeLiu())
	// Output:
	// 1 4
}

// The prior is unknown. The second epoch finds one of two labeled positives and predicts fewer unlabeled examples
// positive. The first finds both and wins: 1²/(2/4) is more than 0.5²/(1/4).
func ExampleProxy() {
	labeled := []bool{true, true, false, false, false, false}
	var epochs []evaluate.Epoch
	for i, logits := range [][]float64{{3, 2, 4, 1, -2, -3}, {3, -1, 2, -2, -2, -3}} {
		s, err := evaluate.ScorePU(logits, labeled, 0, evaluate.ScoreConfig{})
		check(err)
		var proxy evaluate.Proxy // nil: Lee–Liu, or proxy accuracy if ScoreConfig gives the prior
		epochs = append(epochs, evaluate.Epoch{Epoch: i + 1, Proxy: proxy.Of(s)})
	}
	s, err := evaluate.Select(epochs)
	fmt.Println(s.WithoutNegatives.Epoch, s.WithoutNegatives.Proxy, err)
	// Output:
	// 1 2 <nil>
}

// The query (1, 0) has cosine 1 to the first row of the bank and 0 to the others. At τ = 1 the rows vote with weights
// e, 1, 1.
func ExampleKNN() {
	bank, err := evaluate.LabeledPositives(mat.NewDense(3, 2, []float64{2, 0, 0, 1, 0, 5}), []bool{true, false, false})
	check(err)
	votes, err := evaluate.KNN{K: 3, Temperature: 1}.Votes(bank, mat.NewDense(1, 2, []float64{1, 0}))
	check(err)
	fmt.Printf("%s: %.4f\n", bank, votes.At(0, 1)) // e/(e+2)
	// Output:
	// labeled positives only (1 of 3 rows): 0.5761
}

// The proxy selects epoch 2, the test set epoch 1. The 93% of epoch 1 can only be selected with the test classes.
func ExampleSelect() {
	s, err := evaluate.Select([]evaluate.Epoch{
		{Epoch: 1, Proxy: 0.88, Test: 0.93},
		{Epoch: 2, Proxy: 0.91, Test: 0.92},
		{Epoch: 3, Proxy: 0.90, Test: 0.90},
	})
	check(err)
	fmt.Println(s)
	// Output:
	// last epoch 90.0% (epoch 3); chosen without negatives 92.0% (epoch 2); oracle 93.0% (epoch 1)
}

// Mean 0.92, standard deviation √0.00025 = 0.0158, t(4, 0.975) = 2.776: the half-width is 2.776·0.0158/√5.
func ExampleSummarize() {
	for _, accuracies := range [][]float64{{0.90, 0.91, 0.92, 0.93, 0.94}, {0.92}} {
		s, err := evaluate.Summarize(accuracies, 0.95)
		check(err)
		fmt.Println(s.Percent())
	}
	// Output:
	// 92.00 ± 1.96% (95% interval, 5 seeds)
	// 92.00% (one seed, no interval)
}

// Two orthogonal embeddings, and two with the same direction.
func ExampleDiagnose() {
	for _, x := range []*mat.Dense{
		mat.NewDense(2, 2, []float64{1, 0, 0, 1}),
		mat.NewDense(2, 2, []float64{1, 1, 2, 2}),
	} {
		c, err := evaluate.Diagnose(x, nil)
		check(err)
		fmt.Println(c)
	}
	// Output:
	// uniformity -4.000, effective rank 2.0 of 2, mean std 0.5000 (spread evenly: 0.7071), mean cosine 0.000
	// uniformity 0.000, effective rank 1.0 of 2, mean std 0.0000 (spread evenly: 0.7071), mean cosine 1.000; collapsed: the embeddings hardly differ
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
