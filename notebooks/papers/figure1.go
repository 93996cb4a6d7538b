package papers

import (
	"fmt"
	"math"
	"strings"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/viz"
)

// figure1 names the grid of figures 1 and 6.
const figure1 = "figure-1"

// Shares are the fractions of labeled images, n_P/N, in [Supervision]. The paper's figures call them γ.
func Shares() []float64 { return []float64{0.01, 0.05, 0.1, 0.2, 0.5} }

// Supervision is figures 1 and 6 of "Contrastive Positive Unlabeled Learning": encoders by each loss of Table 1 with
// increasing numbers of labels and constant n_P + n_U, watched during training. ssCL uses no labels and is trained once
// for all shares. Batches have no forced labels, so a larger share means more labels in a batch.
//
// The paper uses Imagewoof against Imagenette, and so does size paper. At smaller sizes six classes of Fashion-MNIST
// replace them, again with half of the images positive, so half of all images labeled leaves hardly any positive
// unlabeled. They are trousers, coats and sneakers against similar classes, dresses, pullovers and sandals.
func Supervision(size experiment.Size) (experiment.Grid, error) {
	list, err := supervised(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: figure1, Size: size}
	for seed := range uint64(list[0].Seeds) {
		for _, s := range list {
			if s.Data.Labeled == 0 {
				grid.Runs = append(grid.Runs, s.watched("ssCL", pucl.SSCL(), seed+1))
				continue
			}
			for _, o := range []pucl.Objective{pucl.SCLPU(), pucl.PUCL()} {
				grid.Runs = append(grid.Runs, s.watched(o.Name, o, seed+1))
			}
		}
	}
	return grid, nil
}

// supervised returns the settings of [Supervision] at a size, starting with the one without labels.
func supervised(size experiment.Size) ([]setting, error) {
	var s setting
	shares := Shares()
	switch size {
	case experiment.Smoke:
		s, shares = smoke(), []float64{0.05, 0.5}
		s.Data.Negative, s.Bank = lookAlikes, 500
	case experiment.Laptop:
		s = laptopFashion("FMNIST-I", 0, nil)
		s.Data.Negative = lookAlikes
		s.Pretrain.Steps, s.Bank, s.Seeds = 1000, 5000, 3
	case experiment.Paper:
		s = woofAndNette()
	default:
		return nil, size.Unknown()
	}
	return overShares(s, figureTask(size), shares)
}

// overShares returns a setting of a task without labels, and then with shares of its images labeled, at most 0.99 of
// the positives, so that some stay unlabeled.
func overShares(s setting, task string, shares []float64) (list []setting, err error) {
	benchmark, err := datasets.FindBenchmark(s.Data.Benchmark)
	if err != nil {
		return nil, fmt.Errorf("papers: %w", err)
	}
	positives, all := s.Data.counts(benchmark)
	s.Data.Single, s.Batch.Share = true, 0
	for _, share := range append([]float64{0}, shares...) {
		s.Name, s.Data.Labeled = ShareAt(task, share), int(math.Round((1-s.Data.HeldOut)*min(share*all, 0.99*positives)))
		list = append(list, s)
	}
	return withBenchmarks(list)
}

// lookAlikes are the pullover, the dress and the sandal.
var lookAlikes = []int{2, 3, 5}

// ShareAt names the setting of a task with such a share of all images labeled, 0 meaning none.
func ShareAt(task string, share float64) string {
	if share == 0 {
		return task + ", none labeled"
	}
	return fmt.Sprintf("%s, %g of all labeled", task, share)
}

// figureTask names the task of [Supervision] and [Parametric] at a size, for [ShareAt].
func figureTask(size experiment.Size) string {
	switch size {
	case experiment.Paper:
		return "Woof-vs-Nette"
	case experiment.Smoke:
		return "FMNIST look-alikes built in"
	}
	return "FMNIST look-alikes"
}

// Task returns the task of the watched runs of these cells, for [ShareAt]: of several tasks the last one.
func Task(cells *experiment.Cells) (task string) {
	for _, s := range cells.Standings {
		if name, ok := strings.CutSuffix(s.Run.Setting, ShareAt("", 0)); ok {
			task = name
		}
	}
	return task
}

