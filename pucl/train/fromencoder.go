package train

import (
	"fmt"
	"strings"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
)

// FromEncoder returns a model of an encoder that another task has trained. It copies the encoder's variables, found in
// store below scope, such as "network/encoder". The model takes images of the given shape or, if features is positive,
// rows of that many features. It has no projector: the Z of its embeddings equals H. It is an error if scope has no
// variables.
func FromEncoder(store *model.Store, scope string, e encoder.Encoder, shape augment.Shape, features int) (*Model, error) {
	m := newModel(e, 0, shape, features)
	for v := range store.IterVariables() {
		path, below := strings.CutPrefix(v.Path(), "/"+scope+"/")
		if !below {
			continue
		}
		value, err := v.Value()
		if err == nil {
			value, err = value.Clone()
		}
		if err == nil {
			err = setVariable(m.store, variable{"/" + encoderScope + "/" + path, v.Trainable}, value)
		}
		if err != nil {
			return nil, fmt.Errorf("train: copying the variable %s: %w", v.Path(), err)
		}
	}
	return m, fault.If(m.store.NumVariables() == 0, "train: no variables below the scope %q; give the scope in which the encoder was built", scope)
}
