package train

import (
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

func TestImageShape(t *testing.T) {
	height, width, channels := newModel(tiny, 4, augment.Shape{Height: 6, Width: 5, Channels: 3}, 0).ImageShape()
	expect.That(t, height == 6 && width == 5 && channels == 3,
		"a model of images 6×5×3 says %d×%d×%d", height, width, channels)
}

// randomImages are n images of that size with random pixels, all of one class.
func randomImages(n, height, width int) *datasets.Images {
	rng := rand.New(rand.NewPCG(3, 1))
	m := &datasets.Images{Height: height, Width: width, Channels: 1, Labels: make([]int, n), Classes: []string{"noise"}}
	for range n * height * width {
		m.Pixels = append(m.Pixels, uint8(rng.IntN(256)))
	}
	return m
}

// damagedImages cannot read one image.
type damagedImages struct {
	*datasets.Images
	bad int
}

var errDamaged = errors.New("the file is damaged")

func (d damagedImages) ReadImage(i int, dst []uint8) error {
	if i == d.bad {
		return errDamaged
	}
	return d.Images.ReadImage(i, dst)
}

// Images that know their shape give what their bytes give, however many calls they take.
func TestEmbedImages(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	images := randomImages(515, 12, 12)
	want := expect.Must(m.Embed(eng, images.Pixels))(t)
	got := expect.Must(m.EmbedImages(eng, images))(t)
	if n, _ := got.H.Dims(); n != 515 || !mat.Equal(got.H, want.H) || !mat.Equal(got.Z, want.Z) {
		t.Errorf("%d images embed in another way than their bytes", n)
	}
}

func TestEmbedImagesRefuses(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	short := randomImages(4, 12, 12)
	short.Labels = short.Labels[:3]
	for _, tt := range []struct {
		name   string
		model  *Model
		images Images
		want   string
	}{
		{"as many bytes of another shape", m, randomImages(4, 6, 24), "train: images of 6×24×1 (height×width×channels), but this model embeds " +
			"images of 12×12×1; … bring them to that size, or train a model on these"},
		{"a model of features", &Model{features: 3}, randomImages(4, 12, 12), "train: this model embeds rows of 3 features, not images; … use EmbedFeatures"},
		{"none", m, randomImages(0, 12, 12), "train: no images given to embed; … give at least one"},
		{"nil", m, nil, "train: no images given to embed; … give at least one"},
		{"a nil pointer", m, (*datasets.Images)(nil), "train: datasets: no images given (the pointer is nil); … give those of a loader"},
		{"a label too few", m, short, "train: datasets: 4 images of 12×12×1 (height×width×channels), but 3 labels: … give one for each image, in the same order"},
		{"a damaged file", m, damagedImages{randomImages(520, 12, 12), 516}, "train: reading image 516: … the file is damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal.Whole(t, refusal.Err(tt.model.EmbedImages(eng, tt.images)), tt.want) })
	}
	_, err := m.EmbedImages(eng, damagedImages{randomImages(4, 12, 12), 2})
	expect.That(t, errors.Is(err, errDamaged), "the cause is gone from %v", err)
	for _, shape := range [][3]int{{13, 12, 1}, {12, 13, 1}, {12, 12, 3}} {
		refusal.Check(t, m.CheckShape(shape[0], shape[1], shape[2]),
			"this model embeds images of 12×12×1 … bring them to that size, or train a model")
	}
	expect.NoError(t, m.CheckShape(m.ImageShape()))
}
