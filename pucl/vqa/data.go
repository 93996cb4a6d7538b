package vqa

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/internal/parallel"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/train"
)

// Data holds images with captions, and questions about them.
type Data struct {
	Images    train.Images // read by several goroutines at once
	Captions  []string     // one for each image; nil with Config.AnswersOnly
	Questions []Question
	Answers   []string // the answer list of the model, without duplicates
	Tokenizer *Tokenizer
}

// Question is a question about an image with the answers of annotators.
type Question struct {
	Image   int // number of the image
	Text    string
	Answers []string // of all annotators, with repetitions; at least one must be in Data.Answers
}

// prepared holds data in the form of tensors.
type prepared struct {
	images    train.Images
	shape     augment.Shape
	tokenizer *Tokenizer
	questions [][]int32
	captions  [][]int32
	target    [][]share                       // of each question: target shares of the listed answers
	image     []int                           // of each question
	about     [][]int                         // questions about each image that has questions
	longest   struct{ question, caption int } // in tokens
	answers   int
}

// share is the weight of an answer in the target of a question.
type share struct {
	answer int
	of     float32
}

// prepare checks the data.
func (d Data) prepare(c Config) (*prepared, error) {
	if d.Images == nil || d.Images.Len() == 0 || len(d.Questions) == 0 {
		return nil, errors.New("vqa: no images or no questions; give at least 2 images and a question about each")
	}
	if !c.AnswersOnly && len(d.Captions) != d.Images.Len() {
		return nil, fmt.Errorf("vqa: %d images and %d captions; give one for each image, in the same order, or set AnswersOnly",
			d.Images.Len(), len(d.Captions))
	}
	list, err := indexOf(d.Answers)
	if err != nil {
		return nil, err
	}
	p := &prepared{images: d.Images, tokenizer: d.Tokenizer, answers: len(d.Answers), shape: shapeOf(d.Images)}
	byImage := map[int]int{}
	for i, q := range d.Questions {
		if q.Image < 0 || q.Image >= d.Images.Len() {
			return nil, fmt.Errorf("vqa: question %d is about image %d, and there are %d images; count them from 0", i, q.Image, d.Images.Len())
		}
		ids, err := d.Tokenizer.encode(q.Text, fmt.Sprintf("question %d", i), c.Text.Positions)
		if err != nil {
			return nil, err
		}
		target := targetOf(q.Answers, list)
		if len(target) == 0 {
			return nil, fmt.Errorf("vqa: none of the answers to question %d is in the list of %d: %.60q; add one to Data.Answers, or leave the question out",
				i, len(d.Answers), q.Answers)
		}
		at, ok := byImage[q.Image]
		if !ok {
			at = len(p.about)
			byImage[q.Image], p.about = at, append(p.about, nil)
		}
		p.about[at] = append(p.about[at], i)
		p.questions, p.target, p.image = append(p.questions, ids), append(p.target, target), append(p.image, q.Image)
		p.longest.question = max(p.longest.question, len(ids))
	}
	if !c.AnswersOnly {
		for i, text := range d.Captions {
			ids, err := d.Tokenizer.encode(text, fmt.Sprintf("caption %d", i), c.Text.Positions)
			if err != nil {
				return nil, err
			}
			p.captions, p.longest.caption = append(p.captions, ids), max(p.longest.caption, len(ids))
		}
	}
	if len(p.about) < c.Batch {
		return nil, fmt.Errorf("vqa: batches of %d images, and there are questions about %d; ask about more images, or set Batch to at most %d",
			c.Batch, len(p.about), len(p.about))
	}
	return p, nil
}

// targetOf returns the shares of the listed answers of annotators, in the order of the list.
func targetOf(answers []string, list map[string]int) (target []share) {
	given, known := map[int]int{}, 0
	for _, a := range answers {
		if k, ok := list[a]; ok {
			given[k]++
			known++
		}
	}
	for _, k := range slices.Sorted(maps.Keys(given)) {
		target = append(target, share{k, float32(given[k]) / float32(known)})
	}
	return target
}

