package vqa

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
	"github.com/puclab/puclab/pucl/train"
)

// blots is a set of 8×8 images, each bright in one half, "left" or "right", and red or blue.
type blots int

func (n blots) Len() int                           { return int(n) }
func (blots) Shape() (height, width, channels int) { return 8, 8, 3 }
func (blots) ReadImage(i int, dst []uint8) error {
	for p := range 64 {
		if half := p % 8 / 4; half == i%2 {
			dst[3*p+2*(i/2%2)] = 255
		}
	}
	return nil
}

func testData(t *testing.T, n int) Data {
	t.Helper()
	tokenizer, err := NewTokenizer(append(Special(), "where", "what", "color", "?", "left", "right", "red", "blue"))
	expect.NoError(t, err)
	d := Data{Images: blots(n), Answers: []string{"left", "right", "red", "blue"}, Tokenizer: tokenizer}
	for i := range n {
		place, color := d.Answers[i%2], d.Answers[2+i/2%2]
		d.Captions = append(d.Captions, color+" "+place)
		d.Questions = append(d.Questions, Question{i, "where?", []string{place, place, "elsewhere"}}, Question{i, "what color?", []string{color}})
	}
	return d
}

// tiny is a model that learns the blots within seconds.
func tiny() Config {
	return Config{
		Image: encoder.ViT{Patch: 4, Layers: 1, Heads: 2, Dim: 16, Hidden: 16}, Projection: 8, Batch: 8, Momentum: 0.9, Seed: 1,
		Text:     encoder.BERT{Positions: 8, Segments: 1, Layers: 1, Fusion: 1, Heads: 2, Dim: 16, Hidden: 16},
		Views:    augment.Recipe{},
		Settings: train.Settings{Steps: 150, LearningRate: 0.01},
	}
}

// trained is one run that several tests use.
var trained = sync.OnceValues(func() (*Model, error) {
	t := &testing.T{}
	return Train(context.Background(), enginetest.Open(t), testData(t, 32), tiny())
})

// The model learns the blots: every answer is correct and the alignment loss falls. A model loaded from the exported
// weights gives the same scores.
func TestTrainAndLoad(t *testing.T) {
	expect.Slow(t)
	eng, d := enginetest.Open(t), testData(t, 32)
	m := expect.Must(trained())(t)
	answers := expect.Must(m.Answer(eng, d.Images, d.Questions))(t)
	for i, q := range d.Questions {
		expect.That(t, answers[i] == q.Answers[0],
			"%s of %q: %s, want %s", q.Text, d.Captions[q.Image], answers[i], q.Answers[0])
	}
	losses := m.History.Losses
	// The loss of the answers starts at about log 4; the rest is the alignment.
	start, end := losses[0], losses[len(losses)-1]
	expect.That(t, !(start < math.Log(4)+1) && !(end > start-1), "the loss goes from %g to %g", start, end)
	dict := expect.Must(m.StateDict())(t)
	again, err := Load(eng, dict, d.Tokenizer, d.Answers, augment.Shape{Height: 8, Width: 8, Channels: 3}, tiny())
	expect.NoError(t, err)
	first := expect.Must(m.Scores(eng, d.Images, d.Questions))(t)
	if second, err := again.Scores(eng, d.Images, d.Questions); err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("the loaded model gives other scores, error %v", err)
	}
	if !slices.Equal(m.Answers(), d.Answers) || !strings.Contains(m.Record.String(), "N-pair") {
		t.Errorf("answers %q, record %s", m.Answers(), m.Record)
	}
}

// A batch has different images, the same ones for the same seed and step; a round has all of them. Masked captions
// differ from whole ones only in words.
func TestBatches(t *testing.T) {
	d, c := testData(t, 20), tiny()
	c.MaskWords = 0.5
	c = c.withDefaults(d.Tokenizer)
	p := expect.Must(d.prepare(c))(t)
	flat := func(step, input int) []byte {
		b := expect.Must(p.batch(c, step))(t)
		var out []byte
		expect.NoError(t, b.Inputs[input].ConstBytes(func(data []byte) { out = bytes.Clone(data) }))
		return out
	}
	for input := range 7 {
		expect.That(t, bytes.Equal(flat(3, input), flat(3, input)), "input %d differs between two calls", input)
	}
	expect.That(t, !bytes.Equal(flat(0, 1), flat(1, 1)) || !bytes.Equal(flat(0, 0), flat(1, 0)),
		"two steps have one batch")
	whole, masked := flat(0, 5), flat(0, 6)
	hidden, seen := 0, 0
	for i := 0; i < len(whole); i += 4 {
		w, m := int32(whole[i]), int32(masked[i])
		word := w >= int32(len(Special()))
		switch {
		case word && m == d.Tokenizer.mask:
			hidden++
		case word:
			seen++
		}
		expect.That(t, m == w || word && m == d.Tokenizer.mask, "token %d became %d", w, m)
	}
	expect.That(t, hidden != 0 && seen != 0, "%d words masked, %d not, of a half each", hidden, seen)
	if !slices.Equal(p.target[0], []share{{0, 1}}) { // two answers are "left"; the third is not in the list
		t.Errorf("target %v", p.target[0])
	}
}

// unread is a set of images that cannot be read.
type unread struct{ blots }

