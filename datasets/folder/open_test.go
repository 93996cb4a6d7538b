package folder

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"image/color"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/damage"
)

func paths(s *Set) (out []string) {
	for i := range s.Len() {
		out = append(out, s.Path(i))
	}
	return out
}

func TestOpen(t *testing.T) {
	fsys := fstest.MapFS{
		"n02/b.JPG": {}, "n02/a.jpeg": {}, "n02/deep/er/c.png": {}, "n02/.hidden.png": {}, "n02/.git/d.png": {}, "n02/list.txt": {},
		"n01/z.PNG": {}, "n01/._z.PNG": {}, ".cache/x.png": {}, "README.png": {},
	}
	set, err := Open(fsys, Config{Names: map[string]string{"n02": "cat", "n99": "dog"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"n01/z.PNG", "n02/a.jpeg", "n02/b.JPG", "n02/deep/er/c.png"}; !slices.Equal(paths(set), want) {
		t.Errorf("images %v, want %v", paths(set), want)
	}
	if want := []int{0, 1, 1, 1}; !slices.Equal(set.Labels, want) {
		t.Errorf("labels %v, want %v", set.Labels, want)
	}
	if want := []string{"n01", "cat"}; !slices.Equal(set.Classes, want) {
		t.Errorf("classes %v, want %v", set.Classes, want)
	}
	if got, want := set.String(), "4 image files in 2 classes, read as 224×224×3 (height×width×channels)"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		fsys fs.FS
		cfg  Config
		want []string
	}{
		{"nothing", fstest.MapFS{}, Config{}, []string{"no sub-folders"}},
		{"no sub-folders", fstest.MapFS{"a.png": {}}, Config{}, []string{"no sub-folders"}},
		{"an empty class", fstest.MapFS{"a/x.png": {}, "b/x.txt": {}}, Config{}, []string{"b has no images"}},
		{"two of a name", fstest.MapFS{"a/x.png": {}, "b/x.png": {}}, Config{Names: map[string]string{"b": "a"}},
			[]string{"a and b are both named a"}},
		{"negative size", fstest.MapFS{"a/x.png": {}}, Config{Height: -1}, []string{"-1×-1", "1 to 16384"}},
		{"vast size", fstest.MapFS{"a/x.png": {}}, Config{Width: 1 << 20}, []string{"1048576"}},
		{"fit", fstest.MapFS{"a/x.png": {}}, Config{Fit: 4}, []string{"Fit(4)"}},
		{"negative limit", fstest.MapFS{"a/x.png": {}}, Config{MaxPixels: -1}, []string{"-1 pixels"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tt.fsys, tt.cfg)
			wantError(t, err, append(tt.want, "folder: ")...)
		})
	}
	_, err := Open(os.DirFS(filepath.Join(t.TempDir(), "missing")), Config{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: error %v", err)
	}
	wantError(t, err, "no such folder", "os.DirFS")
}

// On a disk a class may be a link to a folder elsewhere.
func TestOpenFollowsLinksToClasses(t *testing.T) {
	dir := t.TempDir()
	data := pngOf(t, uniform(2, 2, color.Black))
	for _, name := range []string{"elsewhere/x.png", "here/a/y.png"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../elsewhere", filepath.Join(dir, "here", "b")); err != nil {
		t.Skipf("no links on this file system: %v", err)
	}
	set, err := Open(os.DirFS(filepath.Join(dir, "here")), Config{Height: 2})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a/y.png", "b/x.png"}; !slices.Equal(paths(set), want) {
		t.Errorf("images %v, want %v", paths(set), want)
	}
	if _, err := set.Load(t.Context()); err != nil {
		t.Error(err)
	}
}

