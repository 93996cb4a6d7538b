package learn

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/train"
)

// compiled holds the encoders of a classifier, compiled from the first prediction on until the classifier is no longer
// in use. It is safe for concurrent use.
type compiled struct {
	held *embedders
}

type embedders struct {
	mu  sync.Mutex
	all map[*train.Model]*train.Embedder
}

func newCompiled() *compiled {
	c := &compiled{&embedders{all: map[*train.Model]*train.Embedder{}}}
	runtime.AddCleanup(c, func(held *embedders) {
		for _, e := range held.all {
			e.Finalize()
		}
	}, c.held)
	return c
}

// of returns the embedder of a network.
func (c *compiled) of(eng *engine.Engine, m *train.Model) (*train.Embedder, error) {
	c.held.mu.Lock()
	defer c.held.mu.Unlock()
	if e, ok := c.held.all[m]; ok {
		return e, nil
	}
	e, err := m.NewEmbedder(eng)
	if err == nil {
		c.held.all[m] = e
	}
	return e, err
}

// embed returns the outputs of a network for the examples. Each number of rows needs a compiled program, so fewer than
// 512 examples are padded to a power of two: ten programs serve any number.
func (c *compiled) embed(eng *engine.Engine, m *train.Model, data Data) (*mat.Dense, error) {
	defer runtime.KeepAlive(c)
	e, err := c.of(eng, m)
	if err != nil {
		return nil, err
	}
	if !data.Images() {
		x := data.X
		n, d := x.Dims()
		if padded := rowsFor(n); padded > n {
			x = mat.NewDense(padded, d, nil)
			x.Slice(0, n, 0, d).(*mat.Dense).Copy(data.X)
		}
		return first(n)(e.EmbedFeatures(x))
	}
	images, size := data.Pixels, pixels.Bytes(data.Shape)
	n := len(images) / size
	if padded := rowsFor(n); padded > n {
		images = slices.Concat(images, make([]uint8, (padded-n)*size))
	}
	return first(n)(e.Embed(images))
}

// rowsFor returns the number of rows to which n examples are padded.
func rowsFor(n int) int {
	if n >= 512 {
		return n
	}
	return 1 << bits.Len(uint(n-1))
}

// first returns a function that passes on the first n rows of an embedding.
func first(n int) func(h *mat.Dense, err error) (*mat.Dense, error) {
	return func(h *mat.Dense, err error) (*mat.Dense, error) {
		if err != nil {
			return nil, err
		}
		_, k := h.Dims()
		return h.Slice(0, n, 0, k).(*mat.Dense), nil
	}
}
