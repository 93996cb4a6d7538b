package folder

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
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
	"github.com/puclab/puclab/internal/expect"
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
	set := expect.Must(Open(fsys, Config{Names: map[string]string{"n02": "cat", "n99": "dog"}}))(t)
	expect.Equal(t, paths(set), []string{"n01/z.PNG", "n02/a.jpeg", "n02/b.JPG", "n02/deep/er/c.png"}, "images")
	expect.Equal(t, set.Labels, []int{0, 1, 1, 1}, "labels")
	expect.Equal(t, set.Classes, []string{"n01", "cat"}, "classes")
	expect.Equal(t, set.String(), "4 image files in 2 classes, read as 224×224×3 (height×width×channels)", "String()")
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
		{"parts", fstest.MapFS{"train/x.png": {}, "Val/x.png": {}}, Config{}, []string{"Val, train",
			"parts of a data set", "open one"}},
		{"one number twice", fstest.MapFS{"01/x.png": {}, "1/x.png": {}, "0/x.png": {}}, Config{},
			[]string{"01 and 1", "same number"}},
		{"two of a name", fstest.MapFS{"a/x.png": {}, "b/x.png": {}}, Config{Names: map[string]string{"b": "a"}},
			[]string{"a and b are both named a"}},
		{"negative size", fstest.MapFS{"a/x.png": {}}, Config{Height: -1}, []string{"-1×-1", "1 to 16384"}},
		{"vast size", fstest.MapFS{"a/x.png": {}}, Config{Width: 1 << 20}, []string{"1048576"}},
		{"fit", fstest.MapFS{"a/x.png": {}}, Config{Fit: 4}, []string{"Fit(4)"}},
		{"negative limit", fstest.MapFS{"a/x.png": {}}, Config{MaxPixels: -1}, []string{"-1 pixels"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			expect.Error(t, expect.Err(Open(tt.fsys, tt.cfg)), append(tt.want, "folder: ")...)
		})
	}
	_, err := Open(os.DirFS(filepath.Join(t.TempDir(), "missing")), Config{})
	expect.That(t, errors.Is(err, fs.ErrNotExist), "missing folder: error %v", err)
	expect.Error(t, err, "no such folder", "os.DirFS")
}

// On a disk a class may be a link to a folder elsewhere.
func TestOpenFollowsLinksToClasses(t *testing.T) {
	dir := t.TempDir()
	data := pngOf(t, uniform(2, 2, color.Black))
	for _, name := range []string{"elsewhere/x.png", "here/a/y.png"} {
		expect.File(t, filepath.Join(dir, name), data)
	}
	if err := os.Symlink("../elsewhere", filepath.Join(dir, "here", "b")); err != nil {
		t.Skipf("no links on this file system: %v", err)
	}
	set := expect.Must(Open(os.DirFS(filepath.Join(dir, "here")), Config{Height: 2}))(t)
	expect.Equal(t, paths(set), []string{"a/y.png", "b/x.png"}, "images")
	expect.Must(set.Load(t.Context()))(t)
}

// Image i has the gray i, in a folder on disk, in a zip file and in memory; all give the same order.
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
		part := expect.Must(w.Create(name))(t)
		expect.Must(part.Write(data))(t)
		expect.File(t, filepath.Join(dir, name), data)
	}
	expect.NoError(t, w.Close())
	archive := expect.Must(zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len())))(t)
	for name, fsys := range map[string]fs.FS{"memory": files, "zip": archive, "disk": os.DirFS(dir)} {
		t.Run(name, func(t *testing.T) {
			set := expect.Must(Open(fsys, Config{Height: 3, Gray: true}))(t)
			images := expect.Must(set.Load(t.Context()))(t)
			expect.Require(t, images.Len() == n && images.Channels == 1, "got %v", images)
			for i := range n {
				if want := bytes.Repeat([]byte{uint8(i)}, 9); !bytes.Equal(images.At(i), want) || images.Labels[i] != i/8 {
					t.Errorf("image %d of class %d is %v", i, images.Labels[i], images.At(i))
				}
			}
			rows := rand.New(rand.NewPCG(3, 3)).Perm(n)
			next := 0
			for pixels, err := range datasets.Stream(t.Context(), set, rows, 4) {
				expect.NoError(t, err)
				expect.That(t, int(pixels[0]) == rows[next], "image %d came in the place of %d", pixels[0], rows[next])
				next++
			}
		})
	}
	files["classc/b.png"].Data = files["classc/b.png"].Data[:40]
	files["classd/b.png"].Data = nil
	set := expect.Must(Open(files, Config{Height: 3}))(t)
	expect.Error(t, expect.Err(set.Load(t.Context())), "classc/b.png")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	expect.Is(t, expect.Err(set.Load(canceled)), context.Canceled, "canceled")
}

