package datasets

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/datasets/internal/enum"
)

// Setting is the sampling scheme of PU data, which determines the unlabeled examples.
//
// Source: "Contrastive Positive Unlabeled Learning", section 2.1 and appendix A.3.1.
type Setting int

const (
	// CaseControl draws labeled positives and unlabeled examples separately, by equations (1) and (8) of the source;
	// the unlabeled examples are a sample of all data. Here every image is an unlabeled example, so they have the prior
	// of the images, and a labeled image also occurs among the unlabeled ones. Published code does the same.
	CaseControl Setting = iota
	// SingleDataset labels some positives of a single set; the rest is unlabeled. No image occurs twice, and the
	// unlabeled examples have a lower prior than the images.
	SingleDataset
	// CaseControlDisjoint is CaseControl in which no image occurs twice: the unlabeled examples are drawn from the
	// images that are not labeled. Some negatives are omitted, so that they still have the prior of the images.
	CaseControlDisjoint
)

var settingNames = enum.Names[Setting]{Unknown: "datasets: unknown setting", Names: []string{"case-control", "single-dataset", "case-control-disjoint"}}

// String returns "case-control", "single-dataset" or "case-control-disjoint".
func (s Setting) String() string { return settingNames.String(s) }

// MarshalText writes a setting as String does; an unknown one is an error.
func (s Setting) MarshalText() ([]byte, error) { return settingNames.MarshalText(s) }

// UnmarshalText reads the output of MarshalText.
func (s *Setting) UnmarshalText(text []byte) error { return settingNames.UnmarshalText(s, text) }

// SplitConfig configures PU data made by [NewPU] and [NewSplit] from images or other examples with classes. Positive
// and Labeled suffice for most uses; all other fields have useful zero values.
//
// Amounts: Labeled or Gamma gives n_P, Unlabeled or Total gives n_U, and Prior gives the share of positives. With
// neither Unlabeled nor Total all examples are used, or with a Prior as many as it allows.
type SplitConfig struct {
	Name     string  // name of the split in its description, such as "CIFAR-I"; may be empty
	Positive []int   // the positive classes
	Negative []int   // the negative classes, others are left out; nil means all except Positive
	Labeled  int     // n_P, number of labeled positives; 0 gives data for self-supervised learning
	Gamma    float64 // γ = n_P/n_U instead of Labeled; 0 means Labeled

	Unlabeled int // n_U, number of unlabeled examples; 0 means all
	Total     int // N = n_P + n_U instead of Unlabeled; 0 means Unlabeled

	// Prior is the class prior π to draw with, above 0 and below 1; 0 means that of the data. In the case-control
	// settings it refers to the unlabeled examples, in the single-dataset setting to all examples.
	Prior float64

	// Unknown lists the classes of examples whose true class is unknown, such as the class of STL-10's unlabeled part.
	// They are never labeled, and count as unlabeled examples beside those with a class. Prior cannot be used with
	// them. Negative may be empty without being nil: the unlabeled examples are then these and positives.
	Unknown []int
	// PriorEstimate is an estimate of the share of positives among the unlabeled examples, for data with Unknown
	// classes, in which it cannot be counted; 0 means none.
	PriorEstimate float64

	Setting Setting // sampling scheme; the zero value is CaseControl
	Draw    Draw    // selection of labels; the zero value is Uniform
	// Propensity returns, for the draws Weighted and Independent, the labeling propensity of the positive in a row of
	// the data set. It is called once for each positive, in the order of rows.
	Propensity func(row int) float64

	Seed uint64 // of all draws; used as given, 0 included
}

// PU is a set of images for learning from positive and unlabeled examples: n_P labeled positives and n_U unlabeled
// examples.
//
// An example is a row of Images and its label, listed by [Split]. [NewPU] makes a PU; do not change its fields.
type PU struct {
	// Images holds the images passed to NewPU.
	Images *Images
	// Split lists the examples, their labels, and the prior.
	*Split
}

// NewPU labels images of the classes cfg.Positive and hides the other classes: [NewSplit] for images. One seed gives
// the same draw on every platform.
//
// It is an error if images are not valid; the other errors are those of NewSplit.
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

// IsPositive returns for each image whether its class is in positive: the true labels, for example of a test set. It is
// an error if images are not valid, or if positive is empty, lists a class twice, or lists a class that does not exist.
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

// classSet returns for each of n classes whether it is listed. The argument kind names the list in errors.
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
