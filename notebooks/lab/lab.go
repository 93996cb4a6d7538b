// Package lab stores the values that the cells of a walkthrough share.
//
// Every notebook cell is compiled and run as a separate program: declarations stay, values do not. A value that a later
// cell needs (a trained encoder, embeddings, scores) is stored on a [Bench] under a name and loaded by that name with
// one line:
//
//	bench := lab.Must(lab.Open("quickstart"))
//	lab.Check(bench.SaveModel("PUCL", model))                    // one cell
//	model := lab.Must(bench.Model("PUCL"))                       // another cell
//	lab.Check(lab.Save(bench, "scores", scores))
//	scores := lab.Must(lab.Load[[]float64](bench, "scores"))
//
// It also displays training: [Progress] during a run, [Curves] afterwards; [Interruptible] stops a run cleanly.
// Solutions in lessons check themselves with [Confirm] and [ConfirmNear]. [Population] and [ViewBatches] pass a short
// training run ([SmallTask]) to the measurements of package theory.
package lab

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strings"

	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/wholefile"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/pu"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/viz"
)

// Bench is a folder of named values of one walkthrough.
type Bench struct {
	dir string
}

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Open opens the bench of that name and creates its folder if needed: notebooks/out/NAME in the module's folder, or
// pucl/out/NAME in the user's cache folder for a program outside the module. A name consists of letters, digits, '.',
// '_' and '-'.
func Open(name string) (*Bench, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	root, ok := home.Dir()
	if ok {
		root = filepath.Join(root, "notebooks", "out")
	} else {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("lab: no place to keep results: %w; set %s to the module's folder", err, home.Env)
		}
		root = filepath.Join(cache, "pucl", "out")
	}
	b := &Bench{dir: filepath.Join(root, name)}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, fmt.Errorf("lab: making the bench: %w", err)
	}
	return b, nil
}

// Path returns the path of name on the bench, for files of other kinds.
func (b *Bench) Path(name string) string { return filepath.Join(b.dir, name) }

// SaveModel stores a model under name.
func (b *Bench) SaveModel(name string, m *train.Model) error { return b.save(name, ".model", m.Save) }

// Model loads a model that has an encoder.SmallCNN or MLP; for another encoder use train.LoadModel and Path.
func (b *Bench) Model(name string) (*train.Model, error) {
	return load(b, name, ".model", func(path string) (*train.Model, error) { return train.LoadModel(path, nil) })
}

// SaveClassifier stores a classifier under name.
func (b *Bench) SaveClassifier(name string, c *learn.Classifier) error {
	return b.save(name, ".classifier", c.Save)
}

// Classifier loads a classifier whose networks have an encoder.SmallCNN or MLP, on the default engine.
func (b *Bench) Classifier(name string) (*learn.Classifier, error) {
	return load(b, name, ".classifier", func(path string) (*learn.Classifier, error) { return pu.Load(path) })
}

// valueKind is the header of a value file.
var valueKind = container.Kind{Name: "value", Reader: "lab.Load", Version: 1, Mend: "run the cell again that makes it"}

// Save stores under name any value that gob can encode: numbers, strings, slices, maps, structs with exported fields,
// embeddings.
func Save[T any](b *Bench, name string, value T) error {
	return b.save(name, ".value", func(path string) error {
		var data bytes.Buffer
		if err := gob.NewEncoder(&data).Encode(value); err != nil {
			return err
		}
		file, err := valueKind.Encode(container.Section{Name: "type", Parts: container.Parts{[]byte(describe(reflect.TypeFor[T]()))}},
			container.Section{Name: "value", Parts: container.Parts{data.Bytes()}})
		if err != nil {
			return err
		}
		return container.Write(path, file)
	})
}

// describe names a type and the fields of a struct. It distinguishes types that gob does not: floats of different
// sizes, and structs with some names in common. A pointer has the description of its element.
func describe(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return describe(t.Elem())
	}
	text := t.String()
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			text += fmt.Sprintf("; %s %s", f.Name, f.Type)
		}
	}
	return text
}

// Load returns the value that [Save] stored under name. T must be the saved type or a pointer to it.
func Load[T any](b *Bench, name string) (value T, err error) {
	return load(b, name, ".value", func(path string) (value T, err error) {
		sections, err := valueKind.Read(path, "type", "value")
		if err != nil {
			return value, fmt.Errorf("lab: %w", err)
		}
		if there, asked := string(sections[0]), describe(reflect.TypeFor[T]()); there != asked {
			return value, fmt.Errorf("lab: %q was saved as (%s), not as (%s); load it as that, or run the cell again that makes it", name, there, asked)
		}
		if err := container.DecodeGob(sections[1], &value); err != nil {
			return value, fmt.Errorf("lab: %q does not read as %T: %w", name, value, err)
		}
		return value, nil
	})
}

// SaveHeadline stores the walkthrough's main result: as text, which `go run ./notebooks` prints at the end, and as the
// figures headline.svg and headline.png.
func (b *Bench) SaveHeadline(t viz.Table) error {
	text, err := t.Text()
	if err != nil {
		return err
	}
	figure, err := t.Figure()
	if err != nil {
		return err
	}
	for _, file := range []string{"headline.svg", "headline.png"} {
		if err := viz.Save(figure, b.Path(file), 0, 0); err != nil {
			return err
		}
	}
	return b.save("headline", ".txt", func(path string) error { return wholefile.Write(path, wholefile.Bytes(text)) })
}

// save checks name and calls write with its path.
func (b *Bench) save(name, extension string, write func(path string) error) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := write(b.Path(name + extension)); err != nil {
		return fmt.Errorf("lab: keeping %q: %w", name, err)
	}
	return nil
}

// load reads the file of name, or returns an error that lists the names present.
func load[T any](b *Bench, name, extension string, read func(path string) (T, error)) (value T, err error) {
	if err := checkName(name); err != nil {
		return value, err
	}
	path := b.Path(name + extension)
	if _, err = os.Stat(path); err == nil {
		return read(path)
	}
	var entries []fs.DirEntry
	if errors.Is(err, fs.ErrNotExist) {
		entries, err = os.ReadDir(b.dir)
	}
	if err != nil {
		return value, fmt.Errorf("lab: %w", err)
	}
	var there []string
	for _, e := range entries {
		if kept, ok := strings.CutSuffix(e.Name(), extension); ok {
			there = append(there, kept)
		}
	}
	sort.Strings(there)
	return value, fmt.Errorf("lab: there is no %q on the bench, which holds %s; run the cell that makes it first",
		name, cmp.Or(strings.Join(there, ", "), "nothing of its kind yet"))
}

func checkName(name string) error {
	if !goodName.MatchString(name) {
		return fmt.Errorf("lab: the name %q is not made of letters, digits, '.', '_' and '-'", name)
	}
	return nil
}
