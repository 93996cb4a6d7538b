//go:build unix

package classify

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/pucl/train"
)

// No damage makes a classifier another one.
func TestFaultDamagedClassifier(t *testing.T) {
	c := &Classifier{Model: quickModel(t), Probe: constant(1, 8, 0.5)}
	path := filepath.Join(t.TempDir(), "classifier")
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	data := must[[]byte](t)(os.ReadFile(path))
	result, err := damagetest.Try(data, 1000, func(data []byte) (string, error) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := Load(path, nil)
		if err != nil {
			return "", err
		}
		text := fmt.Sprintf("%+v %+v %v", c.Probe, c.Model.History, c.Model.Record)
		for v := range c.Model.Store().IterVariables() {
			text += v.Path() + v.MustValue().String()
		}
		return text, nil
	})
	if err != nil || result.Other > 0 || result.Panicked > 0 || result.Refused == 0 {
		t.Errorf("%v, %v", result, err)
	}
	t.Logf("| damaged classifier of %d bytes | %v |", len(data), result)
}

const fullDiskFolder = "PUCL_TEST_FULL_DISK_FOLDER"

// TestFaultChild is the program that TestFaultFullDisk starts; by itself it tests nothing. It saves over files that are there, with
// ever more room, and fails unless those stay as they were whenever it finds too little.
func TestFaultChild(t *testing.T) {
	folder := os.Getenv(fullDiskFolder)
	if folder == "" {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	m := must[*train.Model](t)(train.LoadModel(filepath.Join(folder, "given"), nil))
	failed := 0
	for name, save := range map[string]func(path string) error{
		"model": m.Save, "classifier": (&Classifier{Model: m, Probe: constant(1, 8, 0.5)}).Save,
		"embedding": (&train.Embedding{H: mat.NewDense(40, 3, nil), Z: mat.NewDense(40, 2, nil)}).Save,
	} {
		path := filepath.Join(folder, name)
		if err := save(path); err != nil {
			t.Fatal(err)
		}
		old := must[[]byte](t)(os.ReadFile(path))
		for i := range 40 {
			var limit syscall.Rlimit
			if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
				t.Fatal(err)
			}
			less := limit
			less.Cur = uint64(i * len(old) / 38)
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less); err != nil {
				t.Fatal(err)
			}
			err := save(path)
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
				t.Fatal(err)
			}
			if now := must[[]byte](t)(os.ReadFile(path)); !bytes.Equal(now, old) {
				t.Errorf("%s with room for %d bytes: what was there has changed", name, less.Cur)
			}
			if (err != nil) != (int(less.Cur) < len(old)) {
				t.Errorf("%s with room for %d of %d bytes: %v", name, less.Cur, len(old), err)
			}
			if err == nil {
				continue
			}
			failed++
			if text := err.Error(); !errors.Is(err, syscall.EFBIG) || !strings.Contains(text, path) || !strings.Contains(text, "make room") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if left := must[[]string](t)(filepath.Glob(filepath.Join(folder, "*.part"))); len(left) > 0 {
		t.Error(left)
	}
	fmt.Println("full", failed)
}

// Models, classifiers and embeddings that find no room leave what they were to replace as it was, and say what to do.
func TestFaultFullDisk(t *testing.T) {
	folder := t.TempDir()
	if err := quickModel(t).Save(filepath.Join(folder, "given")); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestFaultChild$")
	child.Env = append(os.Environ(), fullDiskFolder+"="+folder)
	out, err := child.CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("full 114\n")) {
		t.Fatalf("%v:\n%s", err, out)
	}
	t.Log("| disk full, saving over a model, a classifier, an embedding | 114 found no room, nothing lost |")
}
