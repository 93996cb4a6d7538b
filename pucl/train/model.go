package train

import (
	"errors"
	"fmt"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/safetensors"
)

// Model is a trained encoder with its projector. It is not safe for concurrent use.
type Model struct {
	History History // losses and other values of every step, and readings between them
	Record  Record  // the provenance of the training

	store      *model.Store
	encoder    encoder.Encoder
	projection int           // length of a projection; 0 if the model has no projector
	shape      augment.Shape // of an image; zero if the model embeds features
	features   int           // in a row; 0 if the model embeds images
}

func newModel(e encoder.Encoder, projection int, shape augment.Shape, features int) *Model {
	return &Model{store: model.NewStore(), encoder: e, projection: projection, shape: shape, features: features}
}

// Scopes of the variables.
const (
	encoderScope   = "encoder"
	projectorScope = "projector"
)

// graph embeds images [n, height, width, channels] or features [n, d] and projects the embeddings. Without a projector
// it returns the embeddings twice.
func (m *Model) graph(scope *model.Scope, examples *Node, training bool) (embeddings, projections *Node) {
	embeddings = m.Encode(scope, examples, training)
	if m.projection == 0 {
		return embeddings, embeddings
	}
	projections = encoder.Projector(scope.In(projectorScope), embeddings, m.projection, training)
	return embeddings, projections
}

// Encode builds the graph of the encoder: images [n, height, width, channels] in [0, 1], or features [n, d], to
// embeddings [n, k]. It uses the variables of Store. It is for tasks that train the encoder further.
func (m *Model) Encode(scope *model.Scope, examples *Node, training bool) *Node {
	return encoder.Embed(m.encoder, scope.In(encoderScope), examples, training)
}

// Encoder returns the encoder.
func (m *Model) Encoder() encoder.Encoder { return m.encoder }

// Features returns the number of features in the rows that the model embeds, 0 if it embeds images.
func (m *Model) Features() int { return m.features }

// Store returns the variables of encoder and projector, for tasks that train them further.
func (m *Model) Store() *model.Store { return m.store }

// Networks returns the scopes of Store that hold the encoder and the projector.
func (m *Model) Networks() []string { return []string{encoderScope, projectorScope} }

// Clone returns a copy of m that can be trained without changing m.
func (m *Model) Clone() (*Model, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	store, err := m.store.Clone()
	if err != nil {
		return nil, fmt.Errorf("train: copying the model: %w", err)
	}
	out := *m
	out.store = store
	return &out, nil
}

// DropTraining deletes all variables outside of encoder and projector: variables used only in training, such as
// the state of an optimizer.
func (m *Model) DropTraining() error {
	if err := m.check(); err != nil {
		return err
	}
	return DropTraining(m.store, m.Networks()...)
}

// check returns an error if m is nil or was made by hand.
func (m *Model) check() error {
	if m == nil || m.store == nil {
		return errors.New("train: no model; Pretrain and NewModel make one, LoadModel reads one")
	}
	return nil
}

// DropTraining deletes all variables of store outside of the networks, given by their scopes: variables used only
// in training, such as the state of an optimizer.
func DropTraining(store *model.Store, networks ...string) error {
	task := Task{Networks: networks}
	var paths []string
	for v := range store.IterVariables() {
		if !task.isNetwork(v) {
			paths = append(paths, v.Path())
		}
	}
	for _, path := range paths {
		if err := store.DeleteVariable(path); err != nil {
			return fmt.Errorf("train: dropping %s: %w", path, err)
		}
	}
	return nil
}

// Weights returns the values of the encoder's variables by the names and in the layouts of PyTorch, and of torchvision
// for encoder.ResNet and encoder.ViT. They can be Config.Weights of another run; [Model.Export] writes them for other
// programs.
func (m *Model) Weights() (map[string]safetensors.Tensor, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	weights, err := encoder.StateDict(m.store, "/"+encoderScope)
	return weights, named(err)
}

// Export writes the encoder's [Model.Weights] atomically to a safetensors file, which PyTorch, other programs and
// safetensors.ReadFile read. Its metadata describes the encoder and its training. [Model.Save] writes the whole model,
// projector included, for this program.
func (m *Model) Export(path string) error {
	weights, err := m.Weights()
	if err != nil {
		return err
	}
	file := safetensors.File{Tensors: weights, Metadata: map[string]string{
		"format":  "pt", // of names and layouts, as readers of such files expect
		"encoder": encoder.Describe(m.encoder), "record": strings.ToValidUTF8(m.Record.String(), "\uFFFD"),
	}}
	return named(file.WriteFile(path))
}

// ScalePixels converts bytes to float32 in [0, 1], the input of encoders.
func ScalePixels(images *Node) *Node { return MulScalar(ConvertDType(images, dtypes.Float32), 1.0/255) }