func (unread) ReadImage(int, []uint8) error { return fmt.Errorf("the disk is gone") }

func TestRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	d := testData(t, 16)
	with := func(change func(d *Data, c *Config)) error {
		d, c := d, tiny()
		d.Questions = slices.Clone(d.Questions)
		change(&d, &c)
		_, err := Train(context.Background(), eng, d, c)
		return err
	}
	m := expect.Must(trained())(t)
	weights := map[string]safetensors.Tensor{"x": {DType: safetensors.F32, Shape: []int{1}, Data: make([]byte, 4)}}
	long := strings.Repeat("what ", 9)
	for _, tt := range []struct {
		err  error
		says string
	}{
		{with(func(d *Data, _ *Config) { d.Tokenizer = nil }), "vqa: no Tokenizer … NewTokenizer"},
		{with(func(d *Data, _ *Config) { d.Questions = nil }), "vqa: no images or no questions … give at least 2 images"},
		{with(func(d *Data, _ *Config) { d.Captions = d.Captions[1:] }), "vqa: 16 images and 15 captions … or set AnswersOnly"},
		{with(func(d *Data, _ *Config) { d.Questions[3].Image = 16 }), "vqa: question 3 is about image 16 … count them from 0"},
		{with(func(d *Data, _ *Config) { d.Questions[2].Answers = []string{"green"} }), "vqa: none of the answers to question 2 is in the list of 4 … add one to Data.Answers"},
		{with(func(d *Data, _ *Config) { d.Questions[1].Text = long }), "vqa: question 1 has 11 tokens, and the model reads 8 … set Text.Positions higher"},
		{with(func(d *Data, _ *Config) { d.Answers = []string{"left", "left"} }), "vqa: answers 0 and 1 are both \"left\" … once"},
		{with(func(d *Data, _ *Config) { d.Answers = d.Answers[:1] }), "vqa: a list of 1 answers … at least 2"},
		{with(func(d *Data, _ *Config) { d.Images = unread{16} }), "vqa: reading image … the disk is gone"},
		{with(func(_ *Data, c *Config) { c.Batch = 17 }), "vqa: batches of 17 images … set Batch to at most 16"},
		{with(func(_ *Data, c *Config) { c.Batch = 1 }), "vqa: … batches of 1 images … 2 images to compare"},
		{with(func(_ *Data, c *Config) { c.Tau = -1 }), "vqa: temperature -1 … must be positive"},
		{with(func(_ *Data, c *Config) { c.Soft = 1 }), "vqa: Soft 1 … below 1"},
		{with(func(_ *Data, c *Config) { c.Text.Fusion = 0 }), "vqa: a text encoder without layers of fusion … set Text.Fusion"},
		{with(func(_ *Data, c *Config) { c.Text.Vocabulary = 3 }), "vqa: a text encoder for 3 tokens … set Text.Vocabulary"},
		{with(func(_ *Data, c *Config) { c.Settings.Compute.MicroBatches = 2 }), "vqa: MicroBatches 2 … make Batch smaller"},
		{with(func(_ *Data, c *Config) { c.Views = augment.Recipe{augment.Crop{Height: 4, Width: 4}} }), "vqa: views of … must have their size"},
		{with(func(_ *Data, c *Config) { c.Start.Image = weights }), "vqa: weights for Image: tensor x is none … drop the tensor first"},
		{with(func(_ *Data, c *Config) { c.Start.Text = weights }), "vqa: weights for Text: these weights are not those of BERT … take the encoder"},
		{with(func(_ *Data, c *Config) {
			c.Start.Text = map[string]safetensors.Tensor{"module.bert.embeddings.word_embeddings.weight": weights["x"]}
		}), "vqa: weights for Text: … take the encoder … of another shape (1): embeddings.word_embeddings.weight"},
		{refusal.Err(m.Answer(eng, d.Images, nil)), "vqa: no images or no questions to answer … give at least one"},
		{refusal.Err(m.Answer(eng, d.Images, []Question{{0, long, nil}})), "vqa: question 0 has 11 tokens … shorten it"},
		{refusal.Err(m.Answer(eng, d.Images, []Question{{-1, "where?", nil}})), "vqa: question 0 is about image -1 … count them from 0"},
		{refusal.Err(Load(eng, weights, d.Tokenizer, d.Answers, augment.Shape{Height: 8, Width: 8, Channels: 3}, tiny())),
			"vqa: these weights are not those of this model … take the encoder"},
	} {
		refusal.Check(t, tt.err, tt.says)
	}
}

// On XLA the first losses equal those of the pure-Go engine. TestTermsAgainstLoops tests the alignment terms on XLA;
// here they would compile four more networks.
func TestFirstLossesOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	config := tiny()
	config.AnswersOnly, config.Settings.Steps, config.Settings.Optimizer = true, 4, optim.SGD{LearningRate: 0.05}
	losses := func(eng *engine.Engine) []float64 {
		m := expect.Must(Train(context.Background(), eng, testData(t, 16), config))(t)
		return m.History.Losses
	}
	got := losses(xla)
	for i, want := range losses(pureGo) {
		expect.That(t, math.Abs(got[i]-want) <= 1e-3*want, "loss %g of step %d, and %g in pure Go", got[i], i, want)
	}
}
