package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/cifar"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/pucl/pu"
)

// task is a data set of the study. Seeds is the number of draws where no flag sets it.
type task struct {
	kind, name string
	seeds      int
	open       func(seed uint64) (*draw, error)
}

// draw is one draw of a task. The held-out PU data and the test set share no example with data.
type draw struct {
	data, held, test *pu.Dataset
	prior            float64 // share of positives among the unlabeled images; 0 for rows
	folder           string  // a temporary folder
}

// amounts are the numbers of examples of an image task.
type amounts struct{ labeled, unlabeled, heldLabeled, heldUnlabeled, test int }

var (
	full = amounts{labeled: 500, unlabeled: 2500, heldLabeled: 100, heldUnlabeled: 500, test: 2000}
	few  = amounts{labeled: 75, unlabeled: 375, heldLabeled: 100, heldUnlabeled: 500, test: 2000}
)

// tasks returns the data sets of the study.
func tasks(root string) []task {
	var all []task
	for _, name := range papers.TableNames() {
		all = append(all, task{"rows", name, 3, func(seed uint64) (*draw, error) { return drawTable(name, seed) }})
	}
	all = append(all, task{"rows", "patients", 3, func(seed uint64) (*draw, error) { return drawPatients(root, seed) }})
	for _, name := range []string{"FMNIST-I", "FMNIST-II", "CIFAR-I"} {
		open := func(seed uint64) (*draw, error) { return drawBenchmark(name, full, seed) }
		all = append(all, task{"images", name, 2, open})
	}
	for _, p := range pictures {
		all = append(all, task{"images", p.name, 2, func(seed uint64) (*draw, error) { return p.draw(full, seed) }})
	}
	for _, name := range []string{"FMNIST-I", "CIFAR-I"} {
		all = append(all, task{"small", name, 2, func(seed uint64) (*draw, error) { return drawBenchmark(name, few, seed) }})
	}
	return all
}

// drawTable draws from a UCI table.
func drawTable(name string, seed uint64) (*draw, error) {
	t, err := papers.DrawTable(name, seed)
	if err != nil {
		return nil, err
	}
	d := &draw{}
	for _, part := range []struct {
		to      **pu.Dataset
		x       *mat.Dense
		labeled []bool
	}{{&d.data, t.X, t.Labeled}, {&d.held, t.Held, t.HeldLabeled}, {&d.test, t.Test, nil}} {
		if *part.to, err = pu.Features(part.x, part.labeled); err != nil {
			return nil, err
		}
	}
	d.data.CaseControl, d.held.CaseControl, d.test.Truth = true, true, t.Truth
	return d, nil
}

// drawPatients splits the table of patients, one sample of which 105 rows are labeled. A fifth of the labeled and of
// the unlabeled rows is held out, and a fifth of the unlabeled rows is the test set.
func drawPatients(root string, seed uint64) (*draw, error) {
	folder := filepath.Join(root, "datasets", "tabular", "testdata")
	all, err := pu.OpenTable(filepath.Join(folder, "patients.csv"), pu.TableConfig{Label: "status", Skip: []string{"id"}})
	if err != nil {
		return nil, fmt.Errorf("%w; set -root to the folder of the module", err)
	}
	truth, err := pu.OpenTable(filepath.Join(folder, "patients-truth.csv"), pu.TableConfig{
		Label: "truth", Positive: []string{"1"}, Truth: true})
	if err != nil {
		return nil, err
	}
	all.Truth = truth.Truth
	var labeled, unlabeled []int
	for _, i := range rand.New(rand.NewPCG(seed, 0x9a71e)).Perm(all.Len()) {
		if all.Labeled[i] {
			labeled = append(labeled, i)
		} else {
			unlabeled = append(unlabeled, i)
		}
	}
	l, u := len(labeled)/5, len(unlabeled)/5
	d := &draw{}
	if d.data, err = all.Select(slices.Concat(labeled[l:], unlabeled[2*u:])); err != nil {
		return nil, err
	}
	if d.held, err = all.Select(slices.Concat(labeled[:l], unlabeled[u:2*u])); err != nil {
		return nil, err
	}
	d.test, err = all.Select(unlabeled[:u])
	d.data.Truth = nil
	return d, err
}

