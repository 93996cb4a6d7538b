package datasets

import (
	"slices"
	"strings"
	"testing"
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

// wantError fails unless err is there and its text holds every part.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}

func TestImagesAt(t *testing.T) {
	m := six()
	view := m.At(2)
	if !slices.Equal(view, []uint8{20, 21}) {
		t.Errorf("At(2) = %v, want [20 21]", view)
	}
	view[1] = 99
	if m.Pixels[5] != 99 {
		t.Error("At returned a copy, want a view")
	}
	if _ = append(view, 7); m.Pixels[6] != 30 {
		t.Error("appending to the view of image 2 wrote into image 3")
	}
}

func TestImagesSelect(t *testing.T) {
	m := six()
	got, err := m.Select([]int{4, 0, 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	if want := []uint8{40, 41, 0, 1, 40, 41}; !slices.Equal(got.Pixels, want) {
		t.Errorf("pixels %v, want %v", got.Pixels, want)
	}
	if want := []int{1, 0, 1}; !slices.Equal(got.Labels, want) {
		t.Errorf("labels %v, want %v", got.Labels, want)
	}
	got.Pixels[0] = 99
	if m.Pixels[8] != 40 {
		t.Error("Select shares the pixels, want copies")
	}
	_, err = m.Select([]int{1, 6})
	wantError(t, err, "image 6", "6 images")
	_, err = m.Select([]int{-1})
	wantError(t, err, "image -1")
}

func TestImagesCountsAndString(t *testing.T) {
	m := six()
	m.Labels[0] = 2
	if got, want := m.Counts(), []int{1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("Counts() = %v, want %v", got, want)
	}
	if got, want := m.String(), "6 images of 1×2×1 (height×width×channels) in 3 classes"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
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
				wantError(t, err, tt.want...)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wantError(t, (*Images)(nil).Validate(), "no images")
}

func TestHoldoutRowsRefusesANegativeNumberOfClasses(t *testing.T) {
	_, _, err := HoldoutRows(nil, -1, 0.5, 1)
	wantError(t, err, "-1 classes")
}

func TestHoldout(t *testing.T) {
	m := &Images{Height: 1, Width: 1, Channels: 1, Classes: []string{"a", "b"},
		Pixels: []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, Labels: []int{0, 1, 1, 0, 1, 1, 0, 1, 1, 0}}
	rest, held, err := Holdout(m, 0.5, 7)
	if err != nil {
		t.Fatal(err)
	}
	// Computed apart from this package, with the published formulas of PCG-DXSM, of Lemire's bounded draw and of the
	// shuffle from the end. Two of the four images of class 0 and three of the six of class 1.
	if want := []uint8{0, 1, 5, 7, 9}; !slices.Equal(held.Pixels, want) {
		t.Errorf("held out %v, want %v", held.Pixels, want)
	}
	if want := []uint8{2, 3, 4, 6, 8}; !slices.Equal(rest.Pixels, want) {
		t.Errorf("left %v, want %v", rest.Pixels, want)
	}
	if want := []int{0, 1, 1, 1, 0}; !slices.Equal(held.Labels, want) {
		t.Errorf("held out classes %v, want %v", held.Labels, want)
	}
	_, other, err := Holdout(m, 0.5, 8)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(other.Pixels, held.Pixels) {
		t.Error("seeds 7 and 8 hold out the same images")
	}
	// Of 1, 2, 3, 5 images a share of 0.3 is 0.3, 0.6, 0.9, 1.5, so 0, 1, 1 and 2 are held out.
	uneven := &Images{Height: 1, Width: 1, Channels: 1, Classes: []string{"a", "b", "c", "d"},
		Pixels: make([]uint8, 11), Labels: []int{0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3}}
	rest, held, err = Holdout(uneven, 0.3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := held.Counts(), []int{0, 1, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("held out %v of the classes, want %v", got, want)
	}
	if got, want := rest.Counts(), []int{1, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("left %v of the classes, want %v", got, want)
	}
	for _, share := range []float64{0, 1, -0.1, 2} {
		_, _, err := Holdout(m, share, 0)
		wantError(t, err, "between 0 and 1")
	}
	_, _, err = Holdout(m, 0.01, 0)
	wantError(t, err, "empty")
	_, _, err = Holdout(nil, 0.5, 0)
	wantError(t, err, "no images")
}
