package pucl

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/wholefile"
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

// readVariables adds the variables that writeVariables wrote to store, which must not have them yet.
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
		v, err := store.CreateVariable(head.Path, value)
		if err != nil {
			return fmt.Errorf("variable %s: %w", head.Path, err)
		}
		v.SetTrainable(head.Trainable)
	}
}

// writeFile writes a file whole or not at all, and makes its folder where that is missing.
func writeFile(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(path, write)
}
