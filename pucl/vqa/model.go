package vqa

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/safetensors"
	"github.com/puclab/puclab/pucl/train"
)

// Model answers questions. It is not safe for concurrent use.
type Model struct {
	History train.History
	Record  train.Record

	store     *model.Store
	config    Config
	tokenizer *Tokenizer
	answers   []string
	shape     augment.Shape
}

// Answers returns the answer list of the model.
func (m *Model) Answers() []string { return slices.Clone(m.answers) }

// Answer returns the answer with the largest score to each question; it ignores the annotators' answers.
func (m *Model) Answer(eng *engine.Engine, images train.Images, questions []Question) ([]string, error) {
	scores, err := m.Scores(eng, images, questions)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(scores))
	for i, row := range scores {
		best := 0
		for k, v := range row {
			if v > row[best] {
				best = k
			}
		}
		out[i] = m.answers[best]
	}
	return out, nil
}

// Scores returns the logit of every answer in [Model.Answers] to each question. Images must have the size of the
// training images.
func (m *Model) Scores(eng *engine.Engine, images train.Images, questions []Question) ([][]float64, error) {
	const perCall = 256
	if err := eng.Check(); err != nil {
		return nil, err
	}
	if images == nil || len(questions) == 0 {
		return nil, errors.New("vqa: no images or no questions to answer; give at least one of both")
	}
	if shape := shapeOf(images); shape != m.shape {
		return nil, fmt.Errorf("vqa: images of %s, and the model learned from images of %s; bring them to that size", shape, m.shape)
	}
	size := pixels.Bytes(m.shape)
	texts, length := make([][]int32, len(questions)), 0
	for i, q := range questions {
		if q.Image < 0 || q.Image >= images.Len() {
			return nil, fmt.Errorf("vqa: question %d is about image %d, and there are %d images; count them from 0", i, q.Image, images.Len())
		}
		ids, err := m.tokenizer.encode(q.Text, fmt.Sprintf("question %d", i), m.config.Text.Positions)
		if err != nil {
			return nil, err
		}
		texts[i], length = ids, max(length, len(ids))
	}
	exec, err := model.NewExec(eng.Backend, m.store, func(scope *model.Scope, images, questions *Node) *Node {
		logits, _ := m.config.network(scope.At(networkScope), train.ScalePixels(images), questions, nil, len(m.answers))
		return logits
	})
	if err != nil {
		return nil, fmt.Errorf("vqa: building the network: %w", engine.RootCause(err))
	}
	defer exec.Finalize()
	var scores [][]float64
	// All calls have the same number of rows, so that there is one compilation; copies of the last question fill the
	// last call.
	rows := min(perCall, len(questions))
	for start := 0; start < len(questions); start += rows {
		buffer, ids := make([]uint8, rows*size), make([][]int32, rows)
		for i := range rows {
			at := min(start+i, len(questions)-1)
			ids[i] = texts[at]
			if err := images.ReadImage(questions[at].Image, buffer[i*size:(i+1)*size]); err != nil {
				return nil, fmt.Errorf("vqa: reading image %d: %w", questions[at].Image, err)
			}
		}
		out, err := exec.Call1(tensors.FromFlatDataAndDimensions(buffer, rows, m.shape.Height, m.shape.Width, m.shape.Channels), fill(ids, length))
		if err != nil {
			return nil, fmt.Errorf("vqa: answering questions from %d on: %w", start, engine.RootCause(err))
		}
		flat, err := tensors.CopyFlatData[float32](out)
		if err != nil {
			return nil, fmt.Errorf("vqa: reading the answers from %d on: %w", start, err)
		}
		for i := range min(rows, len(questions)-start) {
			row := make([]float64, len(m.answers))
			for k := range row {
				row[k] = float64(flat[i*len(row)+k])
			}
			scores = append(scores, row)
		}
	}
	return scores, nil
}

// StateDict returns the weights of the network under PyTorch's names, image and text encoder, projections and head, for
// a safetensors file; see [encoder.StateDict].
func (m *Model) StateDict() (map[string]safetensors.Tensor, error) {
	return encoder.StateDict(m.store, networkScope)
}

// Load returns the model of a configuration with the weights from [Model.StateDict], for images of the given shape.
// Tokenizer and answers must equal the ones of its training, in the same order.
func Load(eng *engine.Engine, dict map[string]safetensors.Tensor, tokenizer *Tokenizer, answers []string, shape augment.Shape, config Config) (*Model, error) {
	if err := eng.Check(); err != nil {
		return nil, err
	}
	if tokenizer == nil {
		return nil, errors.New("vqa: no Tokenizer; make one by NewTokenizer")
	}
	if _, err := indexOf(answers); err != nil {
		return nil, err
	}
	m := &Model{store: model.NewStore(), config: config.withDefaults(tokenizer), tokenizer: tokenizer, answers: slices.Clone(answers), shape: shape}
	if err := m.config.check(tokenizer, shape); err != nil {
		return nil, err
	}
	return m, m.load(eng, dict)
}

// load sets the weights of the network.
func (m *Model) load(eng *engine.Engine, dict map[string]safetensors.Tensor) error {
	err := encoder.LoadWeights(eng.Backend, m.store, networkScope, "this model", func(scope *model.Scope, g *Graph) {
		images := Parameter(g, "images", shapes.Make(dtypes.Float32, 1, m.shape.Height, m.shape.Width, m.shape.Channels))
		tokens := Parameter(g, "tokens", shapes.Make(dtypes.Int32, 1, 2))
		captions := tokens
		if m.config.AnswersOnly {
			captions = nil
		}
		m.config.network(scope, images, tokens, captions, len(m.answers))
	}, dict)
	if err != nil {
		return fmt.Errorf("vqa: %s", strings.TrimPrefix(err.Error(), "encoder: "))
	}
	return nil
}
