package train

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// NewModel returns an untrained model for images of height×width×channels. Its encoder has the weights of the
// configuration, for example of a torchvision network in a file, bit for bit, including running averages of batch
// normalization:
//
//	file, err := safetensors.ReadFile("resnet18.safetensors")
//	m, err := train.NewModel(eng, 32, 32, 3, train.Config{
//		Encoder: encoder.ResNet{Depth: 18}, Weights: file.Tensors, LeaveOut: []string{"fc."},
//	})
//	embedding, err := m.EmbedImages(eng, images)
//
// The projector, and the encoder without Weights, equal the initial networks of [Pretrain] with that seed. NewModel
// uses only Encoder, Projection, Weights, LeaveOut and Seed of the configuration. Weights that do not match the encoder
// are an error that lists the differences.
func NewModel(eng *engine.Engine, height, width, channels int, config Config) (*Model, error) {
	c := config.withDefaults()
	if c.Encoder == nil {
		c.Encoder = encoder.SmallCNN{}
	}
	switch {
	case height < 1 || width < 1 || channels < 1:
		return nil, fmt.Errorf("train: images of %d×%d×%d; height, width and channels must be at least 1", height, width, channels)
	case c.Projection < 0:
		return nil, c.check(eng)
	}
	if err := eng.Check(); err != nil {
		return nil, err
	}
	m := newModel(c.Encoder, c.Projection, augment.Shape{Height: height, Width: width, Channels: channels}, 0)
	encoder.SetSeed(m.store, c.Seed)
	if err := m.startFrom(eng, c); err != nil {
		return nil, err
	}
	// The first graph creates the variables; the graph of an embedding does not change the running averages.
	exec, err := model.NewExec(eng.Backend, m.store, func(scope *model.Scope, images *Node) *Node {
		_, z := m.graph(scope, ScalePixels(images), false)
		return z
	})
	if err == nil {
		defer exec.Finalize()
		_, err = exec.Call1(tensors.FromFlatDataAndDimensions(make([]uint8, height*width*channels), 1, height, width, channels))
	}
	if err != nil {
		return nil, fmt.Errorf("train: building the encoder: %w", engine.RootCause(err))
	}
	network := encoder.Describe(c.Encoder)
	if c.Weights != nil {
		network += fmt.Sprintf(" from %d given tensors", len(c.Weights))
	}
	m.Record = NewRecord(eng, fmt.Sprintf("images %d×%d×%d, none trained on", height, width, channels),
		fmt.Sprintf("not trained; encoder: %s; projection %d-d; seed %d", network, c.Projection, c.Seed))
	return m, m.DropTraining()
}
