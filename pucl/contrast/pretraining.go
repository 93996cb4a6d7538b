package contrast

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/train"
)

// Pretraining configures how a contrastive method pretrains its encoder. The zero value adapts to the data: see
// [Pretraining.For].
type Pretraining struct {
	train.Config                      // Seed and Checkpoint are those of the call
	Batch        datasets.BatchConfig // Seed is that of the call
	Corruption   float64              // share of the features of a row that a view replaces; 0 means 0.6. Rows only

	// Network is a trained encoder, used without further pretraining. Nil pretrains one.
	Network *train.Model

	// ImageBatches and RowBatches make the training batches for an encoder of images or of rows, instead of Batch and
	// Corruption. The argument marks the labeled positives [n] that the batches must treat as unlabeled; it is nil for
	// none. Nil functions make the batches by Batch and Corruption.
	ImageBatches func(hidden []bool) (train.Batches, error)
	RowBatches   func(hidden []bool) (train.FeatureBatches, error)
}

// For returns p with its zero fields filled in for the data:
//
//   - Batch.Size: half of the examples, at most 256 and at least 2; Batch.Share: a quarter, or the labeled share if
//     that is larger.
//   - Steps: 600.
//   - Encoder: for images a SmallCNN that subtracts the mean of the training pixels and divides by their standard
//     deviation; for rows an MLP.
//   - Recipe: for gray images crop and jitter of brightness and contrast; for color images crop, flip, jitter of
//     brightness, contrast, saturation and hue, and gray views with probability 0.2, so that an encoder cannot
//     recognize an image by its colors alone.
func (p Pretraining) For(data learn.Data) Pretraining {
	positive, unlabeled := data.Counts()
	n := positive + unlabeled
	p.Batch.Size = cmp.Or(p.Batch.Size, min(256, max(2, n/2)))
	if p.Batch.Share == 0 {
		p.Batch.Share = max(0.25, math.Floor(float64(positive)/float64(n)*float64(p.Batch.Size))/float64(p.Batch.Size))
	}
	p.Steps = cmp.Or(p.Steps, 600)
	if !data.Images() {
		p.Corruption = cmp.Or(p.Corruption, 0.6)
		if p.Encoder == nil {
			p.Encoder = encoder.MLP{}
		}
		return p
	}
	if p.Encoder == nil {
		p.Encoder = SmallCNN(data.Pixels)
	}
	if p.Recipe == nil {
		p.Recipe = augment.Recipe{augment.CropJitter{}}
		if data.Shape.Channels == 3 {
			p.Recipe = augment.Recipe{
				augment.Crop{MinArea: 0.25}, augment.Flip{Probability: 0.5}, augment.Jitter{},
				augment.Grayscale{Probability: 0.2},
			}
		}
	}
	return p
}

// SmallCNN returns an encoder.SmallCNN that subtracts the mean of the pixels and divides by their standard deviation,
// both to six digits. Constant pixels are divided by 1.
func SmallCNN(pixels []uint8) encoder.Encoder {
	var counts [256]int
	for _, p := range pixels {
		counts[p]++
	}
	n, mean, variance := float64(len(pixels)), 0.0, 0.0
	for value, count := range counts {
		mean += float64(value) / 255 * float64(count) / n
	}
	for value, count := range counts {
		d := float64(value)/255 - mean
		variance += d * d * float64(count) / n
	}
	if variance == 0 {
		variance = 1
	}
	round := func(x float64) float64 { return math.Round(x*1e6) / 1e6 }
	return encoder.SmallCNN{Mean: max(round(mean), 1e-6), Std: round(math.Sqrt(variance))} // 0 means a default
}

// check returns an error if p is invalid for the data.
func (p Pretraining) check(name string, data learn.Data) error {
	positive, _ := data.Counts()
	if err := cmp.Or(
		fault.If(positive < 2 && p.Network == nil, "contrast: %s with %d labeled positive; contrast attracts labeled "+
			"positives to each other and needs 2: label more, or use Logistic for rows or a baseline for images",
			name, positive),
		fault.If(p.Seed != 0 || p.Checkpoint != "" || p.Batch.Seed != 0, "contrast: %s with a Seed or a Checkpoint of "+
			"its own; set those of pu.Config or learn.Run, from which all others follow", name),
		fault.If(data.Images() && (p.Corruption != 0 || p.RowBatches != nil), "contrast: %s with Corruption %g or "+
			"RowBatches, which make views of rows; leave both zero for images", name, p.Corruption),
		fault.If(!data.Images() && (p.Recipe != nil || p.ImageBatches != nil), "contrast: %s with a Recipe or "+
			"ImageBatches, which make views of images; leave both nil for rows", name),
	); err != nil || p.Network != nil || p.ImageBatches != nil || p.RowBatches != nil {
		return err
	}
	s, err := p.source(data, learn.Run{})
	switch {
	case err != nil:
	case s.images != nil:
		_, err = s.images(nil)
	default:
		_, err = s.rows(nil)
	}
	return err
}

// describe describes the settings that p changes, defaults not filled in.
func (p Pretraining) describe() string {
	var parts []string
	add := func(given bool, format string, args ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(p.Objective.Name != "", "%s", p.Objective.Name)
	add(p.Tau != 0, "τ %g", p.Tau)
	add(p.Steps != 0, "%d steps", p.Steps)
	add(p.LearningRate != 0, "learning rate %g", p.LearningRate)
	add(p.Recipe != nil, "views %s", p.Recipe)
	if p.Encoder != nil {
		add(true, "encoder %s", encoder.Describe(p.Encoder))
	}
	add(p.Projection != 0, "projection %d-d", p.Projection)
	add(p.Batch.Size != 0, "batches of %d", p.Batch.Size)
	add(p.Batch.Share != 0, "share %g", p.Batch.Share)
	add(p.Corruption != 0, "corruption %g", p.Corruption)
	add(p.Network != nil, "a given network")
	add(p.ImageBatches != nil || p.RowBatches != nil, "batches of its own")
	return strings.Join(parts, ", ")
}
