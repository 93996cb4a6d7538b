package stl10

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/content"
	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/internal/expect"
)

// value returns the test value at a place of an image; it differs between neighbors in every direction.
func value(image, y, x, channel int) byte { return byte(image*101 + y*5 + x*3 + channel*77 + (y*x)/13) }

// planes returns an image in the format of the files: three planes, each column by column from the left.
func planes(image int) (out []byte) {
	for channel := range 3 {
		for x := range 96 {
			for y := range 96 {
				out = append(out, value(image, y, x, channel))
			}
		}
	}
	return out
}

func md5sum(data []byte) content.Sum {
	s := md5.Sum(data)
	return content.Sum(hex.EncodeToString(s[:]))
}

// tiny returns a part of ten images, one of each class, and its files; tinyUnlabeled one of two images.
func tiny() (part, fstest.MapFS) {
	var images []byte
	for i := range 10 {
		images = append(images, planes(i)...)
	}
	labels := []byte{3, 1, 2, 10, 4, 5, 9, 6, 7, 8}
	return part{
		images: file{"train_X.bin", int64(len(images)), md5sum(images)},
		labels: file{"train_y.bin", int64(len(labels)), md5sum(labels)},
		count:  10, perClass: 1,
	}, fstest.MapFS{"stl10_binary/train_X.bin": {Data: images}, "stl10_binary/train_y.bin": {Data: labels}}
}

func tinyUnlabeled() (part, fstest.MapFS) {
	images := append(planes(20), planes(21)...)
	return part{images: file{"unlabeled_X.bin", int64(len(images)), md5sum(images)}, count: 2},
		fstest.MapFS{"unlabeled_X.bin": {Data: images}}
}

func checkImages(t *testing.T, set *datasets.Images, first int) {
	t.Helper()
	expect.NoError(t, set.Validate())
	for i := range set.Len() {
		for y := range 96 {
			for x := range 96 {
				for channel := range 3 {
					got, want := set.Pixels[((i*96+y)*96+x)*3+channel], value(first+i, y, x, channel)
					expect.Require(t, got == want,
						"image %d, row %d, column %d, channel %d: %d, want %d", i, y, x, channel, got, want)
				}
			}
		}
	}
}

func TestLoad(t *testing.T) {
	p, fsys := tiny()
	set := expect.Must(p.load(fsys, Options{}))(t)
	checkImages(t, set, 0)
	expect.Equal(t, set.Labels, []int{2, 0, 1, 9, 3, 4, 8, 5, 6, 7}, "labels")
	expect.That(t, set.Classes[set.Labels[0]] == "car" && set.Classes[9] == "truck", "classes %v", set.Classes)
	p, fsys = tinyUnlabeled()
	set = expect.Must(p.load(fsys, Options{}))(t)
	checkImages(t, set, 20)
	expect.That(t, slices.Equal(set.Labels, []int{0, 0}) && slices.Equal(set.Classes, []string{"unlabeled"}),
		"labels %v of %v", set.Labels, set.Classes)
}

func TestOpen(t *testing.T) {
	p, fsys := tiny()
	for _, opts := range []Options{{}, {AnyContent: true}} {
		set := expect.Must(p.open(fsys, opts))(t)
		defer set.Close()
		loaded := expect.Must(set.Load(t.Context()))(t)
		checkImages(t, loaded, 0)
		loaded.Labels[0]++
		expect.That(t, set.Labels[0] == loaded.Labels[0]-1, "Load shares the labels of the set, want a copy")
		h, w, c := set.Shape()
		expect.That(t, h == 96 && w == 96 && c == 3 && set.Len() == 10, "%d images of %d×%d×%d", set.Len(), h, w, c)
		rows := []int{7, 2, 2, 9}
		for pixels, err := range datasets.Stream(t.Context(), set, rows, 3) {
			expect.NoError(t, err)
			want := loaded.At(rows[0])
			expect.That(t, bytes.Equal(pixels, want), "image %d came wrong", rows[0])
			rows = rows[1:]
		}
		buffer := make([]byte, imageSize)
		expect.Error(t, set.ReadImage(10, buffer), "no image 10")
		expect.Error(t, set.ReadImage(-1, buffer), "no image -1")
		expect.Error(t, set.ReadImage(0, buffer[1:]), "room for 27647")
	}
}

// A file that is truncated after it was opened.
func TestReadImageFromAFileThatShrank(t *testing.T) {
	p, fsys := tiny()
	set := expect.Must(p.open(fsys, Options{}))(t)
	defer set.Close()
	set.at = bytes.NewReader(fsys["stl10_binary/train_X.bin"].Data[:2*imageSize+10])
	buffer := make([]byte, imageSize)
	expect.NoError(t, set.ReadImage(1, buffer))
	expect.Is(t, set.ReadImage(2, buffer), io.EOF)
}

