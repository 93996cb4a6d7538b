package evaluate_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

// hashed turns a number into one from −1/2 to 1/2 that looks random.
func hashed(x float64) float64 {
	x = math.Sin(x) * 43758.5453
	return x - math.Floor(x) - 0.5
}

// clusters returns n rows of 128 entries in ten classes that overlap, from the row with the given number on; peers/rows.py makes
// the same.
func clusters(first, n int) (rows *mat.Dense, classes []int) {
	const d = 128
	rows, classes = mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		classes[i] = (first + i) % 10
		row := rows.RawRowView(i)
		for j := range row {
			row[j] = hashed(float64((first+i)*d+j+1)) + 0.15*hashed(float64(classes[i]*d+j)+0.5)
		}
	}
	return rows, classes
}

// BenchmarkKNN classifies 10,000 queries by their 200 nearest among 60,000 rows of 128 entries, from rows as they are to
// classes. peers/step.py sets it beside others.
func BenchmarkKNN(b *testing.B) {
	b.Run("engine", func(b *testing.B) { benchmarkKNN(b, evaluate.KNN{K: 200, Engine: enginetest.Found(b)}) })
	b.Run("processor", func(b *testing.B) { benchmarkKNN(b, evaluate.KNN{K: 200}) })
}

func benchmarkKNN(b *testing.B, knn evaluate.KNN) {
	rows, classes := clusters(0, 60000)
	queries, _ := clusters(60000, 10000)
	var predicted []int
	classify := func() {
		bank := expect.Must(evaluate.Supervised(rows, classes, 10))(b)
		predicted = expect.Must(knn.Predict(bank, queries))(b)
	}
	classify()
	var times []float64
	for b.Loop() {
		start := time.Now()
		classify()
		times = append(times, time.Since(start).Seconds()*1e3)
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "median-ms")
	if path := os.Getenv("PUCL_PEERS_CLASSES"); path != "" {
		expect.NoError(b, os.WriteFile(path, []byte(strings.Trim(fmt.Sprint(predicted), "[]")), 0o644))
	}
}
