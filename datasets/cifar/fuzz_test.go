package cifar

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/internal/damage"
)

// checkFile reads a part of one file and says what a damaged file may give: an error, or what the bytes say.
func checkFile(t *testing.T, f format, name string, data []byte) {
	t.Helper()
	set, super, err := f.load(fstest.MapFS{name: {Data: data}}, Test, Options{AnyContent: true})
	if err != nil {
		if set != nil {
			t.Errorf("a set in spite of the error %v", err)
		}
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
	if !bytes.Equal(again, data) {
		t.Error("the set is not what the file holds")
	}
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

// Without sums that agree, no changed byte passes.
func TestDamagedFilesAgainstSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 10))
	whole := files10()["cifar-10-batches-bin/test_batch.bin"].Data
	list := sums(files10(), "cifar-10-batches-bin/test_batch.bin")
	for range 200 {
		spoiled := damage.One(rng, whole)
		_, _, err := tiny10().load(fstest.MapFS{"test_batch.bin": {Data: spoiled}, "SHA256SUMS": list}, Test, Options{})
		if same := bytes.Equal(spoiled, whole); (err == nil) != same {
			t.Errorf("the same bytes: %v, and error %v", same, err)
		}
	}
}

// Files that are far too small cost no memory to speak of, although the real ones are large.
func TestSmallFilesCostLittle(t *testing.T) {
	small := fstest.MapFS{"train.bin": {Data: make([]byte, 3074)}, "data_batch_1.bin": {Data: make([]byte, 3073)}}
	for _, f := range []format{format10(), format100()} {
		if got := damage.Allocated(func() {
			_, _, err := f.load(small, Train, Options{AnyContent: true})
			wantError(t, err, "bytes, not")
		}); got > 1<<20 {
			t.Errorf("%s: %d bytes taken for a file of 3 kB", f.archive.Folder, got)
		}
	}
}