func TestOpenList(t *testing.T) {
	fsys := fstest.MapFS{"train/n01/a b.JPEG": {}, "train/n02/c.JPEG": {}, "train/n02/d.JPEG": {}}
	set, err := OpenList(fsys, strings.NewReader("train/n02/c.JPEG 2\r\n\n./train/n01/a b.JPEG 0\ntrain/n02//d.JPEG\t2"), nil, Config{})
	expect.NoError(t, err)
	expect.Equal(t, paths(set), []string{"train/n02/c.JPEG", "train/n01/a b.JPEG", "train/n02/d.JPEG"}, "images")
	expect.That(t, slices.Equal(set.Labels, []int{2, 0, 2}) && slices.Equal(set.Classes, []string{"0", "1", "2"}),
		"labels %v of %v", set.Labels, set.Classes)
	set, err = OpenList(fsys, strings.NewReader("train/n02/c.JPEG 1"), []string{"cat", "dog"}, Config{})
	expect.That(t, err == nil && set.Classes[set.Labels[0]] == "dog", "%v, error %v", set, err)
	// A byte order mark at the start of a file is not part of the first path.
	set, err = OpenList(fsys, strings.NewReader("\xef\xbb\xbftrain/n02/c.JPEG 1\ntrain/n02/d.JPEG 0\n"), nil, Config{})
	expect.That(t, err == nil && slices.Equal(paths(set), []string{"train/n02/c.JPEG", "train/n02/d.JPEG"}),
		"list with a mark: %v, error %v", set, err)
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
		{"train/n02/\xfc.JPEG 0", nil, []string{"line 1", `"train/n02/\xfc.JPEG" is not UTF-8: rename`}},
		{"/etc/passwd 0", nil, []string{"leads out"}},
		{"train/n02/x.JPEG 0", nil, []string{"line 1", "x.JPEG"}},
		{"train/n02 0", nil, []string{"train/n02 is a folder"}},
		{"train/n02/c.JPEG 0\ntrain/n02/../n02/c.JPEG 1", nil, []string{"line 2", "stands on line 1"}},
		{strings.Repeat("x", 1<<17), nil, []string{"line 1", "too long"}},
	} {
		_, err := OpenList(fsys, strings.NewReader(tt.list), tt.classes, Config{})
		expect.Error(t, err, append(tt.want, "folder: ")...)
	}
	expect.Error(t, expect.Err(OpenList(fsys, strings.NewReader(""), nil, Config{Height: -3})), "-3×-3")
}

// checkList reads a possibly damaged list; accepted files must be in the folder.
func checkList(t *testing.T, list string) {
	fsys := fstest.MapFS{"a/b.png": {}, "a/c.png": {}}
	set, err := OpenList(fsys, strings.NewReader(list), nil, Config{})
	if err != nil {
		return
	}
	for i := range set.Len() {
		expect.That(t, fsys[set.Path(i)] != nil, "%q: no file %q", list, set.Path(i))
		label := set.Labels[i]
		expect.That(t, label >= 0 && label < len(set.Classes), "%q: label %d", list, label)
	}
	var again strings.Builder // a list is read back unchanged
	for i := range set.Len() {
		fmt.Fprintf(&again, "%s %d\n", set.Path(i), set.Labels[i])
	}
	same := expect.Must(OpenList(fsys, strings.NewReader(again.String()), nil, Config{}))(t)
	expect.That(t, slices.Equal(paths(same), paths(set)) && slices.Equal(same.Labels, set.Labels), "%q: %v", list, same)
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
	open := func(fsys fs.FS, cfg Config) *Set { return expect.Must(Open(fsys, cfg))(t) }
	woof := open(fstest.MapFS{"n02086240/1.png": gray(10), "n02087394/1.png": gray(20)}, Config{Height: 1, Names: Imagewoof()})
	nette := open(fstest.MapFS{"n01440764/1.png": gray(30)}, Config{Height: 1, Names: Imagenette()})
	both := expect.Must(Join(woof, nette))(t)
	images := expect.Must(both.Load(t.Context()))(t)
	expect.Equal(t, images.Pixels, []uint8{10, 10, 10, 20, 20, 20, 30, 30, 30}, "pixels")
	want := []string{"Shih-Tzu", "Rhodesian ridgeback", "tench"}
	expect.That(t, slices.Equal(images.Classes, want) && slices.Equal(images.Labels, []int{0, 1, 2}),
		"labels %v of %v", images.Labels, images.Classes)
	expect.That(t, len(woof.Classes) == 2 && woof.Len() == 2, "Join changed what it was given")
	_, err := Join()
	expect.Error(t, err, "no sets")
	expect.Error(t, expect.Err(Join(woof, woof)), "two of the sets", "Shih-Tzu")
	expect.Error(t, expect.Err(Join(woof, open(fstest.MapFS{"x/1.png": gray(0)}, Config{Height: 2}))), "1×1×3", "2×2×3")
	_, err = Join(woof, open(fstest.MapFS{"x/1.png": gray(0)}, Config{Height: 1, Fit: Stretch}))
	expect.Error(t, err, "different fits")
}

// The two sets have ten classes each, and none in common.
func TestNames(t *testing.T) {
	nette, woof := Imagenette(), Imagewoof()
	expect.That(t, len(nette) == 10 && len(woof) == 10, "%d and %d classes, want 10 and 10", len(nette), len(woof))
	for id := range nette {
		expect.That(t, woof[id] == "" && len(id) == 9 && id[0] == 'n', "folder %s", id)
	}
	expect.That(t, woof["n02099601"] == "golden retriever" && nette["n03425413"] == "gas pump",
		"names of known folders differ")
	nette["n01440764"] = "changed"
	expect.That(t, Imagenette()["n01440764"] == "tench", "a caller can change the names for all")
}

// The benchmarks use the same folder names, and no two classes are exchanged.
func TestNamesAreThoseOfTheBenchmarks(t *testing.T) {
	b := expect.Must(datasets.FindBenchmark("Woof-vs-Nette"))(t)
	for i, names := range []map[string]string{Imagenette(), Imagewoof()} {
		for id, name := range names {
			place := slices.Index(b.Classes, name)
			if place/10 != i || place < 0 {
				t.Errorf("%s (%s) is class %d of the benchmark", name, id, place)
				continue
			}
			classes := slices.Clone(b.Classes)
			classes[place] = id
			expect.Must(b.Config(classes))(t)
		}
	}
}

// TestRealFiles reads one image of each class of the real data if PUCL_DATA_DIR has them.
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
				expect.NoError(t, set.ReadImage(i, buffer))
			}
			t.Logf("%s: %v", name, set)
		}
	}
	if found == 0 {
		t.Skip("no Imagenette or Imagewoof there")
	}
}
