package cifar

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/datasets/internal/packtest"
	"github.com/puclab/puclab/internal/expect"
)

// checkPixels compares every value of every image with the function image.
func checkPixels(t *testing.T, set *datasets.Images, first int) {
	t.Helper()
	for i := range set.Len() {
		planes := image(first + i)
		for y := range 32 {
			for x := range 32 {
				for channel := range 3 {
					got := set.Pixels[((i*32+y)*32+x)*3+channel]
					if want := planes[channel*1024+y*32+x]; got != want {
						t.Fatalf("image %d, row %d, column %d, channel %d: %d, want %d", i, y, x, channel, got, want)
					}
				}
			}
		}
	}
}

func TestLoad10(t *testing.T) {
	batches := []string{"cifar-10-batches-bin/data_batch_1.bin", "cifar-10-batches-bin/data_batch_2.bin"}
	inRoot := fstest.MapFS{}
	for name, file := range files10() {
		inRoot[name[len("cifar-10-batches-bin/"):]] = file
	}
	withSums := files10()
	withSums["cifar-10-batches-bin/SHA256SUMS"] = sums(withSums, batches...)
	fromArchive, archive := withArchive(t, tiny10(), files10(), batches...)
	for _, tt := range []struct {
		name string
		f    format
		fsys fs.FS
		opts Options
	}{
		{"files of any content in the folder", tiny10(), files10(), Options{AnyContent: true}},
		{"files of any content in the root", tiny10(), inRoot, Options{AnyContent: true}},
		{"files with sums", tiny10(), withSums, Options{}},
		{"archive", fromArchive, archive, Options{}},
		{"archive, asked for any content", fromArchive, archive, Options{AnyContent: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, super := expect.Must2(tt.f.load(tt.fsys, Train, tt.opts))(t)
			expect.NoError(t, set.Validate())
			expect.That(t, set.Height == 32 && set.Width == 32 && set.Channels == 3 && super == nil,
				"got %v and superclasses %v", set, super)
			expect.Equal(t, set.Labels, []int{1, 0, 0, 1}, "labels")
			checkPixels(t, set, 0)
		})
	}
	set, _ := expect.Must2(tiny10().load(files10(), Test, Options{AnyContent: true}))(t)
	expect.Equal(t, set.Labels, []int{0, 1}, "labels of the test part")
	checkPixels(t, set, 4)
}

func TestLoad100(t *testing.T) {
	fromArchive, archive := withArchive(t, tiny100(), files100(), "test.bin", "train.bin")
	for _, tt := range []struct {
		f    format
		fsys fs.FS
	}{{tiny100(), files100()}, {fromArchive, archive}} {
		set, super := expect.Must2(tt.f.load(tt.fsys, Train, Options{AnyContent: true}))(t)
		expect.Equal(t, set.Labels, []int{3, 0, 2, 1}, "classes")
		expect.Equal(t, super, []int{1, 0, 0, 1}, "superclasses")
		checkPixels(t, set, 0)
	}
}