// drawBenchmark draws from the training and the test images of a benchmark.
func drawBenchmark(name string, a amounts, seed uint64) (*draw, error) {
	b, err := datasets.FindBenchmark(name)
	if err != nil {
		return nil, err
	}
	training, test, err := images(b.Set)
	if err != nil {
		return nil, err
	}
	config, err := b.Config(training.Classes)
	if err != nil {
		return nil, err
	}
	config.Draw, config.Seed = datasets.Balanced, seed
	order := rand.New(rand.NewPCG(seed, 0xd2a3)).Perm(training.Len())
	const held = 6000 // training images of which the held-out PU data are drawn
	d := &draw{prior: b.Prior()}
	for _, part := range []struct {
		to                 **pu.Dataset
		index              []int
		labeled, unlabeled int
	}{
		{&d.held, order[:held], a.heldLabeled, a.heldUnlabeled}, {&d.data, order[held:], a.labeled, a.unlabeled},
	} {
		pool, err := training.Select(part.index)
		if err != nil {
			return nil, err
		}
		config.Labeled, config.Unlabeled = part.labeled, part.unlabeled
		split, err := datasets.NewSplit(pool.Labels, pool.Classes, config)
		if err != nil {
			return nil, err
		}
		if *part.to, err = datasetOf(pool, split.Index, split.Labeled); err != nil {
			return nil, err
		}
		(*part.to).CaseControl = true
	}
	index := rand.New(rand.NewPCG(seed, 0x7e57)).Perm(test.Len())[:a.test]
	if d.test, err = datasetOf(test, index, nil); err != nil {
		return nil, err
	}
	for _, i := range index {
		d.test.Truth = append(d.test.Truth, slices.Contains(config.Positive, test.Labels[i]))
	}
	return d, nil
}

// datasetOf returns images as a data set of package pu.
func datasetOf(images *datasets.Images, index []int, labeled []bool) (*pu.Dataset, error) {
	some, err := images.Select(index)
	if err != nil {
		return nil, err
	}
	return pu.Images(some.Pixels, pu.Shape{Height: some.Height, Width: some.Width, Channels: some.Channels}, labeled)
}

// images reads a data set. Copies of CIFAR-10 that are not the official files are accepted.
func images(set string) (training, test *datasets.Images, err error) {
	if set == "Fashion-MNIST" {
		training, test, _, err = fashionmnist.Open()
		return training, test, err
	}
	archive, err := datasets.FindArchive("cifar-10")
	if err != nil {
		return nil, nil, err
	}
	dir, err := archive.Find()
	if err != nil {
		return nil, nil, err
	}
	options := cifar.Options{AnyContent: true}
	if training, err = cifar.Load10(os.DirFS(dir), cifar.Train, options); err != nil {
		return nil, nil, err
	}
	test, err = cifar.Load10(os.DirFS(dir), cifar.Test, options)
	return training, test, err
}

// asRows returns d with a row of pixels for each image.
func (d *draw) asRows() (*draw, error) {
	out := &draw{prior: d.prior, folder: d.folder}
	for _, part := range []struct {
		to   **pu.Dataset
		from *pu.Dataset
	}{{&out.data, d.data}, {&out.held, d.held}, {&out.test, d.test}} {
		from := part.from
		x := mat.NewDense(from.Len(), len(from.Pixels)/from.Len(), nil)
		for i, value := range from.Pixels {
			x.RawMatrix().Data[i] = float64(value) / 255
		}
		rows, err := pu.Features(x, from.Labeled)
		if err != nil {
			return nil, err
		}
		rows.CaseControl, rows.Truth = from.CaseControl, from.Truth
		*part.to = rows
	}
	return out, nil
}
