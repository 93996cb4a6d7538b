package main

import (
	"slices"

	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/pu"
	"github.com/puclab/puclab/pucl/train"
)

// The names of the methods that the rule is compared with.
const (
	naive    = "logistic"            // logistic regression of labeled positives against unlabeled examples
	forRows  = "tabular"             // the default for rows
	contrast = "mixture"             // the default for images
	half     = "mixture (300 steps)" // with half of the default steps
)

// method is a method of the study with its name in the results file.
type method struct {
	name       string
	method     pu.Method
	pixels     bool     // trains on rows of pixels instead of images
	givenPrior bool     // gets the true class prior, which a default cannot have
	shared     bool     // resumes the encoder that the first such method of the draw trained; its time is not measured
	sets       []string // the image sets that it runs on; nil means all
}

// fewer are the steps of baselines, and short those of each of the three encoders of CrossFit: no method that needs no
// class prior takes much longer than Mixture with its default of 600 steps.
var (
	fewer = train.Settings{Steps: 300}
	short = pu.Pretraining{Config: train.Config{Steps: 200}}
)

// rowMethods returns the methods for rows, the fast ones first. Those that require a class prior get an estimate.
func rowMethods() []method {
	return []method{
		{name: naive, method: pu.Logistic{}},
		{name: "trees", method: pu.Trees{}},
		{name: forRows, method: pu.Tabular{}},
		{name: "linear nnPU", method: pu.Linear{}},
		{name: "nnPU", method: pu.Baseline{Method: baseline.NNPU{}, Settings: fewer}},
		{name: contrast, method: pu.Mixture{}},
		{name: "crossfit", method: pu.CrossFit{Pretraining: short}},
	}
}

// imageMethods returns the methods for images, the fast ones first.
func imageMethods() []method {
	halved := pu.Mixture{Pretraining: pu.Pretraining{Config: train.Config{Steps: 300}}}
	return []method{
		{name: naive, method: pu.Logistic{}, pixels: true},
		{name: "trees", method: pu.Trees{}, pixels: true},
		{name: contrast, method: pu.Mixture{}, shared: true},
		{name: "algorithm 1 (z)", method: pu.Algorithm1{Space: pu.Projections}, shared: true},
		{name: "algorithm 1 (h)", method: pu.Algorithm1{}, shared: true},
		{name: "vPU", method: pu.Baseline{Method: baseline.VPU{}, Settings: fewer}},
		{name: "nnPU (π given)", method: pu.Baseline{Method: baseline.NNPU{}, Settings: fewer}, givenPrior: true},
		{name: "Dist-PU (π given)", method: pu.Baseline{Method: baseline.DistPU{}, Settings: fewer}, givenPrior: true},
		{name: half, method: halved, sets: []string{"FMNIST-I", "CIFAR-I"}},
		{name: "crossfit", method: pu.CrossFit{Pretraining: short}},
		{name: "PU-debiased (π given)", method: pu.Mixture{Debiased: true}, givenPrior: true},
	}
}

// smallMethods are the methods that run on few images.
var smallMethods = []string{naive, "trees", contrast, "vPU"}

// methodsFor returns the methods that run on a data set.
func methodsFor(set task) []method {
	if set.kind == "rows" {
		return rowMethods()
	}
	return slices.DeleteFunc(imageMethods(), func(m method) bool {
		return !includes(m.sets, set.name) || set.kind == "small" && !slices.Contains(smallMethods, m.name)
	})
}
