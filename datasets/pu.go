package datasets

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/datasets/internal/enum"
)

// Setting is the way in which PU data come about, which decides what the unlabeled examples are.
//
// Source: "Contrastive Positive Unlabeled Learning", section 2.1 and appendix A.3.1.
type Setting int

const (
	// CaseControl draws labeled positives and unlabeled examples separately: equations (1) and (8) of the source, in
	// which the unlabeled examples are a true sample of all the data. Here every image is an unlabeled example, so their
	// prior is that of the images, and a labeled image occurs once more among the unlabeled ones. Published code does so.
	CaseControl Setting = iota
	// SingleDataset labels some positives of the one set that there is, and only the rest is unlabeled. No image occurs
	// twice, and the prior of the unlabeled examples is lower than that of the images.
	SingleDataset
	// CaseControlDisjoint is CaseControl in which no image occurs twice: the unlabeled examples are drawn from what the
	// labeled positives leave. So that their prior is still that of the images, some negatives are left out.
	CaseControlDisjoint
)

var settingNames = enum.Names[Setting]{Unknown: "datasets: unknown setting", Names: []string{"case-control", "single-dataset", "case-control-disjoint"}}

// String returns "case-control", "single-dataset" or "case-control-disjoint".
func (s Setting) String() string { return settingNames.String(s) }

// MarshalText writes a setting as String does; an unknown one is an error.
func (s Setting) MarshalText() ([]byte, error) { return settingNames.MarshalText(s) }

// UnmarshalText reads what MarshalText writes.
func (s *Setting) UnmarshalText(text []byte) error { return settingNames.UnmarshalText(s, text) }

// SplitConfig says how [NewPU] and [NewSplit] make PU data of a set of images or of other examples with classes. Positive
// and Labeled are all that most uses need; the zero value of every other field leaves its question to the data.
//
// How much of what: Labeled or Gamma gives n_P, Unlabeled or Total gives n_U, and Prior gives the share of positives.
// With neither Unlabeled nor Total all examples are used, or with a Prior as many as it allows.
type SplitConfig struct {
	Name     string  // what to call the split in its description, such as "CIFAR-I"; may be empty
	Positive []int   // the classes that count as positive
	Negative []int   // the classes that count as negative, all others being left out; nil means all but Positive
	Labeled  int     // n_P, how many positives are labeled; 0 leaves data for self-supervised learning alone
	Gamma    float64 // γ = n_P/n_U instead of Labeled; 0 means that Labeled holds

	Unlabeled int // n_U, how many examples are unlabeled; 0 means as many as there are
	Total     int // N = n_P + n_U instead of Unlabeled; 0 means that Unlabeled holds

	// Prior is the class prior π to draw with, above 0 and below 1; 0 means that of the data. In the case-control
	// settings it is that of the unlabeled examples, in the single-dataset setting that of all examples, labeled and not.
	Prior float64

	// Unknown lists the classes of examples whose true class nobody knows, as a reader makes one of the unlabeled part of
	// STL-10. They are never labeled, and count as unlabeled examples beside those with a class. With them nothing can be
	// drawn by Prior, and Negative may be empty without being nil: then the unlabeled examples are these and positives.
	Unknown []int
	// PriorEstimate is an estimate of the share of positives among the unlabeled examples, for data with Unknown classes
	// only, as it cannot be counted there; 0 means that there is none.
	PriorEstimate float64

	Setting Setting // where the labeled positives come from; the zero value is CaseControl
	Draw    Draw    // which positives are labeled; the zero value is Uniform
	// Propensity tells, for the draws Weighted and Independent alone, how likely the positive in this row of the data set
	// is labeled. It is asked once for each positive, in the order of rows.
	Propensity func(row int) float64

	Seed uint64 // of all draws; used as given, 0 included
}

// PU is images for learning from positive and unlabeled examples: n_P examples known to be positive and n_U of which
// nothing is known.
//
// An example is a row of Images and what is known of it; the [Split] says which. Make one with [NewPU] and read its
// fields; do not change them.
type PU struct {
	// Images holds the images, the same set that NewPU was given.
	Images *Images
	// Split says which examples there are, which of them are labeled, and with what prior.
	*Split
}

// NewPU labels images of the classes cfg.Positive and hides the other classes: [NewSplit] for images. With one seed the
// draw is the same on every platform.
//
// It is an error if images are not valid, and wherever NewSplit has one.
func NewPU(images *Images, cfg SplitConfig) (*PU, error) {
	if err := images.Validate(); err != nil {
		return nil, err
	}
	split, err := NewSplit(images.Labels, images.Classes, cfg)
	if err != nil {
		return nil, err
	}
	return &PU{Images: images, Split: split}, nil
}

// IsPositive returns for each image whether its class is one of positive: the true labels, for example of a test set.
// It is an error if images are not valid, or if positive is empty, names a class twice, or names one that does not
// exist.
func IsPositive(images *Images, positive []int) ([]bool, error) {
	if err := images.Validate(); err != nil {
		return nil, err
	}
	isPositive, err := classSet("positive", positive, len(images.Classes))
	if err != nil {
		return nil, err
	}
	result := make([]bool, images.Len())
	for i, class := range images.Labels {
		result[i] = isPositive[class]
	}
	return result, nil
}

// classSet returns for each of n classes whether it is listed. Kind names the list in errors.
func classSet(kind string, list []int, n int) ([]bool, error) {
	if len(list) == 0 {
		return nil, errors.New("datasets: no " + kind + " classes given")
	}
	listed := make([]bool, n)
	for _, class := range list {
		if class < 0 || class >= n {
			return nil, fmt.Errorf("datasets: there is no class %d: the data have %d classes, numbered from 0", class, n)
		}
		if listed[class] {
			return nil, fmt.Errorf("datasets: the %s class %d is named twice", kind, class)
		}
		listed[class] = true
	}
	return listed, nil
}
