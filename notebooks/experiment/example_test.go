package experiment_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// A table of one method, three seeds, is computed and drawn from stored results. A second request computes nothing.
func Example() {
	grid := experiment.Grid{Name: "a table", Size: experiment.Smoke}
	for seed := range uint64(3) {
		grid.Runs = append(grid.Runs, experiment.Run{
			Setting: "coins", Method: "guessing", Seed: seed, Version: 1, Config: struct{ Throws int }{100},
			Train: func(context.Context, *engine.Engine, experiment.Place) (*experiment.Outcome, error) {
				right := 48 + 2*int(seed) // stands for a training's outcome
				test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalseNegative: 100 - right}}
				return &experiment.Outcome{Points: []experiment.Point{{Test: &test}}}, nil
			},
		})
	}
	folder, err := os.MkdirTemp("", "grid-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	store := &experiment.Store{Folder: filepath.Join(folder, "results")}
	for range 2 {
		cells, err := store.Here(context.Background(), eng, grid, filepath.Join(folder, "work"), io.Discard)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(cells)
		fmt.Println(cells.At("coins", "guessing", "", experiment.Last).Accuracy.Percent())
	}
	// Output:
	// 3 of 3 runs done
	// 50.00 ± 4.97% (95% interval, 3 seeds)
	// 3 of 3 runs done
	// 50.00 ± 4.97% (95% interval, 3 seeds)
}