func TestErrors(t *testing.T) {
	change := func(name string, f func([]byte) []byte) fstest.MapFS {
		_, fsys := tiny()
		fsys["stl10_binary/"+name].Data = f(slices.Clone(fsys["stl10_binary/"+name].Data))
		return fsys
	}
	p, whole := tiny()
	for _, tt := range []struct {
		name    string
		fsys    fs.FS
		opts    Options
		missing bool
		want    []string
	}{
		{"nothing", fstest.MapFS{}, Options{}, true, []string{"no train_X.bin", "folder stl10_binary"}},
		{"the archive", fstest.MapFS{"stl10_binary.tar.gz": {}}, Options{}, true, []string{"is an archive",
			"unpack it"}},
		{"the Matlab version", fstest.MapFS{"train.mat": {}}, Options{}, true,
			[]string{"train.mat is the Matlab version", "binary version"}},
		{"no labels", fstest.MapFS{"train_X.bin": whole["stl10_binary/train_X.bin"]}, Options{}, true, []string{"no train_y.bin"}},
		{"an image short", change("train_X.bin", func(d []byte) []byte { return d[:9*imageSize] }), Options{AnyContent: true}, false,
			[]string{"train_X.bin has 248832 bytes, not 276480"}},
		{"a byte long", change("train_X.bin", func(d []byte) []byte { return append(d, 1) }), Options{AnyContent: true},
			false, []string{"has 276481"}},
		{"a bit flipped", change("train_X.bin", func(d []byte) []byte { d[100] ^= 1; return d }), Options{}, false,
			[]string{"train_X.bin holds something else", "MD5"}},
		{"labels swapped", change("train_y.bin", func(d []byte) []byte { d[0], d[1] = d[1], d[0]; return d }), Options{}, false,
			[]string{"train_y.bin holds something else"}},
		{"label 0", change("train_y.bin", func(d []byte) []byte { d[4] = 0; return d }), Options{AnyContent: true}, false,
			[]string{"train_y.bin, byte 4: label 0", "1 to 10"}},
		{"label 11", change("train_y.bin", func(d []byte) []byte { d[4] = 11; return d }), Options{AnyContent: true},
			false, []string{"label 11"}},
		{"label twice", change("train_y.bin", func(d []byte) []byte { d[4] = 3; return d }), Options{AnyContent: true}, false,
			[]string{"train_y.bin has 2 images of the class car instead of 1"}},
		{"labels short", change("train_y.bin", func(d []byte) []byte { return d[1:] }), Options{AnyContent: true},
			false, []string{"has 9 bytes, not 10"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := p.load(tt.fsys, tt.opts)
			expect.Error(t, err, append(tt.want, "stl10: ")...)
			expect.That(t, set == nil, "a set in spite of the error")
			opened, openErr := p.open(tt.fsys, tt.opts)
			expect.That(t, openErr != nil && openErr.Error() == err.Error(),
				"Open gives the error %v, Load %v", openErr, err)
			expect.That(t, opened == nil, "an open set in spite of the error")
			expect.Equal(t, errors.Is(err, fs.ErrNotExist), tt.missing, "error")
		})
	}
	_, err := Load(whole, 5, Options{})
	expect.Error(t, err, "unknown part 5", "train, test, unlabeled")
	expect.Error(t, expect.Err(Open(whole, 5, Options{})), "unknown part 5", "train, test, unlabeled")
	// With the official sizes the tiny files are rejected at once, at no cost.
	got := damage.Allocated(func() {
		_, err = Load(fstest.MapFS{"unlabeled_X.bin": {Data: make([]byte, 100)}}, Unlabeled, Options{AnyContent: true})
	})
	expect.That(t, got <= 4<<20, "%d bytes taken for a file of 100", got)
	expect.Error(t, err, "unlabeled_X.bin has 100 bytes, not 2764800000")
}

// Load holds the images once, and Open none of them.
func TestMemory(t *testing.T) {
	const n = 200
	p := part{images: file{"unlabeled_X.bin", n * imageSize, ""}, count: n}
	fsys := fstest.MapFS{"unlabeled_X.bin": {Data: make([]byte, n*imageSize)}}
	got := damage.Allocated(func() { expect.Must(p.load(fsys, Options{}))(t) })
	expect.That(t, got <= n*imageSize+1<<18, "Load took %d bytes for images of %d", got, n*imageSize)
	p.images.sum = md5sum(fsys["unlabeled_X.bin"].Data)
	if got := damage.Allocated(func() {
		set := expect.Must(p.open(fsys, Options{}))(t)
		buffer := make([]byte, imageSize)
		for i := range n {
			expect.NoError(t, set.ReadImage(i, buffer))
		}
		expect.NoError(t, set.Close())
	}); got > n*imageSize/2 {
		t.Errorf("reading an open set took %d bytes", got)
	}
}

// sequential is a file system whose files do not implement io.ReaderAt.
type sequential struct{ fs.FS }

func (s sequential) Open(name string) (fs.File, error) {
	file, err := s.FS.Open(name)
	return struct{ fs.File }{file}, err
}

func TestOpenNeedsReaderAt(t *testing.T) {
	p, fsys := tiny()
	_, err := p.open(sequential{fsys}, Options{})
	expect.Error(t, err, "train_X.bin cannot be read from the middle", "use Load")
	expect.Must(p.load(sequential{fsys}, Options{}))(t)
}

