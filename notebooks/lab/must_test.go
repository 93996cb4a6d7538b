package lab

import (
	"errors"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// What ends a cell is said without the engine's own words, and all else as it is.
func TestSentence(t *testing.T) {
	_, err := ExecOnce(enginetest.Open(t).Backend, func(x *Node) *Node { return ReduceSum(x, 9) }, []float64{1, 2})
	if err == nil {
		t.Fatal("a sum over an axis that is not there")
	}
	said := sentence(err)
	if !strings.HasPrefix(said, "building the graph: ") || !strings.Contains(said, "out-of-range") ||
		strings.Contains(said, "panicked") || strings.Contains(said, "Exec:") {
		t.Errorf("the engine's %q is told as %q", err, said)
	}
	if said := sentence(errors.New("mine: 1 of 2")); said != "mine: 1 of 2" {
		t.Errorf("%q", said)
	}
}