func TestLoadErrors(t *testing.T) {
	const batch1, batch2 = "cifar-10-batches-bin/data_batch_1.bin", "cifar-10-batches-bin/data_batch_2.bin"
	fromArchive, archive := withArchive(t, tiny10(), files10(), batch1, batch2)
	short, shortArchive := withArchive(t, tiny10(), files10(), batch1)
	cutFiles := files10()
	cutFiles[batch2].Data = cutFiles[batch2].Data[:4000]
	cut, cutArchive := withArchive(t, tiny10(), cutFiles, batch1, batch2)
	wrong, wrongArchive := withArchive(t, tiny10(), fstest.MapFS{
		batch1: file(record(0, 1), record(1, 2)), batch2: files10()[batch2]}, batch1, batch2)

	change := func(name string, f func(data []byte) []byte) fstest.MapFS {
		files := files10()
		files[name] = &fstest.MapFile{Data: f(slices.Clone(files[name].Data))}
		return files
	}
	withSums := func(files fstest.MapFS, text string) fstest.MapFS {
		files["cifar-10-batches-bin/SHA256SUMS"] = &fstest.MapFile{Data: []byte(text)}
		return files
	}
	good := string(sums(files10(), batch1, batch2).Data)
	anything := Options{AnyContent: true}
	for _, tt := range []struct {
		name    string
		f       format
		fsys    fs.FS
		opts    Options
		missing bool
		want    []string
	}{
		{"nothing there", tiny10(), fstest.MapFS{}, anything, true,
			[]string{"no data_batch_1.bin", "folder cifar-10-batches-bin", "cifar-10-binary.tar.gz"}},
		{"the Python version", tiny10(), fstest.MapFS{"cifar-10-batches-py/data_batch_1": {}}, anything, true,
			[]string{"cifar-10-batches-py is the Python version", "get cifar-10-binary.tar.gz",
				"datasets.FindArchive"}},
		{"its files", tiny10(), fstest.MapFS{"data_batch_1": {}}, anything, true,
			[]string{"data_batch_1 is the Python version"}},
		{"the Matlab version", format100(), fstest.MapFS{"cifar-100-matlab.tar.gz": {}}, anything, true,
			[]string{"cifar-100-matlab.tar.gz is the Matlab version", "get cifar-100-binary.tar.gz"}},
		{"second file missing", tiny10(), fstest.MapFS{"data_batch_1.bin": files10()[batch1]}, anything, true,
			[]string{"data_batch_2.bin"}},
		{"no sum known", tiny10(), files10(), Options{}, false,
			[]string{"data_batch_1.bin cannot be checked", "cifar-10-binary.tar.gz", "SHA256SUMS", "Options.AnyContent"}},
		{"sum of one file known", tiny10(), withSums(files10(), good[:len(good)/2]), Options{}, false,
			[]string{"data_batch_2.bin cannot be checked"}},
		{"a bit flipped", tiny10(), withSums(change(batch2, func(d []byte) []byte { d[5000] ^= 4; return d }), good), Options{}, false,
			[]string{"data_batch_2.bin", "something else", "SHA-256", packtest.SHA256(files10()[batch2].Data)}},
		{"a bit flipped, any content, but sums", tiny10(),
			withSums(change(batch2, func(d []byte) []byte { d[5000] ^= 4; return d }), good), anything, false,
			[]string{"something else"}},
		{"bad sums", tiny10(), withSums(files10(), good+"0123  x\n"), anything, false, []string{"SHA256SUMS, line 3"}},
		{"a byte short", tiny10(), change(batch1, func(d []byte) []byte { return d[1:] }), anything, false,
			[]string{"data_batch_1.bin has 6145 bytes, not 6146"}},
		{"a byte long", tiny10(), change(batch2, func(d []byte) []byte { return append(d, 0) }), anything, false,
			[]string{"data_batch_2.bin has 6147 bytes, not 6146"}},
		{"label out of range", tiny10(), change(batch2, func(d []byte) []byte { d[3073] = 2; return d }), anything, false,
			[]string{"data_batch_2.bin, image 1 (byte 3073)", "class 2", "only 2"}},
		{"label changed", tiny10(), change(batch2, func(d []byte) []byte { d[3073] = 0; return d }), anything, false,
			[]string{"3 images of the class cat instead of 2"}},
		{"folder in its place", tiny10(), fstest.MapFS{"data_batch_1.bin/x": {}}, anything, false, []string{"is a folder"}},
		{"archive of another size", tiny10(), archive, Options{}, false, []string{"cifar-10-binary.tar.gz has", "not 170052171"}},
		{"archive with a bit flipped", fromArchive, fstest.MapFS{"cifar-10-binary.tar.gz": {Data: func() []byte {
			d := slices.Clone(archive["cifar-10-binary.tar.gz"].Data)
			d[len(d)/2] ^= 1
			return d
		}()}}, Options{}, false, []string{"cifar-10-binary.tar.gz holds something else"}},
		{"archive without a file", short, shortArchive, Options{}, false, []string{"has no data_batch_2.bin"}},
		{"archive with a short file", cut, cutArchive, Options{}, false, []string{"data_batch_2.bin has 4000 bytes, not 6146"}},
		{"archive with a wrong label", wrong, wrongArchive, Options{}, false, []string{"tar.gz: data_batch_1.bin, image 1", "class 2"}},
		{"no such part", tiny10(), files10(), anything, false, []string{"unknown part", "train, test"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			which := Train
			if tt.name == "no such part" {
				which = 7
			}
			set, _, err := tt.f.load(tt.fsys, which, tt.opts)
			expect.Error(t, err, append(tt.want, "cifar: ")...)
			expect.That(t, set == nil, "a set in spite of the error")
			expect.Equal(t, errors.Is(err, fs.ErrNotExist), tt.missing, "error")
		})
	}
}

