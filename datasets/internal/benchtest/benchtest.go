// Package benchtest provides the steps shared by benchmarks of data sets.
package benchtest

import (
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
)

// batchSize is the batch size of datasets/peers/torchvision_loader.py, which processes the same files.
const batchSize = 256

// Epoch splits images and cuts one epoch into batches. It returns the number of examples.
func Epoch(b *testing.B, images *datasets.Images, cfg datasets.SplitConfig) (seen int) {
	b.Helper()
	cfg.Labeled = 1000
	pu := expect.Must(datasets.NewPU(images, cfg))(b)
	batches := expect.Must(datasets.NewBatches(pu, datasets.BatchConfig{Size: batchSize}))(b)
	for step := range batches.StepsPerEpoch() {
		_, labeled := expect.Must2(batches.Batch(step))(b)
		seen += len(labeled)
	}
	return seen
}

// Throughput measures f, which returns a number of images, in images per second.
func Throughput(b *testing.B, f func() int) {
	images := 0
	for b.Loop() {
		images += f()
	}
	b.ReportMetric(float64(images)/b.Elapsed().Seconds(), "images/s")
}
