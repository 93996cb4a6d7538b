package mak

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/rows"
)

// ECLEConfig configures [ECLE]. The zero value has the parameters of the source's code.
type ECLEConfig struct {
	Passes int     // M, pairs of views of each image; 0 means 10
	Tau    float64 // temperature, preferably as in training; 0 means 0.2
	Batch  int     // images compared with each other; 0 means 512
	Seed   uint64  // seed of the batches
}

// Tailness is the empirical contrastive loss expectation of each image of a pool.
type Tailness struct {
	Mean   []float64 // ECLE in nats, one number for each image
	StdErr []float64 // standard error of Mean over the passes; NaN after one pass
	Passes int       // M
}

// ECLE estimates the contrastive loss of every image of a pool over random augmentations, by the mean over M passes.
// The function views returns the projections [n, d] of two new views of every image, in one order, for a pass counted
// from 0; they need not have length one.
//
// The loss is SimCLR's, [pucl.SSCL] in nats, averaged over the two views of an image. Its negatives are both views of
// the other images of a batch: each pass shuffles the pool and splits it into batches. Images from the beginning of the
// order fill the last batch, without contributing a loss, so that every image has 2·Batch − 2 negatives. A pool smaller
// than a batch is one batch. The loss depends on the number of negatives, so compare ECLEs of two pools only for equal
// batches.
//
// It is an error if views fails, changes the number or shape of its results, returns an entry that is not finite or a
// row of zeros, or returns fewer than two images.
//
// Source: equation 2.
func ECLE(eng *engine.Engine, views func(pass int) (first, second *mat.Dense, err error), config ECLEConfig) (*Tailness, error) {
	c := config
	c.Passes, c.Tau, c.Batch = cmp.Or(c.Passes, 10), cmp.Or(c.Tau, 0.2), cmp.Or(c.Batch, 512)
	err := cmp.Or(eng.Check(),
		fault.If(views == nil, "mak: ECLE without views; give a function that returns the projections of two views of every image"),
		fault.If(c.Passes < 1, "mak: %d passes; Passes must be 1 or more, or 0 for 10", c.Passes),
		fault.If(!(c.Tau > 0) || math.IsInf(c.Tau, 1), "mak: temperature %g; Tau must be a positive number, or 0 for 0.2", c.Tau),
		fault.If(c.Batch < 2, "mak: batches of %d images; Batch must be 2 or more, or 0 for 512, since the others are the negatives", c.Batch))
	if err != nil {
		return nil, err
	}
	var losses *lossesOf
	var sum, squares []float64
	for pass := range c.Passes {
		first, second, err := views(pass)
		if err != nil {
			return nil, fmt.Errorf("mak: views of pass %d: %w", pass, err)
		}
		if err := checkViews(first, second, sum, pass); err != nil {
			return nil, err
		}
		n, d := first.Dims()
		if losses == nil {
			if losses, err = newLosses(eng, min(c.Batch, n), d, c.Tau); err != nil {
				return nil, err
			}
			defer losses.exec.Finalize()
			sum, squares = make([]float64, n), make([]float64, n)
		}
		order := rand.New(rand.NewPCG(c.Seed, uint64(pass)^eclestream)).Perm(n)
		for at := 0; at < n; at += losses.batch {
			batch := make([]int, losses.batch)
			for i := range batch {
				batch[i] = order[(at+i)%n]
			}
			loss, err := losses.of(first, second, batch)
			if err != nil {
				return nil, err
			}
			for i, image := range batch[:min(losses.batch, n-at)] {
				sum[image] += loss[i]
				squares[image] += loss[i] * loss[i]
			}
		}
	}
	out := &Tailness{Mean: sum, StdErr: squares, Passes: c.Passes}
	m := float64(c.Passes)
	for i := range sum {
		out.Mean[i] /= m
		variance := max(0, squares[i]/m-out.Mean[i]*out.Mean[i]) * m / (m - 1)
		out.StdErr[i] = math.Sqrt(variance / m)
		if c.Passes == 1 {
			out.StdErr[i] = math.NaN()
		}
	}
	return out, nil
}

// eclestream separates the random stream of ECLE from other streams of the same seed.
const eclestream = 0x65636c65 // "ecle" in ASCII

// checkViews returns an error unless both views have the images of earlier passes; known has one number per image.
func checkViews(first, second *mat.Dense, known []float64, pass int) error {
	for i, x := range []*mat.Dense{first, second} {
		if err := checkFeatures(x, fmt.Sprintf("view %d of pass %d", i+1, pass)); err != nil {
			return err
		}
	}
	n, d := first.Dims()
	m, e := second.Dims()
	return cmp.Or(
		fault.If(n != m || d != e, "mak: pass %d has views [%d, %d] and [%d, %d]; both must be of the same images, a row for each", pass, n, d, m, e),
		fault.If(n < 2, "mak: a pool of %d image, which has no other image for a negative; give two or more", n),
		fault.If(known != nil && len(known) != n, "mak: pass %d has %d images and those before %d; give the whole pool in every pass", pass, n, len(known)))
}

// checkFeatures returns an error if x has no rows or a row without a direction.
func checkFeatures(x *mat.Dense, what string) error {
	if x == nil || x.IsEmpty() {
		return fmt.Errorf("mak: %s without features; embed its images by a model that was trained on the seed set, Model.EmbedImages", what)
	}
	if err := rows.CheckFinite(x); err != nil {
		return fmt.Errorf("mak: %s cannot be compared: %s", what, withoutPackage(err))
	}
	n, _ := x.Dims()
	for i := range n {
		if mat.Norm(x.RowView(i), math.Inf(1)) == 0 {
			return fmt.Errorf("mak: row %d of %s is all zeros and has no direction; leave the image out", i, what)
		}
	}
	return nil
}

// lossesOf computes the losses of the images of a batch.
type lossesOf struct {
	batch, d int
	exec     *Exec
	z        []float32
}

func newLosses(eng *engine.Engine, batch, d int, tau float64) (*lossesOf, error) {
	exec, err := NewExec(eng.Backend, func(z *Node) *Node {
		nobody := Const(z.Graph(), make([]bool, batch))
		perAnchor := pucl.SSCL().PerAnchor(pucl.Views{Z: z, Labeled: nobody}, tau)
		return ReduceMean(Reshape(perAnchor, 2, batch), 0)
	})
	if err != nil {
		return nil, fmt.Errorf("mak: building the loss: %w", err)
	}
	return &lossesOf{batch, d, exec, make([]float32, 2*batch*d)}, nil
}

// of returns the loss of each image of the batch.
func (l *lossesOf) of(first, second *mat.Dense, batch []int) ([]float64, error) {
	for v, view := range []*mat.Dense{first, second} {
		for i, image := range batch {
			for j, value := range view.RawRowView(image) {
				l.z[(v*l.batch+i)*l.d+j] = float32(value)
			}
		}
	}
	z := tensors.FromFlatDataAndDimensions(l.z, 2*l.batch, l.d)
	defer z.MustFinalizeAll()
	out, err := l.exec.Call1(z)
	if err != nil {
		return nil, fmt.Errorf("mak: the losses of a batch: %w", err)
	}
	defer out.MustFinalizeAll()
	loss := make([]float64, l.batch)
	err = tensors.ConstFlatData(out, func(flat []float32) {
		for i, value := range flat {
			loss[i] = float64(value)
		}
	})
	return loss, err
}
