package cifar

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/expect"
)

// checkFile reads a part of one file and says what a damaged file may give: an error, or what the bytes say.
func checkFile(t *testing.T, f format, name string, data []byte) {
	t.Helper()
	set, super, err := f.load(fstest.MapFS{name: {Data: data}}, Test, Options{AnyContent: true})
	if err != nil {
		expect.That(t, set == nil, "a set in spite of the error %v", err)
		return
	}
	var again []byte // the file, written from the set
	for i := range set.Len() {
		if super != nil {
			again = append(again, byte(super[i]))
		}
		again = append(again, byte(set.Labels[i]))
		for channel := range 3 {
			for pixel := range 1024 {
				again = append(again, set.At(i)[3*pixel+channel])
			}
		}
	}
	expect.That(t, bytes.Equal(again, data), "the set is not what the file holds")
}

func FuzzLoad10(f *testing.F) {
	whole := files10()["cifar-10-batches-bin/test_batch.bin"].Data
	f.Add(whole)
	f.Add(whole[:3073])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) { checkFile(t, tiny10(), "test_batch.bin", data) })
}

func FuzzLoad100(f *testing.F) {
	whole := files100()["test.bin"].Data
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) { checkFile(t, tiny100(), "test.bin", data) })
}

func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	ten, hundred := files10()["cifar-10-batches-bin/test_batch.bin"].Data, files100()["test.bin"].Data
	for range 300 {
		checkFile(t, tiny10(), "test_batch.bin", damage.One(rng, ten))
		checkFile(t, tiny100(), "test.bin", damage.One(rng, hundred))
	}
}

// Files that are far too small cost no memory to speak of, although the real ones are large.
func TestSmallFilesCostLittle(t *testing.T) {
	small := fstest.MapFS{"train.bin": {Data: make([]byte, 3074)}, "data_batch_1.bin": {Data: make([]byte, 3073)}}
	for _, f := range []format{format10(), format100()} {
		got := damage.Allocated(func() {
			_, _, err := f.load(small, Train, Options{AnyContent: true})
			expect.Error(t, err, "bytes, not")
		})
		expect.That(t, got <= 1<<20, "%s: %d bytes taken for a file of 3 kB", f.archive.Folder, got)
	}
}

// A damaged file is never taken for other images where SHA256SUMS lists it; the list itself, damaged, is never taken for one
// that lets other images in. Without a list the program is told to take any content.
func TestFaultDamagedFiles(t *testing.T) {
	const name, list = "cifar-10-batches-bin/test_batch.bin", "cifar-10-batches-bin/SHA256SUMS"
	good := files10()[name].Data
	content := func(images, sums []byte, opts Options) (string, error) {
		files := fstest.MapFS{name: {Data: images}}
		if sums != nil {
			files[list] = &fstest.MapFile{Data: sums}
		}
		set, _, err := tiny10().load(files, Test, opts)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(set.Labels) + string(set.Pixels), nil
	}
	lines := []byte(sums(files10(), name).Data)
	for _, tt := range []struct {
		name    string
		data    []byte
		checked bool
		read    func(data []byte) (string, error)
	}{
		{"images, listed", good, true, func(data []byte) (string, error) { return content(data, lines, Options{}) }},
		{"SHA256SUMS", lines, true, func(data []byte) (string, error) { return content(good, bytes.Clone(data), Options{}) }},
		{"images, any content", good, false, func(data []byte) (string, error) { return content(data, nil, Options{AnyContent: true}) }},
	} {
		result := expect.Must(damagetest.Try(tt.data, 1500, tt.read))(t)
		expect.That(t, result.Panicked <= 0 && result.Refused != 0 && (!tt.checked || result.Other <= 0) &&
			(tt.checked || result.Other != 0), "%s: %v", tt.name, result)
		t.Logf("| damaged CIFAR-10 %s, %d bytes | %v |", tt.name, len(tt.data), result)
	}
}
