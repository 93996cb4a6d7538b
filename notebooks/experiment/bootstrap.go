package experiment

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// bootstrapResamples is the number of resamples: its percentiles have a standard error of a few hundredths of the
// interval's length.
const bootstrapResamples = 10_000

// PairedBootstrap returns the ends of the 95% percentile interval of the mean of [Cells.PairedBy] by a cluster
// bootstrap. A resample draws as many groups as there are, with replacement, and as many subgroups of each drawn
// group, such as the settings of a table. The differences of a subgroup are averaged first. The resamples are the
// same in every call. Both ends are NaN with fewer than two groups.
func (c *Cells) PairedBootstrap(cluster, within func(Run) string, a, b Series,
	difference func(a, b []Point) (float64, bool)) (low, high float64) {
	groups := map[string]clusters{}
	runs, of := c.differences(a, b, difference)
	for i, run := range runs {
		if groups[cluster(run)] == nil {
			groups[cluster(run)] = clusters{}
		}
		groups[cluster(run)][within(run)] = append(groups[cluster(run)][within(run)], of[i])
	}
	var means [][]float64 // by group and subgroup
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if of := groups[name].means(); len(of) > 0 {
			means = append(means, of)
		}
	}
	if len(means) < 2 {
		return math.NaN(), math.NaN()
	}
	random := rand.New(rand.NewPCG(1, 0xb007))
	resampled := make([]float64, bootstrapResamples)
	for i := range resampled {
		for range means {
			group := means[random.IntN(len(means))]
			for range group {
				resampled[i] += group[random.IntN(len(group))] / float64(len(group)*len(means))
			}
		}
	}
	slices.Sort(resampled)
	return stat.Quantile(0.025, stat.Empirical, resampled, nil), stat.Quantile(0.975, stat.Empirical, resampled, nil)
}
