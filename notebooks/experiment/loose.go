package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/puclab/puclab/internal/sealed"
	"github.com/puclab/puclab/internal/strictjson"
)

// loose returns the folder of the loose files: notebooks/out/results for notebooks/results of a checkout, else the
// store's folder.
func (s *Store) loose() string {
	if root, ok := checkoutOf(s.Folder); ok {
		return filepath.Join(root, "notebooks", "out", "results")
	}
	return s.Folder
}

// file returns the path of the loose result of a run.
func (s *Store) file(size Size, run Run) string {
	return filepath.Join(s.loose(), string(size), filepath.FromSlash(run.Path())+".json")
}

// answersBeside returns the path of the answers of the loose result at path.
func answersBeside(path string) string { return strings.TrimSuffix(path, ".json") + ".answers.json" }

// readLoose returns the loose result of a run, nil if there is none.
func (s *Store) readLoose(size Size, run Run) (*kept, error) {
	k, err := readKept(s.file(size, run))
	if err != nil {
		return nil, fmt.Errorf("experiment: the result of %s: %w", run, err)
	}
	return k, nil
}

// readKept returns the content of a loose file, nil if there is none.
func readKept(path string) (*kept, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	object, intact := sealed.Open(data)
	if !intact {
		return &kept{where: path, line: data}, nil
	}
	line, err := sealed.Line(object)
	return &kept{where: path, line: line, intact: err == nil}, nil // invalid JSON is reported on reading
}

// writable returns an error unless the file of a result can be created; it is called before the run.
func (s *Store) writable(size Size, run Run) error {
	path := s.file(size, run)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("experiment: the result of %s could not be written (%w); make room there, make it writable "+
			"or name another folder of results: nothing was trained yet", run, err)
	}
	return nil
}

// write writes the answers of the result's points, and then the loose file of the result.
func (s *Store) write(size Size, run Run, result *Result) error {
	path := s.file(size, run)
	text, err := strictjson.Marshal(result)
	if err != nil {
		return fmt.Errorf("experiment: the result of %s: %w", run, err)
	}
	line, err := sealed.Line(text)
	if err != nil {
		return fmt.Errorf("experiment: the result of %s: %w", run, err)
	}
	if err := writeAnswers(answersBeside(path), result, sealed.Sum(line)); err != nil {
		return err
	}
	return errors.Join(sealed.Write(path, result), removeParts(path))
}

// removeParts removes partial files that killed programs left beside path. The caller must hold its lock.
func removeParts(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, filepath.Base(path)+".") && strings.HasSuffix(name, ".part") {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), name)))
		}
	}
	return err
}
