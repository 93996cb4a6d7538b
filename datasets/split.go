package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/puclab/puclab/internal/fault"
)

// Split lists the examples of a data set that make up PU data, and their labels. It depends only on classes, so it
// serves images, tables and texts.
//
// The examples of a split are numbered: first the labeled positives, 0 to NumLabeled-1 in the order of drawing, then
// the unlabeled ones in the order of the data set. [NewSplit] makes a Split; do not change its fields.
type Split struct {
	// Index holds the row of each example in the data set.
	Index []int
	// Of is the number of rows of the data set; Index need not list all.
	Of int
	// Labeled marks the labeled examples, which are positive.
	Labeled []bool
	// Positive marks the examples whose true class is positive. It serves evaluation and fully supervised objectives; a
	// PU method must not use it.
	Positive []bool
	// Unknown marks the examples of unknown true class, for which Positive is meaningless; nil if all are known.
	Unknown []bool
	// Prior is the class prior π of the data: the share of positives among the unlabeled examples. It is exact, counted
	// from the true classes, which PU data do not contain. If Unknown is not nil it is Config.PriorEstimate, with 0 for
	// no estimate.
	Prior float64
	// Config is the argument of NewSplit.
	Config SplitConfig
	// Classes names the classes of the data set, in the order of their numbers.
	Classes []string
}

// Random streams of one seed. The labels of a uniform draw have stream 0.
const (
	balancedStream    = 0x62616c616e636564 // "balanced" in ASCII
	weightedStream    = 0x7765696768746564 // "weighted"
	independentStream = 0x696e646570656e64 // "independ"
	positivesStream   = 0x706f736974697665 // "positive"
	negativesStream   = 0x6e65676174697665 // "negative"
	mixedStream       = 0x6d69786564       // "mixed"
)

// NewSplit labels cfg.Labeled examples of the classes cfg.Positive and hides all other classes. Example i has the class
// labels[i], a number below len(classes).
//
// The labeled examples are drawn without replacement by cfg.Draw: by default uniformly among the positives ("selected
// completely at random", SCAR). One seed gives the same draws on every platform, and a smaller n_P takes the first of
// the examples of a larger one; so does, for one prior, a smaller n_U. The unlabeled examples and the prior depend on
// cfg.Setting, Unlabeled, Total and Prior: see [SplitConfig].
//
// It is an error if a class does not exist, is listed twice or is empty, if there are no positive or no negative
// examples, if settings contradict each other, or if there are fewer examples than requested; the error then gives the
// largest possible number.
func NewSplit(labels []int, classes []string, cfg SplitConfig) (*Split, error) {
	p, err := newPool(labels, len(classes), cfg)
	if err := cmp.Or(err, cfg.validate()); err != nil {
		return nil, err
	}
	cfg.Positive, cfg.Negative, cfg.Unknown = slices.Clone(cfg.Positive), slices.Clone(cfg.Negative), slices.Clone(cfg.Unknown)
	s := &Split{Of: len(labels), Config: cfg, Classes: classes}
	var labeled, unlabeled []int // rows
	switch {
	case len(p.unknown) > 0:
		labeled, unlabeled, err = p.withUnknown(cfg)
	case cfg.Setting == SingleDataset:
		labeled, unlabeled, err = p.singleDataset(cfg)
	default:
		labeled, unlabeled, err = p.caseControl(cfg)
	}
	if err != nil {
		return nil, err
	}
	if len(unlabeled) == 0 {
		return nil, errors.New("datasets: no example would be left without a label: label fewer")
	}
	for _, row := range labeled {
		s.add(row, true, true)
	}
	slices.Sort(unlabeled)
	positives := 0
	for _, row := range unlabeled {
		positive := p.isPositive[labels[row]]
		s.add(row, false, positive)
		if positive {
			positives++
		}
	}
	s.Prior = float64(positives) / float64(len(unlabeled))
	if len(p.unknown) > 0 {
		s.Prior = cfg.PriorEstimate
		for _, row := range s.Index {
			s.Unknown = append(s.Unknown, p.isUnknown[labels[row]])
		}
	}
	return s, nil
}

func (s *Split) add(row int, labeled, positive bool) {
	s.Index = append(s.Index, row)
	s.Labeled = append(s.Labeled, labeled)
	s.Positive = append(s.Positive, positive)
}

