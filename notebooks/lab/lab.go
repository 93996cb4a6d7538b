// Package lab keeps what the cells of a walkthrough hand to each other.
//
// Every notebook cell is compiled and run as a program of its own: declarations stay, values do not. So what a later cell
// needs (a trained encoder, embeddings, scores) is kept on a [Bench] under a name, and got back by that name with one line:
//
//	bench := lab.Must(lab.Open("quickstart"))
//	lab.Check(bench.SaveModel("PUCL", model))                    // one cell
//	model := lab.Must(bench.Model("PUCL"))                       // another cell
//	lab.Check(lab.Save(bench, "scores", scores))
//	scores := lab.Must(lab.Load[[]float64](bench, "scores"))
//
// Beside that it shows training to a person: [Progress] while it goes on, [Curves] afterwards, and [Interruptible] stops it
// cleanly. In lessons solutions check themselves by [Confirm] and [ConfirmNear], and a training run of seconds ([SmallTask]) is put
// to the instruments of package theory by [Population] and [ViewBatches].
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

// Bench is a folder of named values that belong to one walkthrough.
type Bench struct {
	dir string
}

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Open opens the bench of that name, making its folder where needed: notebooks/out/NAME in the module's folder, or
// pucl/out/NAME in the user's cache folder for a program outside it. A name is made of letters, digits, '.', '_' and '-'.
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

// Path returns where name lies on the bench, for files of other kinds.
func (b *Bench) Path(name string) string { return filepath.Join(b.dir, name) }

// SaveModel keeps a model under name.
func (b *Bench) SaveModel(name string, m *train.Model) error { return b.save(name, ".model", m.Save) }

// Model gets back a model that has an encoder.SmallCNN or MLP; for another encoder use train.LoadModel and Path.
func (b *Bench) Model(name string) (*train.Model, error) {
	return load(b, name, ".model", func(path string) (*train.Model, error) { return train.LoadModel(path, nil) })
}

// SaveClassifier keeps a classifier under name.
func (b *Bench) SaveClassifier(name string, c *learn.Classifier) error {
	return b.save(name, ".classifier", c.Save)
}

// Classifier gets back a classifier whose networks have an encoder.SmallCNN or MLP, on the default engine.
func (b *Bench) Classifier(name string) (*learn.Classifier, error) {
	return load(b, name, ".classifier", func(path string) (*learn.Classifier, error) { return pu.Load(path) })
}

// valueKind is what the file of a value says of itself.
var valueKind = container.Kind{Name: "value", Reader: "lab.Load", Version: 1, Mend: "run the cell again that makes it"}

// Save keeps any value that gob can write under name: numbers, texts, slices, maps, structs with exported fields, embeddings.
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

// describe names a type and, of a struct, its fields. It tells apart what gob takes for the same: floats of any size, and structs with
// some names in common. Whether it is a pointer does not matter.
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

// Load gets back what [Save] kept under name. T must be the type it was saved with, or a pointer to it.
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

// SaveHeadline keeps the walkthrough's main result: as text, where `go run ./notebooks` looks for it to print at the end, and as
// the figures headline.svg and headline.png.
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

// save checks name and calls write with the path that goes with it.
func (b *Bench) save(name, extension string, write func(path string) error) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := write(b.Path(name + extension)); err != nil {
		return fmt.Errorf("lab: keeping %q: %w", name, err)
	}
	return nil
}

// load reads the file of name, or returns an error that names what is there instead.
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
