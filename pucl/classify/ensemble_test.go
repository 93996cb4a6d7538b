package classify

import (
	"strings"
	"testing"
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
	if err == nil || !strings.Contains(err.Error(), "member 1 of the ensemble finds 1 examples, and those before it 4") {
		t.Errorf("%v", err)
	}
}