// Fits returns an error if s cannot be a split of a data set with that many rows, for example because it was made of
// the classes of another data set.
func (s *Split) Fits(rows int) error {
	if s.Of != rows {
		return fmt.Errorf("datasets: a split of the classes of %d examples, but there are %d: make it of the classes of just these, "+
			"one for each, in the same order", s.Of, rows)
	}
	for _, row := range s.Index {
		if row < 0 || row >= rows {
			return fmt.Errorf("datasets: a split that lists row %d of %d, numbered from 0: make it with NewSplit", row, rows)
		}
	}
	return nil
}

// Len returns the number of examples, n_P + n_U. In the case-control setting it can exceed the number of rows, because
// a row can be a labeled and an unlabeled example.
func (s *Split) Len() int { return len(s.Index) }

// NumLabeled returns n_P, the number of labeled positives.
func (s *Split) NumLabeled() int {
	return sort.Search(len(s.Labeled), func(i int) bool { return !s.Labeled[i] })
}

// NumUnlabeled returns n_U, the number of unlabeled examples. It is at least 1.
func (s *Split) NumUnlabeled() int { return s.Len() - s.NumLabeled() }

// Parts returns the part of the data of each example: 0 for a labeled positive, 1 for an unlabeled positive, 2 for an
// unlabeled negative, 3 for an unlabeled example of unknown class. It serves figures: like Positive it uses true
// classes.
func (s *Split) Parts() []int {
	parts := make([]int, s.Len())
	for i := range parts {
		switch {
		case s.Labeled[i]: // part 0
		case s.Unknown != nil && s.Unknown[i]:
			parts[i] = 3
		case s.Positive[i]:
			parts[i] = 1
		default:
			parts[i] = 2
		}
	}
	return parts
}

// Gamma returns γ = n_P/n_U, the ratio of labeled positives to unlabeled examples.
func (s *Split) Gamma() float64 { return float64(s.NumLabeled()) / float64(s.NumUnlabeled()) }

// pool holds the rows of a data set by their possible roles.
type pool struct {
	labels                        []int
	isPositive, isUnknown         []bool // by class
	positives, negatives, unknown []int  // ascending
}

func newPool(labels []int, classes int, cfg SplitConfig) (*pool, error) {
	isPositive, err := classSet("positive", cfg.Positive, classes)
	if err != nil {
		return nil, err
	}
	isUnknown := make([]bool, classes)
	if len(cfg.Unknown) > 0 {
		if isUnknown, err = classSet("unknown", cfg.Unknown, classes); err != nil {
			return nil, err
		}
	}
	isNegative := make([]bool, classes)
	for class := range isNegative {
		isNegative[class] = cfg.Negative == nil && !isPositive[class] && !isUnknown[class]
	}
	if cfg.Negative != nil && (len(cfg.Negative) > 0 || len(cfg.Unknown) == 0) {
		if isNegative, err = classSet("negative", cfg.Negative, classes); err != nil {
			return nil, err
		}
	}
	byClass, err := rowsByClass(labels, classes)
	if err != nil {
		return nil, err
	}
	p := &pool{labels: labels, isPositive: isPositive, isUnknown: isUnknown}
	for class, rows := range byClass {
		switch {
		case isPositive[class] && isNegative[class]:
			return nil, fmt.Errorf("datasets: class %d is named both positive and negative", class)
		case isUnknown[class] && (isPositive[class] || isNegative[class]):
			return nil, fmt.Errorf("datasets: class %d is named unknown, and positive or negative too", class)
		case isPositive[class]:
			p.positives = append(p.positives, rows...)
		case isNegative[class]:
			p.negatives = append(p.negatives, rows...)
		case isUnknown[class]:
			p.unknown = append(p.unknown, rows...)
		}
	}
	for _, rows := range [][]int{p.positives, p.negatives, p.unknown} {
		slices.Sort(rows)
	}
	err = cmp.Or(
		fault.If(len(p.positives) == 0, "datasets: none of the %d examples is of a positive class %v", len(labels), cfg.Positive),
		fault.If(len(p.negatives) == 0 && len(cfg.Unknown) == 0, "datasets: all %d examples are of the positive classes %v: "+
			"PU data need negatives too, so leave some class out", len(labels), cfg.Positive))
	for _, class := range slices.Concat(cfg.Positive, cfg.Negative, cfg.Unknown) {
		err = cmp.Or(err, fault.If(len(byClass[class]) == 0,
			"datasets: class %d is empty, so no example of it can be drawn: do not name it", class))
	}
	return p, err
}

