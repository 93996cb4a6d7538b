package train

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
)

// modelKind is the kind in the header of a model's file.
var modelKind = container.Kind{
	Name: "model", Reader: "train.LoadModel", Version: 2, Mend: "copy it again from where it was made, or train the model again",
}

// modelHead is the first section of a model's file; the variables are the second.
type modelHead struct {
	EncoderType             string // Go type of the encoder
	Encoder                 string // its fields as JSON, "" if JSON cannot encode them
	Projection              int
	Height, Width, Channels int
	Features                int
	History                 History
	Record                  Record
	Variables               []variable
}

// knownEncoders are the networks that a model's file can restore without a given encoder.
var knownEncoders = []encoder.Encoder{
	encoder.SmallCNN{}, encoder.MLP{}, encoder.ResNet{}, encoder.ViT{}, encoder.LeNet{}, encoder.ShortConv{}, encoder.AllConv{},
}

// encoderFields returns the fields of an encoder as JSON, "" for a user-defined encoder that JSON cannot encode.
func encoderFields(e encoder.Encoder) string {
	data, _ := json.Marshal(e)
	return string(data)
}

// Save writes the model, encoder and projector, to one file atomically. A variable that is not finite is an error.
func (m *Model) Save(path string) error {
	if err := m.check(); err != nil {
		return err
	}
	if err := container.Save(path, m.encode); err != nil {
		return fmt.Errorf("train: saving the model: %w", err)
	}
	return nil
}

// Write writes the bytes of the model's file to w, for files that hold more than a model. [DecodeModel] reads them.
func (m *Model) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	file, err := m.encode()
	if err != nil {
		return err
	}
	return file.Write(w)
}

func (m *Model) encode() (container.Parts, error) {
	if err := checkFinite(m.store); err != nil {
		return nil, fmt.Errorf("%w; train again with a lower learning rate, or load other weights", err)
	}
	variables, values, err := encodeVariables(m.store)
	if err != nil {
		return nil, err
	}
	head, err := strictjson.Marshal(modelHead{
		EncoderType: fmt.Sprintf("%T", m.encoder), Encoder: encoderFields(m.encoder), Projection: m.projection,
		Height: m.shape.Height, Width: m.shape.Width, Channels: m.shape.Channels, Features: m.features, History: m.History, Record: m.Record,
		Variables: variables,
	})
	if err != nil {
		return nil, err
	}
	return modelKind.Encode(container.Section{Name: "head", Parts: container.Parts{head}},
		container.Section{Name: "variables", Parts: values})
}

// modelSections are the sections of a model's file.
var modelSections = []string{"head", "variables"}

// LoadModel reads a model written by [Model.Save]. The networks of package encoder are restored from the file. A model
// with a user-defined encoder needs that encoder as custom, with the same fields, since a file holds no code; otherwise
// custom is nil. A file that differs in any bit from the saved one is an error, and so is a variable that is not
// finite.
func LoadModel(path string, custom encoder.Encoder) (*Model, error) {
	sections, err := modelKind.Read(path, modelSections...)
	if err != nil {
		return nil, named(err)
	}
	m, err := decodeModel(sections, custom)
	if err != nil {
		return nil, fmt.Errorf("train: %s %w", path, err)
	}
	return m, nil
}

// DecodeModel reads bytes written by [Model.Write]; custom is as for [LoadModel]. Its error is a predicate to follow
// the model's name: "is damaged; …".
func DecodeModel(data []byte, custom encoder.Encoder) (*Model, error) {
	sections, err := modelKind.Decode(data, modelSections...)
	if err != nil {
		return nil, err
	}
	return decodeModel(sections, custom)
}

func decodeModel(sections [][]byte, custom encoder.Encoder) (*Model, error) {
	var head modelHead
	if err := strictjson.Unmarshal(sections[0], &head); err != nil {
		return nil, modelKind.Damaged("has a damaged head (%v)", err)
	}
	const most = 1 << 20 // of each side, so that their product does not overflow
	least, sides := min(head.Height, head.Width, head.Channels), max(head.Height, head.Width, head.Channels)
	if head.History.steps() < 0 || head.Projection < 0 || head.Features < 0 || head.Features == 0 && (least < 1 || sides > most) {
		return nil, modelKind.Damaged("has a head that does not hold together")
	}
	e, err := head.encoder(custom)
	if err != nil {
		return nil, err
	}
	m := newModel(e, head.Projection, augment.Shape{Height: head.Height, Width: head.Width, Channels: head.Channels}, head.Features)
	m.History, m.Record = head.History, head.Record
	if err := decodeVariables(m.store, head.Variables, sections[1]); err != nil {
		return nil, modelKind.Damaged("does not hold together (%v)", err)
	}
	if err := checkFinite(m.store); err != nil {
		return nil, modelKind.Damaged("embeds nothing (%v)", err)
	}
	return m, nil
}

// encoder returns the encoder of a file: custom, if given, which must match, or a known one.
func (h *modelHead) encoder(custom encoder.Encoder) (encoder.Encoder, error) {
	known := slices.IndexFunc(knownEncoders, func(e encoder.Encoder) bool { return fmt.Sprintf("%T", e) == h.EncoderType })
	switch {
	case custom != nil:
		got := fmt.Sprintf("%T", custom)
		if got == "*"+h.EncoderType {
			return nil, fmt.Errorf("was trained with the encoder %s, not a pointer to one; pass the encoder itself", h.EncoderType)
		}
		if got != h.EncoderType {
			return nil, fmt.Errorf("was trained with the encoder %s, not %s; pass that one", h.EncoderType, strings.TrimPrefix(got, "*"))
		}
		if got := encoderFields(custom); got != "" && h.Encoder != "" && got != h.Encoder {
			return nil, fmt.Errorf("was trained with the encoder %s %s, not %s; pass that one", h.EncoderType, h.Encoder, got)
		}
		return custom, nil
	case known >= 0:
		read := reflect.New(reflect.TypeOf(knownEncoders[known]))
		if err := strictjson.Unmarshal([]byte(h.Encoder), read.Interface()); err != nil {
			return nil, modelKind.Damaged("has an encoder %s that cannot be read (%v)", h.EncoderType, err)
		}
		return read.Elem().Interface().(encoder.Encoder), nil
	}
	return nil, fmt.Errorf("was trained with the encoder %s; pass one, with the same fields, to load it",
		strings.TrimSpace(h.EncoderType+" "+h.Encoder))
}