// Image i of many is of the gray i, in a folder on disk, in a zip file and in memory; all come in the same order.
func TestLoadAndStream(t *testing.T) {
	const n = 40
	files := fstest.MapFS{}
	var zipped bytes.Buffer
	w := zip.NewWriter(&zipped)
	dir := t.TempDir()
	for i := range n {
		name := "class" + string(rune('a'+i/8)) + "/" + string(rune('a'+i%8)) + ".png"
		data := pngOf(t, uniform(6, 4, color.Gray{uint8(i)}))
		files[name] = &fstest.MapFile{Data: data}
		part, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for name, fsys := range map[string]fs.FS{"memory": files, "zip": archive, "disk": os.DirFS(dir)} {
		t.Run(name, func(t *testing.T) {
			set, err := Open(fsys, Config{Height: 3, Gray: true})
			if err != nil {
				t.Fatal(err)
			}
			images, err := set.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if images.Len() != n || images.Channels != 1 {
				t.Fatalf("got %v", images)
			}
			for i := range n {
				if want := bytes.Repeat([]byte{uint8(i)}, 9); !bytes.Equal(images.At(i), want) || images.Labels[i] != i/8 {
					t.Errorf("image %d of class %d is %v", i, images.Labels[i], images.At(i))
				}
			}
			rows := rand.New(rand.NewPCG(3, 3)).Perm(n)
			next := 0
			for pixels, err := range datasets.Stream(t.Context(), set, rows, 4) {
				if err != nil {
					t.Fatal(err)
				}
				if int(pixels[0]) != rows[next] {
					t.Errorf("image %d came in the place of %d", pixels[0], rows[next])
				}
				next++
			}
		})
	}
	files["classc/b.png"].Data = files["classc/b.png"].Data[:40]
	files["classd/b.png"].Data = nil
	set, err := Open(files, Config{Height: 3})
	if err != nil {
		t.Fatal(err)
	}
	_, err = set.Load(t.Context())
	wantError(t, err, "classc/b.png")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := set.Load(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: error %v", err)
	}
}

func TestOpenList(t *testing.T) {
	fsys := fstest.MapFS{"train/n01/a b.JPEG": {}, "train/n02/c.JPEG": {}, "train/n02/d.JPEG": {}}
	set, err := OpenList(fsys, strings.NewReader("train/n02/c.JPEG 2\r\n\n./train/n01/a b.JPEG 0\ntrain/n02//d.JPEG\t2"), nil, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"train/n02/c.JPEG", "train/n01/a b.JPEG", "train/n02/d.JPEG"}; !slices.Equal(paths(set), want) {
		t.Errorf("images %q, want %q", paths(set), want)
	}
	if !slices.Equal(set.Labels, []int{2, 0, 2}) || !slices.Equal(set.Classes, []string{"0", "1", "2"}) {
		t.Errorf("labels %v of %v", set.Labels, set.Classes)
	}
	set, err = OpenList(fsys, strings.NewReader("train/n02/c.JPEG 1"), []string{"cat", "dog"}, Config{})
	if err != nil || set.Classes[set.Labels[0]] != "dog" {
		t.Errorf("%v, error %v", set, err)
	}
	// The mark of UTF-8 with which some editors begin a file is no part of the first path.
	set, err = OpenList(fsys, strings.NewReader("\xef\xbb\xbftrain/n02/c.JPEG 1\ntrain/n02/d.JPEG 0\n"), nil, Config{})
	if err != nil || !slices.Equal(paths(set), []string{"train/n02/c.JPEG", "train/n02/d.JPEG"}) {
		t.Errorf("list with a mark: %v, error %v", set, err)
	}
	for _, tt := range []struct {
		list    string
		classes []string
		want    []string
	}{
		{"", nil, []string{"names no images"}},
		{"train/n02/c.JPEG", nil, []string{"line 1", "not a path, a space"}},
		{"\ntrain/n02/c.JPEG x", nil, []string{"line 2", `"x" is not the number`}},
		{"train/n02/c.JPEG -1", nil, []string{"line 1", "class -1"}},
		{"train/n02/c.JPEG 65536", nil, []string{"class 65536", "0 to 65535"}},
		{"train/n02/c.JPEG 99999999999999999999", nil, []string{"line 1", "not the number"}},
		{"train/n02/c.JPEG 2", []string{"a", "b"}, []string{"class 2", "0 to 1"}},
		{"train/n02/c.JPEG 0", []string{}, []string{"class 0"}},
		{"../c.JPEG 0", nil, []string{"line 1", "leads out"}},
		{"/etc/passwd 0", nil, []string{"leads out"}},
		{"train/n02/x.JPEG 0", nil, []string{"line 1", "x.JPEG"}},
		{"train/n02 0", nil, []string{"train/n02 is a folder"}},
		{"train/n02/c.JPEG 0\ntrain/n02/../n02/c.JPEG 1", nil, []string{"line 2", "stands on line 1"}},
		{strings.Repeat("x", 1<<17), nil, []string{"line 1", "too long"}},
	} {
		_, err := OpenList(fsys, strings.NewReader(tt.list), tt.classes, Config{})
		wantError(t, err, append(tt.want, "folder: ")...)
	}
	_, err = OpenList(fsys, strings.NewReader(""), nil, Config{Height: -3})
	wantError(t, err, "-3×-3")
}

// checkList reads a list that may be damaged; what passes must be in the folder.
func checkList(t *testing.T, list string) {
	fsys := fstest.MapFS{"a/b.png": {}, "a/c.png": {}}
	set, err := OpenList(fsys, strings.NewReader(list), nil, Config{})
	if err != nil {
		return
	}
	for i := range set.Len() {
		if fsys[set.Path(i)] == nil {
			t.Errorf("%q: no file %q", list, set.Path(i))
		}
		if label := set.Labels[i]; label < 0 || label >= len(set.Classes) {
			t.Errorf("%q: label %d", list, label)
		}
	}
}

func FuzzOpenList(f *testing.F) {
	f.Add("a/b.png 0\na/c.png 3\n")
	f.Add("../a/b.png 0")
	f.Fuzz(checkList)
}

func TestDamagedLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for range 500 {
		checkList(t, string(damage.One(rng, []byte("a/b.png 0\na/c.png 3\n"))))
	}
}

