package baseline

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// Scopes of the variables.
const (
	networkScope = "network"
	secondScope  = "second"
	teacherScope = "teacher"
)

// Network is an encoder with a linear layer that classifies positives and negatives. It is not safe for concurrent use.
type Network struct {
	store   *model.Store
	encoder encoder.Encoder
	like    Examples // of the shape that the network takes
}

// pass holds the outputs of a network for rows.
type pass struct {
	scope  *model.Scope // of the network
	h      *Node        // [n, d], embeddings
	logits *Node        // [n]
}

// see builds the graph from a tensor of examples to the outputs of the network.
func (n *Network) see(scope *model.Scope, x *Node, training bool) pass {
	h := encoder.Embed(n.encoder, scope.In("encoder"), x, training)
	return pass{scope, h, Squeeze(ConvertDType(encoder.Dense(scope.In("head"), h, 1, true), dtypes.Float32), -1)}
}

// Score returns the logit of every example; above 0 means the positive class. The examples must have the shape of the
// training examples. Batch normalization uses running statistics.
func (n *Network) Score(eng *engine.Engine, examples Examples) ([]float64, error) {
	s, err := n.newScorer(eng, ofLogits)
	if err != nil {
		return nil, err
	}
	defer s.exec.Finalize()
	return s.score(examples)
}

// check returns the number of examples, or an error if their shape is wrong for the network.
func (n *Network) check(examples Examples) (int, error) {
	count, err := checkExamples(examples)
	if err != nil {
		return 0, err
	}
	if examples.name() != n.like.name() || !slices.Equal(examples.shape(), n.like.shape()) {
		return 0, fmt.Errorf("baseline: examples that are %ss of shape %d, but the network takes %ss of shape %d; "+
			"bring them to that shape, or train on these", examples.name(), examples.shape(), n.like.name(), n.like.shape())
	}
	return count, nil
}

// scorer computes a reading of examples with the current variables of a network, by one compiled program.
type scorer struct {
	network *Network
	exec    *model.Exec
}

// inNetwork returns the scope of the network's variables.
func inNetwork(root *model.Scope) *model.Scope { return root.At(networkScope) }

// reading selects the output that a scorer computes.
type reading struct {
	in func(root *model.Scope) *model.Scope // the scope of the network's variables
	of func(p pass) *Node                   // selects from the outputs in inference mode, a row for each example
}

// ofLogits is the reading of the network's logits.
var ofLogits = reading{inNetwork, func(p pass) *Node { return p.logits }}

// newScorer returns a scorer of a reading.
func (n *Network) newScorer(eng *engine.Engine, what reading) (*scorer, error) {
	if err := eng.Check(); err != nil {
		return nil, err
	}
	exec, err := model.NewExec(eng.Backend, n.store, func(scope *model.Scope, x *Node) *Node {
		return what.of(n.see(what.in(scope), n.like.scale(x), false))
	})
	if err != nil {
		return nil, fmt.Errorf("baseline: building the network: %w", engine.RootCause(err))
	}
	return &scorer{n, exec}, nil
}

// score returns the output of the graph for examples, concatenated by row. It computes some hundred at a time: all
// calls have the same number of rows, so that the graph compiles once, and the last one is padded with the last
// example.
func (s *scorer) score(examples Examples) ([]float64, error) {
	const perCall = 512
	n, err := s.network.check(examples)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, 0, n)
	for first := 0; first < n; first += perCall {
		index := make([]int, perCall)
		for i := range index {
			index[i] = min(first+i, n-1)
		}
		out, err := s.exec.Call(examples.tensor(index))
		if err != nil {
			return nil, fmt.Errorf("baseline: scoring examples from %d on: %w", first, engine.RootCause(err))
		}
		logits, err := tensors.CopyFlatData[float32](out[0])
		if err != nil {
			return nil, fmt.Errorf("baseline: reading the scores of examples from %d on: %w", first, err)
		}
		width := len(logits) / perCall
		for _, logit := range logits[:min(perCall, n-first)*width] {
			scores = append(scores, float64(logit))
		}
	}
	return scores, nil
}
