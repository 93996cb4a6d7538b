package train

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// savedVariable heads each tensor in a file of variables.
type savedVariable struct {
	Path      string
	Trainable bool
}

// writeVariables writes all variables of store to w.
//
// gomlx's own checkpoints do not keep whether a variable is trainable, and a running average that comes back trainable
// would be moved by the optimizer; hence this small format: a head and a tensor, in gob, for each variable.
func writeVariables(w io.Writer, store *model.Store) error {
	encoder := gob.NewEncoder(w)
	for v := range store.IterVariables() {
		value, err := v.Value()
		if err != nil {
			return fmt.Errorf("variable %s: %w", v.Path(), err)
		}
		if err := encoder.Encode(savedVariable{v.Path(), v.Trainable}); err != nil {
			return err
		}
		if err := value.GobSerialize(encoder); err != nil {
			return fmt.Errorf("variable %s: %w", v.Path(), err)
		}
	}
	return nil
}

// readVariables gives store the variables that writeVariables wrote; those that are there already take the values.
func readVariables(r io.Reader, store *model.Store) error {
	decoder := gob.NewDecoder(r)
	for {
		var head savedVariable
		if err := decoder.Decode(&head); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		value, err := tensors.GobDeserialize(decoder)
		if err != nil {
			return fmt.Errorf("variable %s: %w", head.Path, err)
		}
		if err := setVariable(store, head, value); err != nil {
			return fmt.Errorf("variable %s: %w", head.Path, err)
		}
	}
}

// setVariable gives store a variable, or the one that is there a value of the same shape.
func setVariable(store *model.Store, head savedVariable, value *tensors.Tensor) error {
	v := store.GetVariable(head.Path)
	switch {
	case v == nil:
		var err error
		if v, err = store.CreateVariable(head.Path, value); err != nil {
			return err
		}
	case !v.Shape().Equal(value.Shape()):
		return fmt.Errorf("its shape is %s in the file and %s in the network", value.Shape(), v.Shape())
	default:
		if err := v.SetValue(value); err != nil {
			return err
		}
	}
	v.SetTrainable(head.Trainable)
	return nil
}
