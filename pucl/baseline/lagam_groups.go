package baseline

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/pucl/cluster"
)

// projections builds the graph of a network's projections in inference mode.
func projections(p pass) *Node {
	return ConvertDType(project(p.scope, "projector", p.h, false), dtypes.Float32)
}

// regroup groups all examples by their current projections: at the end of the warm-up, and after every later epoch.
func (m LaGAM) regroup(r *run, done int) error {
	epochs := r.done(done) >= m.Warmup && done%r.perEpoch() == 0
	if done == r.config.Settings.Steps || !epochs && !r.passes(m.Warmup, done) {
		return nil
	}
	x, err := r.reader.score(r.data.Examples)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(x, isInfiniteOrNaN) {
		return nil // the loop ends the run and reports the layer
	}
	n := len(r.data.Labeled)
	means := cluster.KMeans{K: different(x, len(x)/n, m.Groups), Rounds: 20, Seed: r.config.Seed ^ groupStream ^ uint64(done)}
	found, err := means.Fit(cluster.Dense(mat.NewDense(n, len(x)/n, x)))
	if err != nil {
		return fmt.Errorf("baseline: LaGAM's groups after step %d: %w", done, err)
	}
	groups := make([]float64, n)
	for i, group := range found.Labels {
		groups[i] = float64(group + 1) // 0 means none
	}
	return r.keep("groups", groups)
}

// different returns the number of different rows of d numbers, counted up to most.
func different(x []float64, d, most int) int {
	var found [][]float64
	for row := range slices.Chunk(x, d) {
		if len(found) == most {
			break
		}
		if !slices.ContainsFunc(found, func(other []float64) bool { return slices.Equal(row, other) }) {
			found = append(found, row)
		}
	}
	return len(found)
}
