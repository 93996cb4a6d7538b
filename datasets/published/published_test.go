package published

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/internal/expect"
)

// Every benchmark can be opened by the name of its set if the files are available.
func TestBenchmarksHaveTheirSets(t *testing.T) {
	for _, b := range datasets.Benchmarks() {
		found := false
		for _, name := range Names() {
			found = found || name == b.Set
		}
		expect.That(t, found, "%s is made of %q, but there are %q", b.Name, b.Set, Names())
	}
}

func TestMissingSets(t *testing.T) {
	t.Setenv(datasets.EnvDataDir, t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for name, want := range map[string]string{
		"CIFAR-10": "cifar-10", "STL-10": "stl10", "Imagenette and Imagewoof": "imagenette2-160",
	} {
		_, err := Open(name)
		expect.That(t, errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), "fetch the archive "+want),
			"%s: %v", name, err)
	}
	if _, err := Open("CIFAR-11"); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "Fashion-MNIST, CIFAR-10") {
		t.Errorf("an unknown name: %v", err)
	}
	set := expect.Must(Open("Fashion-MNIST"))(t) // the built-in part
	expect.That(t, set.Len() == 8000 && len(set.Labels) == 8000 && set.Note != "",
		"%d images, %d labels, note %q", set.Len(), len(set.Labels), set.Note)
}

// Unofficial files are opened with a note; files with the correct sums have no note.
func TestUnofficialFiles(t *testing.T) {
	expect.Slow(t)
	dir, sums := t.TempDir(), ""
	t.Setenv(datasets.EnvDataDir, dir)
	for i := range 5 {
		var file bytes.Buffer
		for k := range 10_000 {
			file.WriteByte(byte(k % 10))
			file.Write(bytes.Repeat([]byte{byte(i*50 + k%10)}, 3072))
		}
		name := fmt.Sprintf("data_batch_%d.bin", i+1)
		expect.File(t, filepath.Join(dir, "cifar-10-batches-bin", name), file.Bytes())
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(file.Bytes()), name)
	}
	set, err := Open("CIFAR-10")
	expect.NoError(t, err)
	expect.That(t, set.Len() == 50_000 && strings.HasPrefix(set.Note, "CIFAR-10 from files without a checksum"),
		"%d images, note %q", set.Len(), set.Note)
	expect.File(t, filepath.Join(dir, "cifar-10-batches-bin", "SHA256SUMS"), []byte(sums))
	set, err = Open("CIFAR-10")
	expect.That(t, err == nil && set.Note == "CIFAR-10, the official files.", "with the right sums: %v, %v", set, err)
	expect.File(t, filepath.Join(dir, "cifar-10-batches-bin", "data_batch_5.bin"), []byte("short"))
	if _, err := Open("CIFAR-10"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is too short: %v", err)
	}
}

func TestNetteAndWoof(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(datasets.EnvDataDir, dir)
	var picture bytes.Buffer
	expect.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 50))))
	for archive, classes := range map[string]map[string]string{"imagenette2-320": folder.Imagenette(), "imagewoof2-160": folder.Imagewoof()} {
		for class := range classes {
			expect.File(t, filepath.Join(dir, archive, "train", class, "a.png"), picture.Bytes())
		}
	}
	set := expect.Must(Open("Imagenette and Imagewoof"))(t)
	if height, width, channels := set.Shape(); set.Len() != 20 || len(set.Classes) != 20 || height != 32 || width != 32 || channels != 3 {
		t.Errorf("%d images of %d×%d×%d in the classes %q", set.Len(), height, width, channels, set.Classes)
	}
}

// Pick alternates between the classes and returns each image once.
func TestPick(t *testing.T) {
	images := &datasets.Images{Height: 1, Width: 1, Channels: 1, Classes: []string{"a", "b", "c"},
		Labels: []int{0, 1, 0, 2, 1, 0}, Pixels: []uint8{0, 1, 2, 3, 4, 5}}
	set := &Set{images, images.Labels, images.Classes, ""}
	for _, tt := range []struct {
		classes []string
		n       int
		want    []uint8
		wrong   string
	}{
		{classes: []string{"a"}, n: 3, want: []uint8{0, 2, 5}},
		{classes: []string{"b", "a"}, n: 4, want: []uint8{1, 0, 4, 2}},
		{classes: []string{"c"}, n: 0},
		{classes: []string{"c", "a"}, n: 3, wrong: `image 2 of the class "c"`},
		{classes: []string{"d"}, n: 1, wrong: "its classes are a, b, c"},
	} {
		got, err := set.Pick(tt.classes, tt.n)
		expect.That(t, tt.wrong != "" || err == nil && bytes.Equal(got, tt.want),
			"%d of %q: %v, %v, want %v", tt.n, tt.classes, got, err, tt.want)
		expect.That(t, tt.wrong == "" || err != nil && strings.Contains(err.Error(), tt.wrong),
			"%d of %q: %v, want an error with %q", tt.n, tt.classes, err, tt.wrong)
	}
	expect.That(t, expect.Err(set.Pick(nil, 1)) != nil, "no class")
}
