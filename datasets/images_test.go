package datasets

import (
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
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
	if _ = append(view, 7); m.Pixels[6] != 30 {
		t.Error("appending to the view of image 2 wrote into image 3")
	}
}

func TestImagesSelect(t *testing.T) {
	m := six()
	got := expect.Must(m.Select([]int{4, 0, 4}))(t)
	expect.NoError(t, got.Validate())
	expect.Equal(t, got.Pixels, []uint8{40, 41, 0, 1, 40, 41}, "pixels")
	expect.Equal(t, got.Labels, []int{1, 0, 1}, "labels")
	got.Pixels[0] = 99
	expect.That(t, m.Pixels[8] == 40, "Select shares the pixels, want copies")
	_, err := m.Select([]int{1, 6})
	expect.Error(t, err, "image 6", "6 images")
	_, err = m.Select([]int{-1})
	expect.Error(t, err, "image -1")
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
	// Computed apart from this package, with the published formulas of PCG-DXSM, of Lemire's bounded draw and of the
	// shuffle from the end. Two of the four images of class 0 and three of the six of class 1.
	expect.Equal(t, held.Pixels, []uint8{0, 1, 5, 7, 9}, "held out")
	expect.Equal(t, rest.Pixels, []uint8{2, 3, 4, 6, 8}, "left")
	expect.Equal(t, held.Labels, []int{0, 1, 1, 1, 0}, "held out classes")
	_, other := expect.Must2(Holdout(m, 0.5, 8))(t)
	expect.That(t, !slices.Equal(other.Pixels, held.Pixels), "seeds 7 and 8 hold out the same images")
	// Of 1, 2, 3, 5 images a share of 0.3 is 0.3, 0.6, 0.9, 1.5, so 0, 1, 1 and 2 are held out.
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