func TestLoad100ChecksSuperclass(t *testing.T) {
	files := files100()
	files["train.bin"].Data[2*3074] = 1 // a pear among the vehicles
	_, _, err := tiny100().load(files, Train, Options{AnyContent: true})
	expect.Error(t, err, "train.bin, image 2 (byte 6148)", "superclass 1", "pear", "superclass 0")
}

// The archive has priority unless the caller accepts any content.
func TestWhichSourceGoesFirst(t *testing.T) {
	batches := []string{"cifar-10-batches-bin/data_batch_1.bin", "cifar-10-batches-bin/data_batch_2.bin"}
	f, both := withArchive(t, tiny10(), files10(), batches...)
	both["data_batch_1.bin"] = file(record(8, 1), record(9, 0))
	both["data_batch_2.bin"] = file(record(10, 0), record(11, 1))
	for opts, first := range map[Options]int{{}: 0, {AnyContent: true}: 8} {
		set, _ := expect.Must2(f.load(both, Train, opts))(t)
		checkPixels(t, set, first)
	}
}

// Memory holds the images once and only a buffer of the file.
func TestLoadHoldsTheSetOnce(t *testing.T) {
	data := make([]byte, 10_000*3073)
	for i := range 10_000 {
		data[i*3073] = byte(i % 10)
	}
	fsys := fstest.MapFS{"test_batch.bin": {Data: data}}
	got := damage.Allocated(func() { expect.Must(Load10(fsys, Test, Options{AnyContent: true}))(t) })
	expect.That(t, got <= 10_000*3072+1<<20, "%d bytes taken for images of %d", got, 10_000*3072)
}

func TestPartString(t *testing.T) {
	expect.That(t, Train.String() == "train" && Test.String() == "test" && Part(3).String() == "Part(3)",
		"%v, %v, %v", Train, Test, Part(3))
}

// TestRealFiles reads the real data, official or rebuilt from JPEG copies, if PUCL_DATA_DIR has them.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv(datasets.EnvDataDir)
	if dir == "" {
		t.Skipf("%s names no folder with the real files", datasets.EnvDataDir)
	}
	found := false
	for _, folder := range datasets.Folders(Name10) {
		for which, count := range map[Part]int{Train: 50_000, Test: 10_000} {
			set, err := Load10(os.DirFS(folder), which, Options{AnyContent: true})
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			found = true
			if err != nil {
				t.Errorf("%s: %v", folder, err)
				continue
			}
			expect.That(t, set.Len() == count && slices.Min(set.Pixels) == 0 && slices.Max(set.Pixels) == 255,
				"%v: %v with values %d to %d", which, set, slices.Min(set.Pixels), slices.Max(set.Pixels))
			// In photographs the channels of one pixel are much closer to each other than to values 1,024 further on;
			// confusing planes and pixels would reverse this.
			var beside, far float64
			for i := range 1000 {
				image := set.At(i)
				for p := range 1023 {
					beside += abs(image[3*p], image[3*p+1])
					far += abs(image[p], image[p+1024])
				}
			}
			expect.That(t, beside <= far/2,
				"%v: channels of a pixel differ by %g, values 1,024 on by %g", which, beside, far)
		}
	}
	if !found {
		t.Skipf("no CIFAR-10 in %v", datasets.Folders(Name10))
	}
}

func abs(a, b uint8) float64 { return max(float64(a), float64(b)) - min(float64(a), float64(b)) }
