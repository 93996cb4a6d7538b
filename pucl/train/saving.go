package train

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/internal/files"
)

// modelHead comes before the variables in a model's file.
type modelHead struct {
	EncoderType             string // Go type of the encoder
	Encoder                 []byte // its fields as JSON, where they can be written so
	Projection              int
	Height, Width, Channels int
	Features                int
	Losses                  []float64 // in files of programs that kept them beside the history
	History                 History   // empty in files of programs that kept none
	Record                  Record
}

// knownEncoders are the networks that a model's file can bring back by itself.
var knownEncoders = []encoder.Encoder{
	encoder.SmallCNN{}, encoder.MLP{}, encoder.ResNet{}, encoder.ViT{}, encoder.LeNet{}, encoder.ShortConv{}, encoder.AllConv{},
}

// encoderFields returns the fields of an encoder as JSON, nil for an encoder of one's own that JSON cannot hold.
func encoderFields(e encoder.Encoder) []byte {
	data, _ := json.Marshal(e)
	return data
}

// Save writes the model, encoder and projector, to one file, whole or not at all.
func (m *Model) Save(path string) error {
	if err := files.Write(path, m.Write); err != nil {
		return fmt.Errorf("train: saving the model: %w", err)
	}
	return nil
}

// Write writes the model to w, for files that hold more than a model. What reads it back is [ReadModel].
func (m *Model) Write(w io.Writer) error {
	head := modelHead{
		EncoderType: fmt.Sprintf("%T", m.encoder), Encoder: encoderFields(m.encoder), Projection: m.projection,
		Height: m.shape.Height, Width: m.shape.Width, Channels: m.shape.Channels, Features: m.features, History: m.History, Record: m.Record,
	}
	if err := gob.NewEncoder(w).Encode(head); err != nil {
		return err
	}
	return writeVariables(w, m.store)
}

// LoadModel reads a model that [Model.Save] wrote. The networks of package encoder come back by themselves; a model with an
// encoder of one's own needs that encoder as custom, with the same fields, since a file holds no code. Otherwise custom is nil.
func LoadModel(path string, custom encoder.Encoder) (*Model, error) {
	var m *Model
	err := files.Read(path, func(r io.Reader) (err error) {
		m, err = ReadModel(r, custom)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return m, nil
}

// ReadModel reads what [Model.Write] wrote; custom is as for [LoadModel]. The reader must be an io.ByteReader, or more is read
// than the model.
func ReadModel(r io.Reader, custom encoder.Encoder) (*Model, error) {
	var head modelHead
	if err := gob.NewDecoder(r).Decode(&head); err != nil {
		return nil, fmt.Errorf("it is no model of this program, or damaged: %w", err)
	}
	known := slices.IndexFunc(knownEncoders, func(e encoder.Encoder) bool { return fmt.Sprintf("%T", e) == head.EncoderType })
	switch {
	case custom != nil:
		if got := fmt.Sprintf("%T", custom); got != head.EncoderType {
			return nil, fmt.Errorf("it was trained with the encoder %s, not %s", head.EncoderType, got)
		}
		if got := encoderFields(custom); got != nil && head.Encoder != nil && !bytes.Equal(got, head.Encoder) {
			return nil, fmt.Errorf("it was trained with the encoder %s %s, not %s", head.EncoderType, head.Encoder, got)
		}
	case known >= 0:
		read := reflect.New(reflect.TypeOf(knownEncoders[known]))
		if err := json.Unmarshal(head.Encoder, read.Interface()); err != nil {
			return nil, err
		}
		custom = read.Elem().Interface().(encoder.Encoder)
	default:
		return nil, fmt.Errorf("it was trained with the encoder %s; pass one, with the same fields, to load it",
			strings.TrimSpace(head.EncoderType+" "+string(head.Encoder)))
	}
	m := newModel(custom, head.Projection, augment.Shape{Height: head.Height, Width: head.Width, Channels: head.Channels}, head.Features)
	m.History, m.Record = head.History, head.Record
	if m.History.Losses == nil {
		m.History.Losses = head.Losses
	}
	m.History.pad()
	return m, readVariables(r, m.store)
}

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
