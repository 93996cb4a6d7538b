package vqa

import (
	"cmp"
	"fmt"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/safetensors"
	"github.com/puclab/puclab/pucl/train"
)

// Config configures model and training. The zero value is a small model for images of about 32×32, which trains on two
// cores.
type Config struct {
	Image encoder.ViT // the zero value means patches of 8, 3 layers, 4 heads, 64 dimensions, 128 hidden
	// Text encodes questions and captions; its fusion layers attend to the image. The zero value means 32 positions, 2
	// layers, 2 of fusion, 4 heads, 64 dimensions, 128 hidden. A Vocabulary of 0 means the size of the tokenizer's
	// vocabulary.
	Text       encoder.BERT
	Projection int // dimensions of the common space; 0 means 32, TCL has 256

	Align       pucl.Objective // objective of all six terms; the zero value means pucl.NPair()
	Tau         float64        // temperature; 0 means 0.07
	Weight      float64        // of the mean of the six terms, relative to the loss of the answers; 0 means 1
	AnswersOnly bool           // no alignment at all
	Soft        float64        // weight α of the momentum encoder in the targets of the first two terms; 0 means 0.4
	Hard        bool           // weight 0: the matching pair is the target
	Momentum    float64        // of the moving average; 0 means 0.995
	MaskWords   float64        // share of a caption's tokens masked in one of its views; 0 means 0.15
	Views       augment.Recipe // of images; nil means crops of at least 0.7 of the area

	// Start holds initial weights under the names of Hugging Face: of a ViTModel for Image, and for Text of a BertModel
	// with as many layers as Text has of both kinds. Cross-attention to the image, which such a BERT lacks, starts at
	// random. Nil means random weights.
	Start struct{ Image, Text map[string]safetensors.Tensor }

	Batch    int            // images in a batch, each with its caption and one question; 0 means 64
	Seed     uint64         // seed of weights, batches, views and masks
	Settings train.Settings // Compute.MicroBatches must stay at one
}

// Base returns the sizes of the published model: ViT-B/16, BERT-base split into 6 layers of text and 6 of fusion, and
// 256 dimensions in the common space. Start takes pretrained weights.
func Base() Config {
	return Config{Image: encoder.ViTB16(), Text: encoder.BERT{Vocabulary: 30_522, Positions: 512, Segments: 2, Layers: 6, Fusion: 6,
		Heads: 12, Dim: 768, Hidden: 3072}, Projection: 256}
}

// withDefaults sets the zero fields to their defaults.
func (c Config) withDefaults(tokenizer *Tokenizer) Config {
	if c.Image.String() == (encoder.ViT{}).String() {
		c.Image = encoder.ViT{Patch: 8, Layers: 3, Heads: 4, Dim: 64, Hidden: 128}
	}
	if c.Text == (encoder.BERT{Vocabulary: c.Text.Vocabulary}) {
		c.Text = encoder.BERT{Vocabulary: c.Text.Vocabulary, Positions: 32, Segments: 1, Layers: 2, Fusion: 2, Heads: 4, Dim: 64, Hidden: 128}
	}
	c.Text.Vocabulary, c.Text.Positions = cmp.Or(c.Text.Vocabulary, tokenizer.Size()), cmp.Or(c.Text.Positions, 512)
	if c.Align.Attract == nil && c.Align.Repel == nil {
		c.Align = pucl.NPair()
	}
	c.Projection, c.Tau, c.Weight, c.Soft = cmp.Or(c.Projection, 32), cmp.Or(c.Tau, 0.07), cmp.Or(c.Weight, 1), cmp.Or(c.Soft, 0.4)
	if c.Hard {
		c.Soft = 0
	}
	c.Momentum, c.MaskWords, c.Batch = cmp.Or(c.Momentum, 0.995), cmp.Or(c.MaskWords, 0.15), cmp.Or(c.Batch, 64)
	if c.Views == nil {
		c.Views = augment.Recipe{augment.Crop{MinArea: 0.7, MaxArea: 1, MinRatio: 0.9, MaxRatio: 1.1}}
	}
	c.Settings = c.Settings.WithDefaults()
	return c
}

// check returns an error if c, with defaults set, is invalid.
func (c Config) check(tokenizer *Tokenizer, shape augment.Shape) error {
	switch {
	case c.Text.Fusion < 1:
		return fmt.Errorf("vqa: a text encoder without layers of fusion never sees the image; set Text.Fusion to at least 1")
	case c.Text.Vocabulary < tokenizer.Size():
		return fmt.Errorf("vqa: a text encoder for %d tokens and a tokenizer with %d; set Text.Vocabulary to 0 or to at least %d",
			c.Text.Vocabulary, tokenizer.Size(), tokenizer.Size())
	case c.Projection < 1 || c.Batch < 2:
		return fmt.Errorf("vqa: a common space of %d dimensions and batches of %d images; there must be at least 1 dimension, and 2 images to compare, "+
			"or 0 for the defaults", c.Projection, c.Batch)
	case !(c.Tau > 0) || !(c.Weight > 0):
		return fmt.Errorf("vqa: temperature %g, weight %g; both must be positive, or 0 for the defaults (AnswersOnly leaves out the alignment)", c.Tau, c.Weight)
	case !(0 <= c.Soft && c.Soft < 1) || !(0 <= c.Momentum && c.Momentum <= 1) || !(0 <= c.MaskWords && c.MaskWords < 1):
		return fmt.Errorf("vqa: Soft %g, Momentum %g, MaskWords %g; all three are shares, and Soft and MaskWords must lie below 1", c.Soft, c.Momentum, c.MaskWords)
	case c.Settings.Compute.MicroBatches > 1:
		return fmt.Errorf("vqa: MicroBatches %d; images are compared with all texts of a batch, so leave it 0, or make Batch smaller", c.Settings.Compute.MicroBatches)
	}
	views, err := c.Views.Check(shape)
	if err == nil && views != shape {
		err = fmt.Errorf("views of %s of images of %s; answers are given to images as they are, so views must have their size", views, shape)
	}
	if err != nil {
		return fmt.Errorf("vqa: %w", err)
	}
	return nil
}
