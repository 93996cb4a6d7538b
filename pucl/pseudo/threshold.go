package pseudo

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// bestBin returns an estimate of the share of positives among unlabeled rows from scores of unlabeled and labeled rows.
// The share of the unlabeled above a threshold divided by that of the labeled is the prior if no negative scores that
// high, and otherwise more. bestBin uses the threshold with the lowest upper limit of the ratio, by the bounds of
// Dvoretzky, Kiefer and Wolfowitz, which hold at all thresholds at once in 9 of 10 samples.
//
// It is BBE of package prior with γ = 0 instead of 0.01, which sometimes changes the threshold, and without the minimum
// of ten rows.
func bestBin(labeled, unlabeled []float64) float64 {
	const missed = 0.1
	labeled, unlabeled = slices.Sorted(slices.Values(labeled)), slices.Sorted(slices.Values(unlabeled))
	above := func(sorted []float64, threshold float64) float64 {
		return 1 - float64(sort.SearchFloat64s(sorted, threshold))/float64(len(sorted))
	}
	limit := func(n int) float64 { return math.Sqrt(math.Log(4/missed) / float64(2*n)) }
	slack := limit(len(labeled)) + limit(len(unlabeled))
	best, prior := math.Inf(1), 1.0
	for _, threshold := range labeled {
		of, share := above(labeled, threshold), above(unlabeled, threshold)
		if upper := (share + slack) / of; upper < best {
			best, prior = upper, min(share/of, 1)
		}
	}
	return prior
}

// threshold labels the share Prior of the unlabeled rows with the highest scores true. It leaves out the share trim of
// either side nearest to the threshold, and returns the other rows, which it marks in Clear, with their labels. Of
// equal scores the row earlier in unlabeled counts as higher.
func (l *Labels) threshold(unlabeled []int, trim float64) (clear []int, labels []bool) {
	order := slices.Clone(unlabeled)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.Scores[b], l.Scores[a]) })
	positive := portion(l.Prior, len(order))
	l.Clear = make([]bool, len(l.Scores))
	for place, row := range order {
		isPositive := place < positive
		if isPositive && place >= positive-portion(trim, positive) ||
			!isPositive && place < positive+portion(trim, len(order)-positive) {
			continue
		}
		l.Clear[row] = true
		clear, labels = append(clear, row), append(labels, isPositive)
	}
	return clear, labels
}

// portion returns a share of n, rounded.
func portion(share float64, n int) int { return int(math.Round(share * float64(n))) }
