package learn

import (
	"bytes"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/train"
)

// kind is the header of a classifier's file.
var kind = container.Kind{
	Name: "PU classifier", Reader: "pu.Load", Version: 1, Mend: "copy it again from where it was made, or train and " +
		"save the classifier again",
}

// fileHead is the first section of a classifier's file. The networks follow in the second, one after the other.
type fileHead struct {
	Info     Info
	Shape    augment.Shape
	Files    folder.Config
	Encoding *tabular.Encoding
	Members  []fileMember
}

// fileMember describes a member.
type fileMember struct {
	Trees   *prior.Forest `json:",omitempty"` // Weights and Bias are empty beside it
	Bytes   int           // of the network; 0 for a linear classifier of rows
	Unit    bool
	Weights []float64
	Bias    float64
}

// Save writes the classifier to one file, completely or not at all. The file holds the preprocessing as well, so that
// the loaded classifier takes the same raw input and returns the same bits on the same engine.
func (c *Classifier) Save(path string) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := container.Save(path, c.encode); err != nil {
		return fmt.Errorf("learn: saving the classifier: %w", err)
	}
	return nil
}

func (c *Classifier) encode() (container.Parts, error) {
	h := fileHead{Info: c.Info, Shape: c.shape, Files: c.files, Encoding: c.encoding}
	var networks container.Parts
	for _, m := range c.members {
		out := fileMember{Trees: m.Trees, Unit: m.Unit}
		if m.Head != nil {
			out.Weights, out.Bias = m.Head.Weights.RawRowView(0), m.Head.Bias[0]
		}
		if m.Network != nil {
			var network bytes.Buffer
			if err := m.Network.Write(&network); err != nil {
				return nil, err
			}
			out.Bytes, networks = network.Len(), append(networks, network.Bytes())
		}
		h.Members = append(h.Members, out)
	}
	text, err := strictjson.Marshal(h)
	if err != nil {
		return nil, err
	}
	return kind.Encode(container.Section{Name: "head", Parts: container.Parts{text}},
		container.Section{Name: "networks", Parts: networks})
}

// Load reads a classifier written by [Classifier.Save]; custom is as for [train.LoadModel]. A file that was changed or
// damaged is an error.
func Load(path string, eng *engine.Engine, custom encoder.Encoder) (*Classifier, error) {
	sections, err := kind.Read(path, "head", "networks")
	if err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	c, err := decode(sections, custom)
	if err != nil {
		return nil, fmt.Errorf("learn: %s %w", path, err)
	}
	c.eng = eng
	if err := eng.Check(); err != nil {
		return nil, err
	}
	return c, nil
}

func decode(sections [][]byte, custom encoder.Encoder) (*Classifier, error) {
	var h fileHead
	if err := strictjson.Unmarshal(sections[0], &h); err != nil {
		return nil, kind.Damaged("has a damaged head (%v)", err)
	}
	c := &Classifier{Info: h.Info, shape: h.Shape, files: h.Files, encoding: h.Encoding, programs: newCompiled()}
	rest := sections[1]
	for i, m := range h.Members {
		if m.Bytes < 0 || m.Bytes > len(rest) || m.Bytes == 0 && h.Encoding == nil ||
			(len(m.Weights) == 0) != (m.Trees != nil) {
			return nil, kind.Damaged("has a member %d that does not fit its head", i)
		}
		out := Member{Trees: m.Trees, Unit: m.Unit}
		if m.Trees == nil {
			out.Head = &probe.Probe{Weights: mat.NewDense(1, len(m.Weights), m.Weights), Bias: []float64{m.Bias}}
		}
		if m.Bytes > 0 {
			var err error
			if out.Network, err = train.DecodeModel(rest[:m.Bytes], custom); err != nil {
				return nil, fmt.Errorf("holds a network that %w", err)
			}
		}
		if err := out.check(); err != nil {
			return nil, kind.Damaged("has a member that does not hold together (%v)", err)
		}
		c.members, rest = append(c.members, out), rest[m.Bytes:]
	}
	if len(rest) > 0 || len(c.members) == 0 {
		return nil, kind.Damaged("has %d members and %d bytes that belong to none", len(c.members), len(rest))
	}
	return c, nil
}
