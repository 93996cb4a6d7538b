package datasets

import (
	"bytes"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// six returns six images of 1×2×1, image i holding the values 10i and 10i+1, with the classes 0 1 2 0 1 2.
func six() *Images {
	m := &Images{Height: 1, Width: 2, Channels: 1, Classes: []string{"a", "b", "c"}}
	for i := range 6 {
		m.Pixels = append(m.Pixels, uint8(10*i), uint8(10*i+1))
		m.Labels = append(m.Labels, i%3)
	}
	return m
}

func TestImagesAt(t *testing.T) {
	m := six()
	view := m.At(2)
	expect.That(t, slices.Equal(view, []uint8{20, 21}), "At(2) = %v, want [20 21]", view)
	view[1] = 99
	expect.That(t, m.Pixels[5] == 99, "At returned a copy, want a view")
	_ = append(view, 7)
	expect.That(t, m.Pixels[6] == 30, "appending to the view of image 2 wrote into image 3")
}

func TestImagesSelect(t *testing.T) {
	m := six()
	got := expect.Must(m.Select([]int{4, 0, 4}))(t)
	expect.NoError(t, got.Validate())
	expect.Equal(t, got.Pixels, []uint8{40, 41, 0, 1, 40, 41}, "pixels")
	expect.Equal(t, got.Labels, []int{1, 0, 1}, "labels")
	got.Pixels[0] = 99
	expect.That(t, m.Pixels[8] == 40, "Select shares the pixels, want copies")
	expect.Error(t, expect.Err(m.Select([]int{1, 6})), "image 6", "6 images")
	expect.Error(t, expect.Err(m.Select([]int{-1})), "image -1")
}

func TestImagesCountsAndString(t *testing.T) {
	m := six()
	m.Labels[0] = 2
	expect.Equal(t, m.Counts(), []int{1, 2, 3}, "Counts()")
	expect.Equal(t, m.String(), "6 images of 1×2×1 (height×width×channels) in 3 classes", "String()")
}

func TestImagesValidate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*Images)
		want  []string
	}{
		{"valid", func(m *Images) {}, nil},
		{"empty", func(m *Images) { m.Labels, m.Pixels = nil, nil }, nil},
		{"no height", func(m *Images) { m.Height = 0 }, []string{"0×2×1", "at least 1"}},
		{"negative width", func(m *Images) { m.Width = -2 }, []string{"1×-2×1"}},
		{"two negative sizes", func(m *Images) { m.Width, m.Channels = -2, -1 }, []string{"at least 1"}},
		{"a pixel too many", func(m *Images) { m.Pixels = append(m.Pixels, 0) }, []string{"13 pixel values", "no whole number of images of 1×2×1"}},
		{"a label too few", func(m *Images) { m.Labels = m.Labels[:5] }, []string{"6 images of 1×2×1", "5 labels"}},
		{"sizes that overflow", func(m *Images) { m.Height, m.Width = 1<<31-1, 1<<31-1; m.Channels = 1 << 30 }, []string{"12 pixel values", "no whole number"}},
		{"class too large", func(m *Images) { m.Labels[4] = 3 }, []string{"image 4", "class 3", "3 classes"}},
		{"negative class", func(m *Images) { m.Labels[1] = -1 }, []string{"image 1", "class -1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := six()
			tt.spoil(m)
			if err := m.Validate(); tt.want != nil {
				expect.Error(t, err, tt.want...)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	expect.Error(t, (*Images)(nil).Validate(), "no images")
}

func TestHoldoutRowsRefusesANegativeNumberOfClasses(t *testing.T) {
	_, _, err := HoldoutRows(nil, -1, 0.5, 1)
	expect.Error(t, err, "-1 classes")
}

func TestHoldout(t *testing.T) {
	m := &Images{Height: 1, Width: 1, Channels: 1, Classes: []string{"a", "b"},
		Pixels: []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, Labels: []int{0, 1, 1, 0, 1, 1, 0, 1, 1, 0}}
	rest, held := expect.Must2(Holdout(m, 0.5, 7))(t)
	// Computed independently of this package, with the published formulas of PCG-DXSM, of Lemire's bounded draw and of
	// the shuffle from the end. Two of the four images of class 0 and three of the six of class 1.
	expect.Equal(t, held.Pixels, []uint8{0, 1, 5, 7, 9}, "held out")
	expect.Equal(t, rest.Pixels, []uint8{2, 3, 4, 6, 8}, "left")
	expect.Equal(t, held.Labels, []int{0, 1, 1, 1, 0}, "held out classes")
	_, other := expect.Must2(Holdout(m, 0.5, 8))(t)
	expect.That(t, !slices.Equal(other.Pixels, held.Pixels), "seeds 7 and 8 hold out the same images")
	// A share of 0.3 of 1, 2, 3 and 5 images is 0.3, 0.6, 0.9 and 1.5, so 0, 1, 1 and 2 are held out.
	uneven := &Images{Height: 1, Width: 1, Channels: 1, Classes: []string{"a", "b", "c", "d"},
		Pixels: make([]uint8, 11), Labels: []int{0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3}}
	rest, held = expect.Must2(Holdout(uneven, 0.3, 0))(t)
	expect.Equal(t, held.Counts(), []int{0, 1, 1, 2}, "held out of the classes")
	expect.Equal(t, rest.Counts(), []int{1, 1, 2, 3}, "left of the classes")
	for _, share := range []float64{0, 1, -0.1, 2} {
		_, _, err := Holdout(m, share, 0)
		expect.Error(t, err, "between 0 and 1")
	}
	_, _, err := Holdout(m, 0.01, 0)
	expect.Error(t, err, "empty")
	_, _, err = Holdout(nil, 0.5, 0)
	expect.Error(t, err, "no images")
}

// marked returns images of 4 classes; the first pixel is the image number, the second the class.
func marked(n int) *Images {
	m := &Images{Height: 2, Width: 2, Channels: 1, Classes: []string{"a", "b", "c", "d"}}
	for i := range n {
		m.Labels = append(m.Labels, i%4)
		m.Pixels = append(m.Pixels, uint8(i), uint8(i%4), 7, 8)
	}
	return m
}

// A pool holds the requested numbers of remaining rows, each once and with its own class, and outliers as the last
// class.
func TestOpenPool(t *testing.T) {
	images := marked(40)
	tail := expect.Must(NewLongTail(images.Labels, LongTailConfig{Counts: []int{8, 4, 2, 1}, Seed: 3}))(t)
	others := &Images{Height: 4, Width: 3, Channels: 3, Pixels: bytes.Repeat([]uint8{200, 100, 50}, 12*9), Labels: make([]int, 9), Classes: []string{"x"}}
	pool, err := NewOpenPool(images, tail.Rest, OpenPoolConfig{PerClass: 5, From: others, Outliers: 6, Seed: 1})
	expect.NoError(t, err)
	expect.NoError(t, pool.Validate())
	if got := pool.Counts(); !slices.Equal(got, []int{2, 5, 5, 5, 6}) || pool.Classes[4] != Outlier {
		t.Errorf("%d of each class, named %q", got, pool.Classes)
	}
	var seen []int
	for i, class := range pool.Labels {
		at := pool.At(i)
		if class == 4 {
			expect.That(t, at[0] == (299*200+587*100+114*50+500)/1000, "outlier %v", at)
			continue
		}
		row := int(at[0])
		expect.That(t, int(at[1]) == class && slices.Contains(tail.Rest, row) && !slices.Contains(seen, row),
			"image %d of class %d is row %d", i, class, row)
		seen = append(seen, row)
	}
	again, err := NewOpenPool(images, tail.Rest, OpenPoolConfig{PerClass: 5, From: others, Outliers: 6, Seed: 1})
	expect.That(t, err == nil && bytes.Equal(again.Pixels, pool.Pixels), "the same seed draws another pool, %v", err)
	if other, err := NewOpenPool(images, tail.Rest, OpenPoolConfig{PerClass: 5, Seed: 2}); err != nil || other.Len() != 17 || bytes.Equal(other.Pixels[:8], pool.Pixels[:8]) {
		t.Errorf("seed 2 without outliers: %s, %v", other, err)
	}
	expect.That(t, len(images.Classes) == 4, "the classes of the data set became %q", images.Classes)
}

// Sides that are too long are cropped equally at both ends, others are padded with black; pixels keep their positions.
func TestRefit(t *testing.T) {
	image := &Images{Height: 3, Width: 2, Channels: 1, Pixels: []uint8{1, 2, 3, 4, 5, 6}, Labels: []int{0}, Classes: []string{"a"}}
	for _, tt := range []struct {
		height, width, channels int
		want                    []uint8
	}{
		{3, 2, 1, []uint8{1, 2, 3, 4, 5, 6}},
		{1, 2, 1, []uint8{3, 4}},
		{2, 1, 1, []uint8{1, 3}},
		{5, 3, 1, []uint8{0, 0, 0, 1, 2, 0, 3, 4, 0, 5, 6, 0, 0, 0, 0}},
		{1, 4, 1, []uint8{0, 3, 4, 0}},
		{1, 1, 3, []uint8{3, 3, 3}},
	} {
		expect.Equal(t, expect.Must(Refit(image, tt.height, tt.width, tt.channels))(t).Pixels, tt.want,
			"%d×%d×%d", tt.height, tt.width, tt.channels)
	}
	white := &Images{Height: 1, Width: 2, Channels: 3, Pixels: []uint8{255, 255, 255, 0, 255, 0}, Labels: []int{0}, Classes: []string{"a"}}
	gray := expect.Must(Refit(white, 1, 2, 1))(t)
	expect.That(t, slices.Equal(gray.Pixels, []uint8{255, 150}), "white and green in gray: %v", gray)
}

// Every quarter of a mosaic is a quarter of an image, rotated by 180 degrees, and the four images are of different
// classes.
func TestMosaics(t *testing.T) {
	images := &Images{Height: 4, Width: 4, Channels: 1, Classes: []string{"a", "b", "c", "d", "e"}}
	for i := range 25 {
		images.Labels = append(images.Labels, i%5)
		for p := range 16 {
			images.Pixels = append(images.Pixels, uint8(16*(i%5)+p))
		}
	}
	m, err := Mosaics(images, 30, 1)
	expect.Require(t, err == nil && m.Len() == 30 && m.Validate() == nil && m.Classes[0] == Outlier, "%s, %v", m, err)
	for i := range m.Len() {
		at := m.At(i)
		var classes []uint8
		for _, q := range []int{0, 2, 8, 10} { // the first pixel of each quarter
			class := at[q] / 16
			expect.That(t, !slices.Contains(classes, class), "mosaic %d has class %d twice", i, class)
			classes = append(classes, class)
			for k, place := range []int{q, q + 1, q + 4, q + 5} {
				expect.Equal(t, at[place],
					16*class+uint8([]int{q + 5, q + 4, q + 1, q}[k]), "mosaic %d, pixel %d", i, place)
			}
		}
	}
	other := expect.Must(Mosaics(images, 30, 2))(t)
	expect.That(t, !bytes.Equal(other.Pixels, m.Pixels), "seed 2 makes the same mosaics")
}

func TestOpenPoolRefuses(t *testing.T) {
	images, from := marked(8), marked(3)
	color := &Images{Height: 1, Width: 1, Channels: 2}
	pool := func(rest []int, c OpenPoolConfig) error { return refusal.Err(NewOpenPool(images, rest, c)) }
	for _, tt := range []struct {
		err  error
		says string
	}{
		{pool(nil, OpenPoolConfig{}), "0 images of each class and 0 outliers … at least 1 of either"},
		{pool([]int{1}, OpenPoolConfig{PerClass: -1, Outliers: 2}), "-1 images of each class … at least 1"},
		{pool([]int{1}, OpenPoolConfig{Outliers: 4, From: from}), "4 outliers out of 3 images … ask for fewer, or give more in From"},
		{pool([]int{1}, OpenPoolConfig{Outliers: 1}), "1 outliers out of 0 images … give more in From"},
		{pool([]int{8}, OpenPoolConfig{PerClass: 1}), "image 8 of 8 … give rows of the same set"},
		{refusal.Err(NewOpenPool(nil, nil, OpenPoolConfig{})), "no images given … give those of a loader"},
		{refusal.Err(Refit(images, 0, 2, 1)), "images of 0×2×1 … at least 1"},
		{refusal.Err(Refit(images, 2, 2, 2)), "images of 1 channels cannot become images of 2 … gray has 1 and color 3"},
		{refusal.Err(Refit(color, 2, 2, 3)), "images of 2 channels cannot become images of 3 … gray has 1 and color 3"},
		{refusal.Err(Mosaics(images, -1, 1)), "-1 mosaics … 0 or more"},
		{refusal.Err(Mosaics(from, 1, 1)), "images of 3 classes … at least 4"},
	} {
		refusal.Check(t, tt.err, tt.says)
	}
}
