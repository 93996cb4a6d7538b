package vqa

import (
	"context"
	"errors"
	"fmt"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/safetensors"
	"github.com/puclab/puclab/pucl/train"
)

// version counts the changes of this package that change the results of a run.
const version = 1

// Train trains a model on data. [train.Run] describes how a run ends early and resumes from a checkpoint.
func Train(ctx context.Context, eng *engine.Engine, data Data, config Config) (*Model, error) {
	if data.Tokenizer == nil {
		return nil, errors.New("vqa: no Tokenizer; make one by NewTokenizer")
	}
	if err := eng.Check(); err != nil {
		return nil, err
	}
	c := config.withDefaults(data.Tokenizer)
	p, err := data.prepare(c)
	if err != nil {
		return nil, err
	}
	if err := c.check(data.Tokenizer, p.shape); err != nil {
		return nil, err
	}
	store := model.NewStore()
	encoder.SetSeed(store, c.Seed)
	if err := c.start(eng, store, p.shape); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%d questions about %d images, %d answers", len(data.Questions), data.Images.Len(), len(data.Answers))
	l := &learning{config: c, answers: p.answers}
	task := train.Task{
		Store: store, Batch: func(step int) (train.Batch, error) { return p.batch(c, step) }, Outputs: l.outputs, Loss: l.loss,
		Trained: networkScope, Networks: []string{networkScope}, Identity: c.identity(data),
		Name: "question answering", Example: "question", Data: text, Seed: c.Seed, Tau: c.Tau,
	}
	if !c.AnswersOnly {
		task.Networks = append(task.Networks, momentumScope)
		task.AfterUpdate = train.MovingAverage(momentumScope, networkScope, c.Momentum)
	}
	history, err := train.Run(ctx, eng, task, c.Settings)
	if err != nil {
		return nil, err
	}
	// The optimizer keeps its state in the network's scope, beside these variables.
	parts := []string{"image", "text", "image_projection", "text_projection", "head"}
	for i, part := range parts {
		parts[i] = networkScope + "/" + part
	}
	if err := train.DropTraining(store, parts...); err != nil {
		return nil, err
	}
	return &Model{
		History: *history, Record: train.NewRecord(eng, text, c.describe(), history.Earlier...),
		store: store, config: c, tokenizer: data.Tokenizer, answers: append([]string(nil), data.Answers...), shape: p.shape,
	}, nil
}

// start sets the encoders' weights from Config.Start.
func (c Config) start(eng *engine.Engine, store *model.Store, shape augment.Shape) error {
	if c.Start.Image != nil {
		dict, err := encoder.HuggingFaceViT(c.Start.Image)
		if err == nil {
			err = encoder.LoadStateDict(eng.Backend, store, networkScope+"/image", c.Image, shape.Height, shape.Width, shape.Channels, dict)
		}
		if err != nil {
			return fmt.Errorf("vqa: weights for Image: %s", strings.TrimPrefix(err.Error(), "encoder: "))
		}
	}
	if c.Start.Text == nil {
		return nil
	}
	text := c.Text
	text.Layers, text.Fusion = text.Layers+text.Fusion, 0
	dict := map[string]safetensors.Tensor{}
	for name, tensor := range c.Start.Text {
		dict[strings.TrimPrefix(strings.TrimPrefix(name, "module."), "bert.")] = tensor
	}
	err := encoder.LoadWeights(eng.Backend, store, networkScope+"/text", text.String(), func(scope *model.Scope, g *Graph) {
		tokens := Parameter(g, "tokens", shapes.Make(dtypes.Int32, 1, 1))
		text.Text(scope, tokens, NotEqual(tokens, ZerosLike(tokens)))
	}, dict, "pooler.", "cls.")
	if err != nil {
		return fmt.Errorf("vqa: weights for Text: %s", strings.TrimPrefix(err.Error(), "encoder: "))
	}
	return nil
}

// learning is one run. The method loss uses the fields that outputs sets, because a step is one graph.
type learning struct {
	config            Config
	answers           int
	network, momentum Seen
}

// outputs builds the graph from a batch to the logits of its questions.
func (l *learning) outputs(scope *model.Scope, in []*Node) *Node {
	c := l.config
	images, questions := train.ScalePixels(in[0]), in[1]
	view := func(i int) *Node { return c.Views.Apply(images, in[i]) }
	var captions, masked *Node
	if !c.AnswersOnly {
		captions, masked = in[5], in[6]
		// The momentum encoder gets another view of the image and the whole caption. It has every part of the network,
		// so that all are averaged; the compiler removes its unused question branch.
		_, l.momentum = c.network(scope.At(momentumScope), view(4), questions, captions, l.answers)
	}
	logits, seen := c.network(scope.At(networkScope), view(3), questions, masked, l.answers)
	l.network = seen
	return logits
}

// loss is the cross-entropy of the answers and the mean of the six terms.
func (l *learning) loss(logits *Node, in []*Node) *Node {
	loss := Neg(ReduceAllMean(ReduceSum(Mul(in[2], LogSoftmax(logits)), -1)))
	if l.config.AnswersOnly {
		return loss
	}
	terms := Terms(l.config.Align, l.network, l.momentum, l.config.Soft, l.config.Tau)
	sum := terms[0]
	for _, term := range terms[1:] {
		sum = Add(sum, term)
	}
	return Add(loss, MulScalar(sum, l.config.Weight/float64(len(terms))))
}

// identity holds everything that determines the numbers of a run, except its settings.
type identity struct {
	Version                 int
	Data                    string // digest of all but pixels, and of the first image
	Image, Text, Align      string
	Views                   string
	Projection, Batch       int
	Tau, Weight, Soft       float64
	Momentum, MaskWords     float64
	AnswersOnly, Pretrained bool
	Seed                    uint64
}

func (c Config) identity(data Data) identity {
	id := identity{
		Version: version, Image: c.Image.String(), Text: c.Text.String(), Align: c.Align.Name, Views: c.Views.String(), Projection: c.Projection,
		Batch: c.Batch, Tau: c.Tau, Weight: c.Weight, Soft: c.Soft, Momentum: c.Momentum, MaskWords: c.MaskWords, AnswersOnly: c.AnswersOnly,
		Pretrained: c.Start.Image != nil || c.Start.Text != nil, Seed: c.Seed,
	}
	if c.Settings.Checkpoint != "" {
		height, width, channels := data.Images.Shape()
		pixels := make([]uint8, height*width*channels)
		_ = data.Images.ReadImage(0, pixels) // an unreadable image is reported at its first use
		id.Data = train.Digest(pixels, fmt.Appendf(nil, "%d %q %v %q", data.Images.Len(), data.Captions, data.Questions, data.Answers))
	}
	return id
}

// describe returns a text with everything in c that affects the numbers.
func (c Config) describe() string {
	align := "answers alone"
	if !c.AnswersOnly {
		align = fmt.Sprintf("alignment by %s with weight %g, temperature %g, soft targets %g, momentum %g, masked words %g, %d dimensions",
			c.Align.Name, c.Weight, c.Tau, c.Soft, c.Momentum, c.MaskWords, c.Projection)
	}
	return fmt.Sprintf("question answering, version %d; %s; images: %s; texts: %s; views: %s; batches of %d; %s, %d steps; seed %d",
		version, align, c.Image, c.Text, c.Views, c.Batch, c.Settings.Update(), c.Settings.Steps, c.Seed)
}
