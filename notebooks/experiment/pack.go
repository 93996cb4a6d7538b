package experiment

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/puclab/puclab/internal/sealed"
	"github.com/puclab/puclab/internal/wholefile"
)

// The file extensions of the two packs of a setting.
const (
	packEnding    = ".jsonl.gz"
	answersEnding = ".answers.jsonl.gz"
)

// pack is a file of sealed lines, one for each run of a setting, as read.
type pack struct {
	path  string
	info  fs.FileInfo      // nil without a file
	lines map[string]*kept // by [lineName]
	stray []int            // numbers, from 1, of damaged lines of unknown runs
	err   error            // why the file cannot be read
}

// packFile returns the path of a pack of the setting of a run.
func (s *Store) packFile(size Size, run Run, ending string) string {
	return filepath.Join(s.Folder, string(size), slug(run.Setting)+ending)
}

// lineName names a run within its setting: "nnpu/seed-1".
func lineName(method string, seed uint64) string {
	return fmt.Sprintf("%s/seed-%d", slug(method), seed)
}

// packs caches every pack that this program has read, since tables use thousands of runs.
var packs = struct {
	sync.Mutex
	read map[string]*pack
}{read: map[string]*pack{}}

// openPack returns the pack at path. It reads the file again only if it has changed. Without a file the pack is empty.
// An unreadable pack is returned with its field err set.
func openPack(path string) (*pack, error) {
	packs.Lock()
	defer packs.Unlock()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &pack{path: path}, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat() // of the open file, which a network file system revalidates
	if err != nil {
		return nil, err
	}
	p := packs.read[path]
	if p == nil || !sameFile(p.info, info) {
		p = &pack{path: path, info: info}
		var data []byte
		if data, p.err = unzip(f); p.err == nil {
			p.index(data)
		}
		packs.read[path] = p
	}
	return p, nil
}

// sameFile reports whether a file is unchanged.
func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func unzip(r io.Reader) ([]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// index finds the run of each line. Results are decoded on first use.
func (p *pack) index(data []byte) {
	p.lines = map[string]*kept{}
	setting, _, _ := strings.Cut(filepath.Base(p.path), ".")
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimSuffix(line, []byte("\n"))
		name, named := nameOf(line)
		_, intact := sealed.Open(line)
		other := p.lines[name]
		if !named || other != nil && (other.intact || !intact) { // if two lines belong to one run, one is damaged
			p.stray = append(p.stray, number)
			continue
		}
		if other != nil {
			p.stray = append(p.stray, number)
		}
		p.lines[name] = &kept{where: fmt.Sprintf("%s/%s in %s", setting, name, p.path), line: line, intact: intact}
	}
}

// nameOf returns the [lineName] of a line. Method and seed are near its beginning, so the rest is not parsed.
func nameOf(line []byte) (name string, ok bool) {
	var method *string
	d := json.NewDecoder(bytes.NewReader(line))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return "", false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", false
		}
		switch key {
		case "Method":
			err = d.Decode(&method)
		case "Seed":
			var seed uint64
			if err = d.Decode(&seed); err == nil && method != nil {
				return lineName(*method, seed), true
			}
		default:
			err = d.Decode(&json.RawMessage{})
		}
		if err != nil {
			return "", false
		}
	}
	return "", false
}

// standing returns the status of a run with the identity here, according to the pack of its setting.
func (p *pack) standing(run Run, here Identity) Standing {
	k := p.lines[lineName(run.Method, run.Seed)]
	if why := p.damage(); why != "" && k == nil {
		return Standing{Run: run, State: Stale, Why: fmt.Sprintf("the result of %s may be lost: %s", run, why)}
	}
	return k.standing(run, here)
}

// damage describes the defect of a pack as a whole and its remedy, "" for none.
func (p *pack) damage() string {
	what := ""
	switch {
	case p.err != nil:
		what = fmt.Sprintf("cannot be read (%v)", p.err)
	case len(p.stray) > 0:
		what = fmt.Sprintf("has damaged lines (%d, counted from 1)", p.stray)
	default:
		return ""
	}
	return fmt.Sprintf("%s %s; restore it, as by git checkout, or remove it and do its runs again", p.path, what)
}

// writePack writes lines to the file of a pack. Equal lines give identical files.
func writePack(path string, lines map[string]*kept) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err := wholefile.Write(path, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression) // without a name and a time
		if err != nil {
			return err
		}
		for _, name := range slices.SortedFunc(maps.Keys(lines), byMethodAndSeed) {
			if _, err := z.Write(append(bytes.Clone(lines[name].line), '\n')); err != nil {
				return err
			}
		}
		return z.Close()
	})
	return errors.Join(err, removeParts(path))
}

// byMethodAndSeed orders names of lines.
func byMethodAndSeed(a, b string) int {
	methodA, seedA, _ := strings.Cut(a, "/seed-")
	methodB, seedB, _ := strings.Cut(b, "/seed-")
	x, _ := strconv.ParseUint(seedA, 10, 64) // written by lineName
	y, _ := strconv.ParseUint(seedB, 10, 64)
	return cmp.Or(cmp.Compare(methodA, methodB), cmp.Compare(x, y))
}