func TestParts(t *testing.T) {
	for which, p := range parts {
		expect.That(t, p.images.size == int64(p.count)*3*96*96,
			"%v: %d bytes for %d images", which, p.images.size, p.count)
		expect.That(t, p.labels.name == "" || p.labels.size == int64(p.count) && p.count == 10*p.perClass,
			"%v: %d images, %d labels, %d of each class", which, p.count, p.labels.size, p.perClass)
	}
	expect.That(t, Train.String()+Test.String()+Unlabeled.String()+Part(9).String() == "traintestunlabeledPart(9)",
		"names of the parts")
}

func foldText(lines int, f func(line, i int) string) string {
	var b strings.Builder
	for line := range lines {
		for i := range 1000 {
			b.WriteString(f(line, i) + " ")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestFolds(t *testing.T) {
	number := func(line, i int) string { return strconv.Itoa((line*400 + i*3) % 5000) }
	rows := expect.Must(Folds(fstest.MapFS{"stl10_binary/fold_indices.txt": {Data: []byte(foldText(10, number))}}))(t)
	expect.That(t, len(rows) == 10 && len(rows[9]) == 1000 && rows[9][0] == 3600 && rows[9][2] == 3606 &&
		rows[0][999] == 2997, "%d folds, the last starts with %v", len(rows), rows[9][:3])
	bad := func(at, to string) func(int, int) string {
		return func(line, i int) string {
			if fmt.Sprint(line, i) == at {
				return to
			}
			return number(line, i)
		}
	}
	for text, want := range map[string][]string{
		"":                               {"0 lines"},
		foldText(9, number):              {"9 lines", "not 10"},
		foldText(11, number):             {"line 11"},
		"1 2 3\n":                        {"line 1: 3 numbers", "1000"},
		foldText(10, bad("3 5", "5000")): {"line 4, number 6", "5000", "0 to 4999"},
		foldText(10, bad("3 5", "-1")):   {"line 4, number 6"},
		foldText(10, bad("0 0", "x")):    {"line 1, number 1", `"x"`},
		strings.Repeat("1", 1<<17):       {"line 1", "too long"},
	} {
		_, err := Folds(fstest.MapFS{"fold_indices.txt": {Data: []byte(text)}})
		expect.Error(t, err, append(want, "fold_indices.txt")...)
	}
	expect.Is(t, expect.Err(Folds(fstest.MapFS{})), fs.ErrNotExist, "no file")
}

// checkDamaged reads two possibly damaged files: the result is an error, or the content of the bytes.
func checkDamaged(t *testing.T, images, labels []byte) {
	t.Helper()
	p, _ := tiny()
	set, err := p.load(fstest.MapFS{"train_X.bin": {Data: images}, "train_y.bin": {Data: labels}}, Options{AnyContent: true})
	if err != nil {
		return
	}
	for i := range set.Len() {
		expect.That(t, set.Labels[i] == int(labels[i])-1,
			"label %d of image %d, the file has %d", set.Labels[i], i, labels[i])
		for at, got := range set.At(i) {
			y, x, channel := at/3/96, at/3%96, at%3
			want := images[i*3*96*96+channel*96*96+x*96+y]
			expect.Require(t, got == want, "image %d at %d: %d, want %d", i, at, got, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	_, whole := tiny()
	images, labels := whole["stl10_binary/train_X.bin"].Data, whole["stl10_binary/train_y.bin"].Data
	f.Add(images, labels)
	f.Add(images[:100], labels)
	f.Add(images, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 11})
	f.Fuzz(checkDamaged)
}

func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 96))
	p, whole := tiny()
	images, labels := whole["stl10_binary/train_X.bin"].Data, whole["stl10_binary/train_y.bin"].Data
	for range 60 {
		checkDamaged(t, damage.One(rng, images), labels)
		checkDamaged(t, images, damage.One(rng, labels))
		spoiled := damage.One(rng, images)
		_, err := p.load(fstest.MapFS{"train_X.bin": {Data: spoiled}, "train_y.bin": {Data: labels}}, Options{})
		same := bytes.Equal(spoiled, images)
		expect.That(t, (err == nil) == same, "the same bytes: %v, and error %v", same, err)
	}
}

// TestRealFiles reads the real data if PUCL_DATA_DIR has them.
func TestRealFiles(t *testing.T) {
	if os.Getenv(datasets.EnvDataDir) == "" {
		t.Skipf("%s names no folder with the real files", datasets.EnvDataDir)
	}
	for _, folder := range datasets.Folders(Name) {
		for _, which := range []Part{Train, Test, Unlabeled} {
			set, err := Open(os.DirFS(folder), which, Options{})
			if errors.Is(err, fs.ErrNotExist) {
				t.Logf("%v: %v", which, err)
				continue
			}
			if err != nil {
				t.Error(err)
				continue
			}
			t.Logf("%d images of the part %v in %s", set.Len(), which, folder)
			expect.NoError(t, set.Close())
		}
	}
}
