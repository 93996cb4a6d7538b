package datasets

import (
	"fmt"
	"strings"
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

var settingNames = []string{"case-control", "single-dataset", "case-control-disjoint"}

// String returns "case-control", "single-dataset" or "case-control-disjoint".
func (s Setting) String() string {
	if s.validate() == nil {
		return settingNames[s]
	}
	return fmt.Sprintf("Setting(%d)", int(s))
}

// MarshalText writes a setting as String does; an unknown one is an error.
func (s Setting) MarshalText() ([]byte, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (s *Setting) UnmarshalText(text []byte) error {
	for setting, name := range settingNames {
		if name == string(text) {
			*s = Setting(setting)
			return nil
		}
	}
	return fmt.Errorf("datasets: unknown setting %q: use one of %s", text, strings.Join(settingNames, ", "))
}

func (s Setting) validate() error {
	if s < 0 || int(s) >= len(settingNames) {
		return fmt.Errorf("datasets: unknown setting %d: use CaseControl, SingleDataset or CaseControlDisjoint", int(s))
	}
	return nil
}
