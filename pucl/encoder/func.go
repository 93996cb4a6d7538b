package encoder

import (
	"encoding/json"
	"errors"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
)

// Func is an encoder of one's own: one function from examples to embeddings, made of gomlx's layers and operations, or of
// this package's [Convolution], [BatchNorm], [Dense] and [ReLU].
//
// A saved model holds the weights and the Name, but no code: whoever loads it passes the same Func again, and a Func of
// another name is refused. Checkpoints are told apart by the name too, so changing the function should change it.
type Func struct {
	Name string // names the encoder in messages, records, checkpoints and files

	// Graph maps examples, images [n, height, width, channels] with values in [0, 1] or rows of features [n, d], to
	// embeddings [n, k] of the examples' precision. Variables are made by scope or by scopes inside it, at least one of them
	// trained. In training, batch statistics may be used and running ones updated. [Embed] tells how weights start.
	Graph func(scope *model.Scope, examples *Node, training bool) *Node
}

// Embed implements [Encoder]. Like all graph code it panics where something is wrong, see [Embed], and where name or function
// are missing.
func (f Func) Embed(scope *model.Scope, examples *Node, training bool) *Node {
	if f.Name == "" || f.Graph == nil {
		panic(errors.New("encoder: a Func needs its Name, which tells saved models apart, and its function, the field Graph"))
	}
	return checked(fmt.Sprintf("%q", f.Name), f.Graph, scope, examples, training)
}

// String returns the name, as records and checkpoints hold it.
func (f Func) String() string { return fmt.Sprintf("own encoder %q", f.Name) }

// MarshalJSON writes the name, by which a saved model knows its encoder again; a function cannot be written.
func (f Func) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct{ Name string }{f.Name})
}
