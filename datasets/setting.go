package datasets

import "github.com/puclab/puclab/datasets/internal/enum"

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