func TestJoin(t *testing.T) {
	gray := func(v uint8) *fstest.MapFile { return &fstest.MapFile{Data: pngOf(t, uniform(2, 2, color.Gray{v}))} }
	open := func(fsys fs.FS, cfg Config) *Set {
		set, err := Open(fsys, cfg)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	woof := open(fstest.MapFS{"n02086240/1.png": gray(10), "n02087394/1.png": gray(20)}, Config{Height: 1, Names: Imagewoof()})
	nette := open(fstest.MapFS{"n01440764/1.png": gray(30)}, Config{Height: 1, Names: Imagenette()})
	both, err := Join(woof, nette)
	if err != nil {
		t.Fatal(err)
	}
	images, err := both.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint8{10, 10, 10, 20, 20, 20, 30, 30, 30}; !slices.Equal(images.Pixels, want) {
		t.Errorf("pixels %v, want %v", images.Pixels, want)
	}
	if want := []string{"Shih-Tzu", "Rhodesian ridgeback", "tench"}; !slices.Equal(images.Classes, want) ||
		!slices.Equal(images.Labels, []int{0, 1, 2}) {
		t.Errorf("labels %v of %v", images.Labels, images.Classes)
	}
	if len(woof.Classes) != 2 || woof.Len() != 2 {
		t.Error("Join changed what it was given")
	}
	_, err = Join()
	wantError(t, err, "no sets")
	_, err = Join(woof, woof)
	wantError(t, err, "two of the sets", "Shih-Tzu")
	_, err = Join(woof, open(fstest.MapFS{"x/1.png": gray(0)}, Config{Height: 2}))
	wantError(t, err, "1×1×3", "2×2×3")
	_, err = Join(woof, open(fstest.MapFS{"x/1.png": gray(0)}, Config{Height: 1, Fit: Stretch}))
	wantError(t, err, "different fits")
}

// The two sets have ten classes each, and none in common.
func TestNames(t *testing.T) {
	nette, woof := Imagenette(), Imagewoof()
	if len(nette) != 10 || len(woof) != 10 {
		t.Errorf("%d and %d classes, want 10 and 10", len(nette), len(woof))
	}
	for id := range nette {
		if woof[id] != "" || len(id) != 9 || id[0] != 'n' {
			t.Errorf("folder %s", id)
		}
	}
	if woof["n02099601"] != "golden retriever" || nette["n03425413"] != "gas pump" {
		t.Error("names of known folders differ")
	}
	nette["n01440764"] = "changed"
	if Imagenette()["n01440764"] != "tench" {
		t.Error("a caller can change the names for all")
	}
}

// The names are those by which the benchmarks know the folders: a folder in the place of its name is found, and no two are
// mixed up.
func TestNamesAreThoseOfTheBenchmarks(t *testing.T) {
	b, err := datasets.FindBenchmark("Woof-vs-Nette")
	if err != nil {
		t.Fatal(err)
	}
	for i, names := range []map[string]string{Imagenette(), Imagewoof()} {
		for id, name := range names {
			place := slices.Index(b.Classes, name)
			if place/10 != i || place < 0 {
				t.Errorf("%s (%s) is class %d of the benchmark", name, id, place)
				continue
			}
			classes := slices.Clone(b.Classes)
			classes[place] = id
			if _, err := b.Config(classes); err != nil {
				t.Errorf("%s in the folder %s: %v", name, id, err)
			}
		}
	}
}

// TestRealFiles reads one image of each class of the real data where PUCL_DATA_DIR has them.
func TestRealFiles(t *testing.T) {
	if os.Getenv(datasets.EnvDataDir) == "" {
		t.Skipf("%s names no folder with the real files", datasets.EnvDataDir)
	}
	found := 0
	for _, name := range []string{"imagenette2-160", "imagenette2-320", "imagewoof2-160", "imagewoof2-320"} {
		for _, dir := range datasets.Folders(name) {
			train := filepath.Join(dir, "train")
			if _, err := os.Stat(train); err != nil {
				continue
			}
			set, err := Open(os.DirFS(train), Config{Height: 64})
			if err != nil {
				t.Error(err)
				continue
			}
			found++
			buffer := make([]byte, 64*64*3)
			for i := 0; i < set.Len(); i += 97 {
				if err := set.ReadImage(i, buffer); err != nil {
					t.Error(err)
				}
			}
			t.Logf("%s: %v", name, set)
		}
	}
	if found == 0 {
		t.Skip("no Imagenette or Imagewoof there")
	}
}
