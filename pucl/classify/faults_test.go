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
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/train"
)

// No damage makes a classifier another one.
func TestFaultDamagedClassifier(t *testing.T) {
	c := &Classifier{Model: quickModel(t), Probe: constant(1, 8, 0.5)}
	path := filepath.Join(t.TempDir(), "classifier")
	expect.NoError(t, c.Save(path))
	data := expect.Must(os.ReadFile(path))(t)
	result, err := damagetest.Try(data, 1000, func(data []byte) (string, error) {
		expect.NoError(t, os.WriteFile(path, data, 0o644))
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
	expect.That(t, err == nil && result.Other <= 0 && result.Panicked <= 0 && result.Refused != 0,
		"%v, %v", result, err)
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
	m := expect.Must(train.LoadModel(filepath.Join(folder, "given"), nil))(t)
	failed := 0
	for name, save := range map[string]func(path string) error{
		"model": m.Save, "classifier": (&Classifier{Model: m, Probe: constant(1, 8, 0.5)}).Save,
		"embedding": (&train.Embedding{H: mat.NewDense(40, 3, nil), Z: mat.NewDense(40, 2, nil)}).Save,
	} {
		path := filepath.Join(folder, name)
		expect.NoError(t, save(path))
		old := expect.Must(os.ReadFile(path))(t)
		for i := range 40 {
			var limit syscall.Rlimit
			expect.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
			less := limit
			less.Cur = uint64(i * len(old) / 38)
			expect.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less))
			err := save(path)
			expect.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
			if now := expect.Must(os.ReadFile(path))(t); !bytes.Equal(now, old) {
				t.Errorf("%s with room for %d bytes: what was there has changed", name, less.Cur)
			}
			expect.That(t, (err != nil) == (int(less.Cur) < len(old)),
				"%s with room for %d of %d bytes: %v", name, less.Cur, len(old), err)
			if err == nil {
				continue
			}
			failed++
			if text := err.Error(); !errors.Is(err, syscall.EFBIG) || !strings.Contains(text, path) || !strings.Contains(text, "make room") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	left := expect.Must(filepath.Glob(filepath.Join(folder, "*.part")))(t)
	expect.That(t, len(left) == 0, "%v", left)
	fmt.Println("full", failed)
}

// Models, classifiers and embeddings that find no room leave what they were to replace as it was, and say what to do.
func TestFaultFullDisk(t *testing.T) {
	folder := t.TempDir()
	expect.NoError(t, quickModel(t).Save(filepath.Join(folder, "given")))
	child := exec.Command(os.Args[0], "-test.run=^TestFaultChild$")
	child.Env = append(os.Environ(), fullDiskFolder+"="+folder)
	out, err := child.CombinedOutput()
	expect.Require(t, err == nil && bytes.HasPrefix(out, []byte("full 114\n")), "%v:\n%s", err, out)
	t.Log("| disk full, saving over a model, a classifier, an embedding | 114 found no room, nothing lost |")
}
