package train_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// A table of one's own, from CSV to pseudo-labels: 600 patients with six measurements each, of whom every second is ill and a
// third of the ill are labeled. In the ill all measurements are higher by twice their spread.
func ExamplePretrainFeatures() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 0))
	var file strings.Builder
	file.WriteString("a,b,c,d,e,f,diagnosis\n")
	for i := range 600 {
		for range 6 {
			fmt.Fprintf(&file, "%.3f,", 2*float64(i%2)+rng.NormFloat64())
		}
		file.WriteString([]string{"well\n", "ill\n"}[i%2])
	}

	table, err := tabular.ReadCSV(strings.NewReader(file.String()), tabular.CSV{Label: "diagnosis"})
	if err != nil {
		fmt.Println(err)
		return
	}
	table.Standardize() // returns the numbers by which new rows are brought to the same scale
	split, err := datasets.NewSplit(table.Labels, table.Classes, datasets.SplitConfig{
		Positive: []int{0}, // "ill": classes are numbered in the order of their names
		Labeled:  100, Setting: datasets.SingleDataset, Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	batches, err := tabular.NewBatches(table, split, nil, datasets.BatchConfig{Size: 64, Share: 0.25, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := train.PretrainFeatures(context.Background(), eng, batches, train.Config{
		Steps: 100, Encoder: encoder.MLP{Hidden: []int{32}, Dim: 16}, Projection: 8, Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	embedding, err := model.EmbedFeatures(eng, table.Features)
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := rows.Take(rows.Unit(embedding.Z), split.Index)
	if err != nil {
		fmt.Println(err)
		return
	}
	clusters, err := cluster.PUPL(z, split.Labeled, cluster.Config{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	score, err := evaluate.Count(clusters.Positive[split.NumLabeled():], split.Positive[split.NumLabeled():])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(split)
	fmt.Println("more than 90% right:", score.Accuracy() > 0.9)
	// Output:
	// PU data (single-dataset): 100 labeled positives, 500 unlabeled, prior π = 0.4, γ = 0.2, seed 1, positive: ill
	// more than 90% right: true
}
