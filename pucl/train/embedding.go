package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/safetensors"
)

// Embedding holds the outputs of a model for examples, one row each.
type Embedding struct {
	H *mat.Dense // encoder outputs g_B(x), [n, k]
	Z *mat.Dense // projections h_Γ(g_B(x)), [n, p]
}

// embeddingKind is the kind in the header of an embedding's file.
var embeddingKind = container.Kind{
	Name: "embedding", Reader: "train.LoadEmbedding", Version: 1, Mend: "copy it again from where it was made, or embed again",
}

// Save writes e to one file atomically. Numbers are stored in float32, the precision of models. A matrix without rows
// loads as nil.
func (e *Embedding) Save(path string) error {
	if err := container.Save(path, e.encode); err != nil {
		return fmt.Errorf("train: saving the embedding: %w", err)
	}
	return nil
}

// LoadEmbedding reads a file written by [Embedding.Save]. A file that differs in any bit from the saved one is an
// error.
func LoadEmbedding(path string) (*Embedding, error) {
	sections, err := embeddingKind.Read(path, "matrices")
	if err != nil {
		return nil, named(err)
	}
	e := &Embedding{}
	if err := e.decode(sections); err != nil {
		return nil, fmt.Errorf("train: %s %w", path, err)
	}
	return e, nil
}

// MarshalBinary returns the bytes that [Embedding.Save] writes, so that gob can encode values with embeddings.
func (e *Embedding) MarshalBinary() ([]byte, error) {
	file, err := e.encode()
	return slices.Concat(file...), err
}

// UnmarshalBinary decodes bytes returned by MarshalBinary.
func (e *Embedding) UnmarshalBinary(data []byte) error {
	sections, err := embeddingKind.Decode(data, "matrices")
	if err == nil {
		err = e.decode(sections)
	}
	if err != nil {
		return fmt.Errorf("train: the embedding %w", err)
	}
	return nil
}

// errNoEmbedding is the error for a nil *Embedding.
var errNoEmbedding = errors.New("no embedding; Embed of a model makes one, LoadEmbedding reads one")

func (e *Embedding) encode() (container.Parts, error) {
	if e == nil {
		return nil, errNoEmbedding
	}
	file := safetensors.File{Tensors: map[string]safetensors.Tensor{}}
	for name, x := range map[string]*mat.Dense{"H": e.H, "Z": e.Z} {
		if x == nil || x.IsEmpty() {
			continue
		}
		n, k := x.Dims()
		numbers := make([]byte, 0, 4*n*k)
		for i := range n {
			for _, value := range x.RawRowView(i) {
				numbers = binary.LittleEndian.AppendUint32(numbers, math.Float32bits(float32(value)))
			}
		}
		file.Tensors[name] = safetensors.Tensor{DType: safetensors.F32, Shape: []int{n, k}, Data: numbers}
	}
	matrices, err := file.Parts()
	if err != nil {
		return nil, err
	}
	return embeddingKind.Encode(container.Section{Name: "matrices", Parts: matrices})
}

func (e *Embedding) decode(sections [][]byte) error {
	file, err := safetensors.Decode(sections[0])
	if err != nil {
		return embeddingKind.Damaged("cannot be read (%v)", err)
	}
	*e = Embedding{}
	for name, t := range file.Tensors {
		to, ok := map[string]**mat.Dense{"H": &e.H, "Z": &e.Z}[name]
		if !ok || t.DType != safetensors.F32 || len(t.Shape) != 2 || len(t.Data) == 0 {
			return embeddingKind.Damaged("has a matrix %s of %s %v", name, t.DType, t.Shape)
		}
		numbers := make([]float64, len(t.Data)/4)
		for i := range numbers {
			numbers[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
		}
		*to = mat.NewDense(t.Shape[0], t.Shape[1], numbers)
	}
	return nil
}

// Take returns the rows of e at index, in that order; a row may occur more than once. It maps the embeddings of all
// images to the embeddings of the examples of a PU data set.
func (e *Embedding) Take(index []int) (*Embedding, error) {
	if e == nil {
		return nil, named(errNoEmbedding)
	}
	h, err := rows.Take(e.H, index)
	if err != nil {
		return nil, err
	}
	z, err := rows.Take(e.Z, index)
	return &Embedding{H: h, Z: z}, err
}
