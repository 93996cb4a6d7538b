package datasets

import "fmt"

// Setting is the way in which PU data come about, which decides what the unlabeled examples are.
//
// Source: "Contrastive Positive Unlabeled Learning", section 2.1 and appendix A.3.1.
type Setting int

const (
	// CaseControl draws labeled positives and unlabeled examples separately: equations (1) and (8) of the source, in
	// which the unlabeled examples are a true sample of all the data. Here every image is an unlabeled example, so their
	// prior is that of the images, and a labeled image occurs once more among the unlabeled ones.
	CaseControl Setting = iota
	// SingleDataset labels some positives of the one set that there is, and only the rest is unlabeled. No image occurs
	// twice, and the prior of the unlabeled examples is lower than that of the images.
	SingleDataset
)

var settingNames = map[Setting]string{CaseControl: "case-control", SingleDataset: "single-dataset"}

// String returns "case-control" or "single-dataset".
func (s Setting) String() string {
	if name, ok := settingNames[s]; ok {
		return name
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
			*s = setting
			return nil
		}
	}
	return fmt.Errorf("datasets: unknown setting %q: use %q or %q", text, CaseControl, SingleDataset)
}

func (s Setting) validate() error {
	if _, ok := settingNames[s]; !ok {
		return fmt.Errorf("datasets: unknown setting %d: use CaseControl or SingleDataset", int(s))
	}
	return nil
}