// CurvesOverShares returns a curve for each loss: its accuracy (%) by a head of watched runs over the share of labeled
// images, at the end of a run, with the 95% interval over seeds. The curve of ssCL, which uses no labels, is flat.
// Points with fewer than two seeds are omitted.
func CurvesOverShares(cells *experiment.Cells, task, head string) (curves []viz.Curve) {
	for _, method := range []string{"ssCL", "SCL-PU", "PUCL"} {
		curve := viz.Curve{Name: method}
		for _, share := range Shares() {
			setting := ShareAt(task, share)
			if method == "ssCL" {
				setting = ShareAt(task, 0)
			}
			addAccuracy(&curve, cells, share, Row{method, head}.in(setting), experiment.Last)
		}
		if len(curve.X) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}

// PublishedOverShares returns the curves of figure 1a, as published, with the names of [CurvesOverShares].
func PublishedOverShares() (curves []viz.Curve) {
	for _, method := range []string{"ssCL", "SCL-PU", "PUCL"} {
		curve := viz.Curve{Name: method}
		for i, share := range Shares() {
			curve.Add(share, authorsOnWoof[method][i])
		}
		curves = append(curves, curve)
	}
	return curves
}

// authorsOnWoof are the accuracies (%) of figure 1a over [Shares], and of figure 5 on the same images with labels
// within one set.
//
// Source: the notebooks of the paper's authors; the numbers are of the best epoch on the test images.
var authorsOnWoof = map[string][]float64{
	"ssCL":   {91.25, 91.25, 91.25, 91.25, 91.25},
	"SCL-PU": {52.36, 79.87, 88.26, 91.23, 96.73},
	"PUCL":   {91.31, 91.38, 91.47, 92.23, 95.52},
}

// claimsSupervision returns the claims in the captions of figures 1 and 6.
func claimsSupervision() (list []Claim) {
	const caption1, caption6 = "Contrastive Positive Unlabeled Learning, Figure 1", "Contrastive Positive Unlabeled Learning, Figure 6"
	for _, task := range []string{figureTask(experiment.Laptop), figureTask(experiment.Paper)} {
		none := ShareAt(task, 0)
		add := func(figure, source, statement string, share float64, above, below Row, belowSetting string, less float64, by Measure) {
			list = append(list, Claim{Experiment: figure, Statement: statement, Source: source, Setting: ShareAt(task, share),
				Above: above, Below: below, BelowSetting: belowSetting, Less: less, Measure: by})
		}
		by := func(method string) Row { return Row{method, Neighbors} }
		for _, share := range Shares() {
			add("figure 1", caption1, "labels help: PUCL is above ssCL", share, by("PUCL"), by("ssCL"), none, 0, "")
		}
		for _, share := range []float64{0.01, 0.05} {
			add("figure 1", caption1, "with few labels PUCL is above SCL-PU", share, by("PUCL"), by("SCL-PU"), "", 0, "")
		}
		add("figure 1", caption1, "with many labels PUCL competes with SCL-PU: at most two points below", 0.5, by("PUCL"), by("SCL-PU"), "", competitive, "")
		for _, share := range Shares() {
			add("figure 1", caption1, "PUCL is sooner than ssCL where ssCL ends", share, by("PUCL"), by("ssCL"), none, 0, Steps)
		}
		linear := func(method string) Row { return Row{method, Ceiling} }
		add("figure 1", caption1, "more labels, more separable: PUCL is above PUCL with 0.01 labeled", 0.1, linear("PUCL"), linear("PUCL"),
			ShareAt(task, 0.01), 0, "")
		add("figure 1", caption1, "more labels, more separable: PUCL is above PUCL with 0.1 labeled", 0.5, linear("PUCL"), linear("PUCL"),
			ShareAt(task, 0.1), 0, "")
		for _, share := range Shares() {
			add("figure 6", caption6, "PUCL is more separable than ssCL", share, linear("PUCL"), linear("ssCL"), none, 0, "")
		}
	}
	return list
}
