package pucl

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/puclab/puclab/pucl/encoder"
)

// modelHead comes before the variables in a model's file.
type modelHead struct {
	EncoderType             string // Go type of the encoder
	Encoder                 []byte // its fields as JSON, where they can be written so
	Projection              int
	Height, Width, Channels int
	Features                int
	Losses                  []float64
	History                 History // empty in files of programs that kept none
	Record                  Record
}

// knownEncoders are the networks that a model's file can bring back by itself.
var knownEncoders = []encoder.Encoder{
	encoder.SmallCNN{}, encoder.MLP{}, encoder.ResNet{}, encoder.ViT{}, encoder.LeNet{}, encoder.ShortConv{}, encoder.AllConv{},
}

// fields are those of an encoder as JSON, nil for an encoder of one's own that JSON cannot hold.
func fields(e encoder.Encoder) []byte {
	data, err := json.Marshal(e)
	if err != nil {
		return nil
	}
	return data
}

// knownEncoder returns the type with the given name, where it is known.
func knownEncoder(name string) (reflect.Type, bool) {
	for _, e := range knownEncoders {
		if fmt.Sprintf("%T", e) == name {
			return reflect.TypeOf(e), true
		}
	}
	return nil, false
}

// Save writes the model, encoder and projector, to one file, whole or not at all.
func (m *Model) Save(path string) error {
	if err := writeFile(path, m.write); err != nil {
		return fmt.Errorf("pucl: saving the model: %w", err)
	}
	return nil
}

func (m *Model) write(w io.Writer) error {
	head := modelHead{
		EncoderType: fmt.Sprintf("%T", m.encoder), Projection: m.projection,
		Height: m.height, Width: m.width, Channels: m.channels, Features: m.features, Losses: m.Losses, History: m.History, Record: m.Record,
	}
	head.Encoder = fields(m.encoder)
	if err := gob.NewEncoder(w).Encode(head); err != nil {
		return err
	}
	return writeVariables(w, m.store)
}

// LoadModel reads a model that [Model.Save] wrote. The networks of package encoder come back by themselves; a model with an
// encoder of one's own needs that encoder as custom, with the same fields, since a file holds no code. Otherwise custom is nil.
func LoadModel(path string, custom encoder.Encoder) (*Model, error) {
	var m *Model
	err := readFile(path, func(r io.Reader) (err error) {
		m, err = readModel(r, custom)
		return err
	})
	return m, err
}

func readModel(r io.Reader, custom encoder.Encoder) (*Model, error) {
	var head modelHead
	if err := gob.NewDecoder(r).Decode(&head); err != nil {
		return nil, fmt.Errorf("it is no model of this program, or damaged: %w", err)
	}
	kind, known := knownEncoder(head.EncoderType)
	switch {
	case custom != nil:
		if got := fmt.Sprintf("%T", custom); got != head.EncoderType {
			return nil, fmt.Errorf("it was trained with the encoder %s, not %s", head.EncoderType, got)
		}
		if got := fields(custom); got != nil && head.Encoder != nil && !bytes.Equal(got, head.Encoder) {
			return nil, fmt.Errorf("it was trained with the encoder %s %s, not %s", head.EncoderType, head.Encoder, got)
		}
	case known:
		read := reflect.New(kind)
		if err := json.Unmarshal(head.Encoder, read.Interface()); err != nil {
			return nil, err
		}
		custom = read.Elem().Interface().(encoder.Encoder)
	default:
		return nil, fmt.Errorf("it was trained with the encoder %s; pass one, with the same fields, to load it",
			strings.TrimSpace(head.EncoderType+" "+string(head.Encoder)))
	}
	m := newModel(custom, head.Projection, head.Height, head.Width, head.Channels)
	m.features = head.Features
	m.Losses, m.History, m.Record = head.Losses, head.History, head.Record
	m.History.fit(len(m.Losses))
	return m, readVariables(r, m.store)
}

// readFile opens path for read, and names it in every error.
func readFile(path string, read func(io.Reader) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("pucl: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// A bufio.Reader is an io.ByteReader, so that a gob decoder reads no further than its own values.
	if err := read(bufio.NewReader(f)); err != nil {
		return fmt.Errorf("pucl: reading %s: %w", path, err)
	}
	return nil
}
