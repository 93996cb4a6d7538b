package papers

import (
	"fmt"
	"math/rand/v2"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
)

// viewsStream separates the draws of these views from others with the same seed.
const viewsStream = 0x71e35

// viewsOf returns a view of every held-out image, for comparing the predictions on both.
func (o *opened) viewsOf(eng *engine.Engine, recipe augment.Recipe, seed uint64) (*datasets.Images, error) {
	n := o.held.images.Len()
	pixels, err := read(o.held.images, rows.All(n))
	if err != nil {
		return nil, err
	}
	in := shape(o.held.images)
	recipe, _ = recipe.Split()
	numbers, err := recipe.Draw(rand.New(rand.NewPCG(seed, viewsStream)), in, n)
	if err != nil {
		return nil, fmt.Errorf("papers: %w", err)
	}
	views, out, err := recipe.Bytes(eng, pixels, in, numbers)
	if err != nil {
		return nil, fmt.Errorf("papers: %w", err)
	}
	return &datasets.Images{
		Pixels: views, Height: out.Height, Width: out.Width, Channels: out.Channels, Labels: make([]int, n), Classes: []string{"view"},
	}, nil
}

// agreement returns, as values of a point, the agreement in sign between logits of examples and of their views.
func agreement(own, views []float64) (map[string]float64, error) {
	positive := func(logits []float64) []bool {
		out := make([]bool, len(logits))
		for i, t := range logits {
			out[i] = t > 0
		}
		return out
	}
	kappa, err := evaluate.Kappa(positive(own), positive(views))
	return map[string]float64{experiment.ViewsAgree: kappa}, err
}
