package classify

import (
	"testing"

	"github.com/puclab/puclab/internal/refusal"
)

// Members of images of two sizes find other numbers of images in the same bytes.
func TestMembersMustAgreeOnTheExamples(t *testing.T) {
	members := Ensemble{{}, {}}
	_, err := members.mean(func(c *Classifier) ([]float64, error) {
		if c == members[0] {
			return []float64{1, 2, 3, 4}, nil
		}
		return []float64{1}, nil
	})
	refusal.Check(t, err,
		"member 1 of the ensemble finds 1 examples, and those before it 4 … all must be trained on examples of one size")
}