// sample returns n of the rows, drawn with the given stream, in ascending order. A smaller n draws a subset of a larger
// one. The slice rows is not changed.
func sample(rows []int, n int, seed, stream uint64) []int {
	if n == len(rows) {
		return rows
	}
	drawn := shuffled(rows, rand.New(rand.NewPCG(seed, stream)))[:n]
	slices.Sort(drawn)
	return drawn
}

// shuffled returns a copy of rows in a random order.
func shuffled(rows []int, rng *rand.Rand) []int {
	rows = slices.Clone(rows)
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// without returns the rows that are not among taken. Rows ascend, and so does the result.
func without(rows, taken []int) []int {
	taken = slices.Sorted(slices.Values(taken))
	var rest []int
	for _, row := range rows {
		if _, found := slices.BinarySearch(taken, row); !found {
			rest = append(rest, row)
		}
	}
	return rest
}

// String describes the data in one line.
func (s *Split) String() string {
	var b strings.Builder
	sum := s.Summary()
	if sum.Name != "" {
		fmt.Fprintf(&b, "%s: ", sum.Name)
	}
	fmt.Fprintf(&b, "PU data (%v): %d labeled positives", sum.Setting, sum.Labeled)
	if sum.Draw != Uniform {
		fmt.Fprintf(&b, " (%v)", sum.Draw)
	}
	fmt.Fprintf(&b, ", %d unlabeled, ", sum.Unlabeled)
	switch {
	case s.Unknown == nil:
		fmt.Fprintf(&b, "prior π = %.4g", sum.Prior)
	case sum.Prior == 0:
		fmt.Fprintf(&b, "%d of unknown class, prior π unknown", sum.Unknown)
	default:
		fmt.Fprintf(&b, "%d of unknown class, estimated prior π̂ = %.4g", sum.Unknown, sum.Prior)
	}
	fmt.Fprintf(&b, ", γ = %.4g, seed %d, positive: %s", sum.Gamma, sum.Seed, strings.Join(sum.PositiveNames, ", "))
	switch {
	case s.Config.Negative != nil && len(sum.Negative) == 0:
		b.WriteString(", negative: none")
	case len(sum.NegativeNames) > 0:
		fmt.Fprintf(&b, ", negative: %s", strings.Join(sum.NegativeNames, ", "))
	}
	return b.String()
}

// PUSummary describes PU data in a few numbers, ready to be written as JSON beside a result.
type PUSummary struct {
	Name          string   `json:"name,omitempty"`
	Setting       Setting  `json:"setting"`
	Draw          Draw     `json:"draw,omitempty"`     // omitted if Uniform
	Positive      []int    `json:"positive"`           // the positive classes
	PositiveNames []string `json:"positive_names"`     // their names
	Negative      []int    `json:"negative,omitempty"` // the negative classes; omitted if they are all others
	NegativeNames []string `json:"negative_names,omitempty"`
	Labeled       int      `json:"labeled"`   // n_P
	Unlabeled     int      `json:"unlabeled"` // n_U
	// Unknown counts the unlabeled examples of unknown class; omitted if 0. Otherwise Prior is an estimate, or 0 for
	// none.
	Unknown int     `json:"unknown,omitempty"`
	Prior   float64 `json:"prior"` // π, among the unlabeled
	Gamma   float64 `json:"gamma"` // γ = n_P/n_U
	Seed    uint64  `json:"seed"`
}

// Summary returns the data's description.
func (s *Split) Summary() PUSummary {
	sum := PUSummary{
		Name: s.Config.Name, Setting: s.Config.Setting, Draw: s.Config.Draw,
		Positive: slices.Clone(s.Config.Positive), PositiveNames: namesOf(s.Config.Positive, s.Classes),
		Negative: slices.Clone(s.Config.Negative), NegativeNames: namesOf(s.Config.Negative, s.Classes),
		Labeled: s.NumLabeled(), Unlabeled: s.NumUnlabeled(), Prior: s.Prior, Gamma: s.Gamma(), Seed: s.Config.Seed,
	}
	for _, unknown := range s.Unknown {
		if unknown {
			sum.Unknown++
		}
	}
	return sum
}
