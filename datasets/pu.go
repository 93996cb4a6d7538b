package datasets

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// PUConfig says how [NewPU] makes PU data of a set of images.
type PUConfig struct {
	Positive []int   // the classes that count as positive; all others are negative
	Labeled  int     // n_P, how many positives are labeled; 0 leaves data for self-supervised learning alone
	Setting  Setting // where the labeled positives come from; the zero value is CaseControl
	Seed     uint64  // of the draw of the labeled positives; used as given, 0 included
}

// PU is data for learning from positive and unlabeled examples: n_P examples known to be positive and n_U of which
// nothing is known.
//
// An example is a row of Images and what is known of it. Examples are numbered: the labeled positives come first, 0 to
// NumLabeled-1 in the order in which they were drawn, then the unlabeled ones in the order of Images. Make one with
// [NewPU] and read its fields; do not change them.
type PU struct {
	// Images holds the images, the same set that NewPU was given.
	Images *Images
	// Index gives for each example its row in Images.
	Index []int
	// Labeled says for each example whether it is labeled, and so known to be positive.
	Labeled []bool
	// Positive says for each example whether its true class is positive. It is for evaluation, and for objectives that
	// are meant to see all labels; a method that learns from PU data must not look at it.
	Positive []bool
	// Prior is the class prior π of the data: the share of positives among the unlabeled examples. It is exact, counted
	// from the true classes; a method that gets it knows more than Labeled tells.
	Prior float64
	// Config is what NewPU was given.
	Config PUConfig
}

// NewPU labels cfg.Labeled images of the classes cfg.Positive and hides all other classes.
//
// The labeled images are drawn without replacement, each positive being as likely as any other, whatever it looks like
// ("selected completely at random", SCAR). With one seed the draw is the same on every platform, and a smaller
// cfg.Labeled takes the first of those that a larger one takes. What is unlabeled, and with it the prior, depends on
// cfg.Setting: see [CaseControl] and [SingleDataset].
//
// It is an error if images are not valid, if a class is unknown or named twice, if there are no positive or no negative
// images, and if there are fewer positives than labels asked for.
func NewPU(images *Images, cfg PUConfig) (*PU, error) {
	if err := cfg.Setting.validate(); err != nil {
		return nil, err
	}
	isPositive, err := IsPositive(images, cfg.Positive)
	if err != nil {
		return nil, err
	}
	var positives []int
	for row, positive := range isPositive {
		if positive {
			positives = append(positives, row)
		}
	}
	switch {
	case len(positives) == 0:
		return nil, fmt.Errorf("datasets: none of the %d images is of a positive class %v", images.Len(), cfg.Positive)
	case len(positives) == images.Len():
		return nil, fmt.Errorf("datasets: all %d images are of the positive classes %v: "+
			"PU data need negatives too, so leave some class out", images.Len(), cfg.Positive)
	case cfg.Labeled < 0:
		return nil, fmt.Errorf("datasets: cannot label %d positives: give 0 or more", cfg.Labeled)
	case cfg.Labeled > len(positives):
		return nil, fmt.Errorf("datasets: cannot label %d positives: the data hold %d, so that is the largest possible number",
			cfg.Labeled, len(positives))
	}

	rng := rand.New(rand.NewPCG(cfg.Seed, 0))
	rng.Shuffle(len(positives), func(i, j int) { positives[i], positives[j] = positives[j], positives[i] })
	labeled := positives[:cfg.Labeled]

	cfg.Positive = slices.Clone(cfg.Positive)
	pu := &PU{Images: images, Config: cfg}
	for _, row := range labeled {
		pu.add(row, true, true)
	}
	gone := make([]bool, images.Len()) // in one data set, what is labeled is no longer among the unlabeled
	if cfg.Setting == SingleDataset {
		for _, row := range labeled {
			gone[row] = true
		}
	}
	unlabeledPositives := 0
	for row, positive := range isPositive {
		if gone[row] {
			continue
		}
		pu.add(row, false, positive)
		if positive {
			unlabeledPositives++
		}
	}
	pu.Prior = float64(unlabeledPositives) / float64(pu.NumUnlabeled())
	return pu, nil
}

func (p *PU) add(row int, labeled, positive bool) {
	p.Index = append(p.Index, row)
	p.Labeled = append(p.Labeled, labeled)
	p.Positive = append(p.Positive, positive)
}

// Len returns the number of examples, n_P + n_U. In the case-control setting this is more than there are images, since
// an image can be a labeled and an unlabeled example.
func (p *PU) Len() int { return len(p.Index) }

// NumLabeled returns n_P, the number of labeled positives.
func (p *PU) NumLabeled() int { return p.Config.Labeled }

// NumUnlabeled returns n_U, the number of unlabeled examples. It is at least 1.
func (p *PU) NumUnlabeled() int { return p.Len() - p.NumLabeled() }

// Gamma returns γ = n_P/n_U, how many labeled positives there are for each unlabeled example.
func (p *PU) Gamma() float64 { return float64(p.NumLabeled()) / float64(p.NumUnlabeled()) }

// String says in one line what the data are.
func (p *PU) String() string {
	s := p.Summary()
	return fmt.Sprintf("PU data (%v): %d labeled positives, %d unlabeled, prior π = %.4g, γ = %.4g, seed %d, positive: %s",
		s.Setting, s.Labeled, s.Unlabeled, s.Prior, s.Gamma, s.Seed, strings.Join(s.PositiveNames, ", "))
}

// PUSummary describes PU data in a few numbers, ready to be written as JSON beside a result.
type PUSummary struct {
	Setting       Setting  `json:"setting"`
	Positive      []int    `json:"positive"`       // the positive classes
	PositiveNames []string `json:"positive_names"` // and their names
	Labeled       int      `json:"labeled"`        // n_P
	Unlabeled     int      `json:"unlabeled"`      // n_U
	Prior         float64  `json:"prior"`          // π, among the unlabeled
	Gamma         float64  `json:"gamma"`          // γ = n_P/n_U
	Seed          uint64   `json:"seed"`
}

// Summary returns the data's description.
func (p *PU) Summary() PUSummary {
	s := PUSummary{
		Setting:   p.Config.Setting,
		Positive:  slices.Clone(p.Config.Positive),
		Labeled:   p.NumLabeled(),
		Unlabeled: p.NumUnlabeled(),
		Prior:     p.Prior,
		Gamma:     p.Gamma(),
		Seed:      p.Config.Seed,
	}
	for _, class := range s.Positive {
		s.PositiveNames = append(s.PositiveNames, p.Images.Classes[class])
	}
	return s
}

// IsPositive returns for each image whether its class is one of positive: the true labels, for example of a test set.
// It is an error if images are not valid, or if positive is empty, names a class twice, or names one that does not
// exist.
func IsPositive(images *Images, positive []int) ([]bool, error) {
	if err := images.Validate(); err != nil {
		return nil, err
	}
	if len(positive) == 0 {
		return nil, errors.New("datasets: no positive classes given")
	}
	isPositive := make([]bool, len(images.Classes))
	for _, class := range positive {
		if class < 0 || class >= len(images.Classes) {
			return nil, fmt.Errorf("datasets: there is no class %d: the data have %d classes, numbered from 0",
				class, len(images.Classes))
		}
		if isPositive[class] {
			return nil, fmt.Errorf("datasets: the positive class %d is named twice", class)
		}
		isPositive[class] = true
	}
	result := make([]bool, images.Len())
	for i, class := range images.Labels {
		result[i] = isPositive[class]
	}
	return result, nil
}
