package papers

import (
	"bytes"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/mak"
	"github.com/puclab/puclab/pucl/train"
)

// choose selects images of the pool.
func (w openWorld) choose(eng *engine.Engine, m *train.Model, data *world, rule mak.Rule, seed uint64) (*mak.Selection, error) {
	own, err := m.EmbedImages(eng, data.seed.Source)
	if err != nil {
		return nil, err
	}
	other, err := m.EmbedImages(eng, data.pool.Source)
	if err != nil {
		return nil, err
	}
	pool := mak.Pool{Features: other.H}
	if rule == mak.MAK || rule == mak.TailnessProximity || rule == mak.OnlyTailness {
		views, err := w.projections(eng, m, data.pool.Source, seed)
		if err != nil {
			return nil, err
		}
		tailness, err := mak.ECLE(eng, func(pass int) (first, second *mat.Dense, err error) { return views[2*pass], views[2*pass+1], nil },
			mak.ECLEConfig{Passes: w.Passes, Tau: w.Pretrain.Tau, Batch: w.Compared, Seed: seed})
		if err != nil {
			return nil, err
		}
		pool.ECLE = tailness.Mean
	}
	return mak.Select(own.H, pool, mak.Config{Budget: w.Budget, Rule: rule, Seed: seed, Engine: eng})
}

// eclestream separates the draws of these views from others with the same seed.
const eclestream = 0xec1e

// viewBytes limits the bytes of views in memory.
const viewBytes = 1 << 26

// projections returns the projections of the 2M views of every image, view by view.
func (w openWorld) projections(eng *engine.Engine, m *train.Model, images datasets.Source, seed uint64) ([]*mat.Dense, error) {
	in, count := shape(images), 2*w.Passes
	recipe, _ := w.Pretrain.Recipe.Split()
	rngs, out := make([]*rand.Rand, count), make([]*mat.Dense, count)
	for v := range rngs {
		rngs[v] = rand.New(rand.NewPCG(seed, eclestream<<16+uint64(v)))
	}
	together := max(1, viewBytes/(count*in.Height*in.Width*in.Channels))
	for first := 0; first < images.Len(); first += together {
		n := min(together, images.Len()-first)
		index := make([]int, n)
		for i := range index {
			index[i] = first + i
		}
		pixels, err := read(images, index)
		if err != nil {
			return nil, err
		}
		var numbers []float32
		for _, rng := range rngs {
			more, err := recipe.Draw(rng, in, n)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, more...)
		}
		views, _, err := recipe.Bytes(eng, bytes.Repeat(pixels, count), in, numbers)
		if err != nil {
			return nil, err
		}
		e, err := m.Embed(eng, views)
		if err != nil {
			return nil, err
		}
		_, d := e.Z.Dims()
		for v := range out {
			if out[v] == nil {
				out[v] = mat.NewDense(images.Len(), d, nil)
			}
			out[v].Slice(first, first+n, 0, d).(*mat.Dense).Copy(e.Z.Slice(v*n, (v+1)*n, 0, d))
		}
	}
	return out, nil
}