// indexOf returns the index of every answer in the list.
func indexOf(answers []string) (map[string]int, error) {
	list := map[string]int{}
	for k, a := range answers {
		if first, twice := list[a]; twice {
			return nil, fmt.Errorf("vqa: answers %d and %d are both %q; give every answer once", first, k, a)
		}
		list[a] = k
	}
	if len(list) < 2 {
		return nil, fmt.Errorf("vqa: a list of %d answers; give at least 2 to choose from", len(list))
	}
	return list, nil
}

func shapeOf(images train.Images) augment.Shape {
	h, w, ch := images.Shape()
	return augment.Shape{Height: h, Width: w, Channels: ch}
}

// Random streams of one seed.
const (
	orderStream = 0x767161<<8 + iota // "vqa" in ASCII
	drawStream
)

// batch returns the batch of a step: different images, each with a random question about it. Each round uses the images
// in a new random order and drops the last incomplete batch.
func (p *prepared) batch(c Config, step int) (train.Batch, error) {
	rounds := len(p.about) / c.Batch
	order := rand.New(rand.NewPCG(c.Seed^orderStream, uint64(step/rounds))).Perm(len(p.about))
	rng := rand.New(rand.NewPCG(c.Seed^drawStream, uint64(step)))
	var rows []int
	for _, at := range order[step%rounds*c.Batch:][:c.Batch] {
		rows = append(rows, p.about[at][rng.IntN(len(p.about[at]))])
	}
	n := len(rows)
	images, err := p.read(rows)
	if err != nil {
		return train.Batch{}, err
	}
	target := make([]float32, n*p.answers)
	for i, row := range rows {
		for _, t := range p.target[row] {
			target[i*p.answers+t.answer] = t.of
		}
	}
	pick := func(texts [][]int32, of func(row int) int) [][]int32 {
		out := make([][]int32, n)
		for i, row := range rows {
			out[i] = texts[of(row)]
		}
		return out
	}
	inputs := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(images, n, p.shape.Height, p.shape.Width, p.shape.Channels),
		fill(pick(p.questions, func(row int) int { return row }), p.longest.question),
		tensors.FromFlatDataAndDimensions(target, n, p.answers),
	}
	for range 2 {
		numbers, err := c.Views.Draw(rng, p.shape, n)
		if err != nil {
			return train.Batch{}, fmt.Errorf("vqa: %w", err)
		}
		inputs = append(inputs, tensors.FromFlatDataAndDimensions(numbers, n, c.Views.Numbers()))
	}
	if !c.AnswersOnly {
		captions := pick(p.captions, func(row int) int { return p.image[row] })
		masked := make([][]int32, n)
		for i, ids := range captions {
			masked[i] = slices.Clone(ids)
			for k := 1; k < len(ids)-1; k++ { // the first token and the last are not masked
				if rng.Float64() < c.MaskWords {
					masked[i][k] = p.tokenizer.mask
				}
			}
		}
		inputs = append(inputs, fill(captions, p.longest.caption), fill(masked, p.longest.caption))
	}
	return train.Batch{Inputs: inputs, Examples: n}, nil
}

// read returns the images at rows, concatenated. All cores decode files.
func (p *prepared) read(rows []int) ([]uint8, error) {
	size := pixels.Bytes(p.shape)
	images, errs := make([]uint8, len(rows)*size), make([]error, len(rows))
	parallel.Each(len(rows), func(i int) {
		if err := p.images.ReadImage(p.image[rows[i]], images[i*size:(i+1)*size]); err != nil {
			errs[i] = fmt.Errorf("vqa: reading image %d: %w", p.image[rows[i]], err)
		}
	})
	return images, cmp.Or(errs...)
}

// fill returns tokens as a tensor [n, length], padded with 0.
func fill(list [][]int32, length int) *tensors.Tensor {
	flat := make([]int32, len(list)*length)
	for i, ids := range list {
		copy(flat[i*length:], ids)
	}
	return tensors.FromFlatDataAndDimensions(flat, len(list), length)
}
