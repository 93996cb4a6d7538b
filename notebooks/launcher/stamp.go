package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/wholefile"
)

// stampVersion changes when the way the environment is made changes, so that old environments are made anew.
const stampVersion = 1

// stamp says what the environment was made from. Each field is filled after its step has succeeded and emptied before the
// step begins, so a field that does not match means: do the step (again).
type stamp struct {
	Version  int       `json:"version"`
	Root     string    `json:"root"`     // of the module when the environment was made: scripts in it hold absolute paths
	Python   fileMark  `json:"python"`   // the interpreter behind .venv/bin/python
	PyVer    string    `json:"pyver"`    // its version, as in "3.12.1"
	Packages string    `json:"packages"` // hash of requirements.txt and platform
	GPU      string    `json:"gpu"`      // hash of requirements-gpu.txt, "" when never asked for
	GoTools  string    `json:"gotools"`  // hash of all that decides on the Go tools
	Warm     string    `json:"warm"`     // the same for the compiled packages of the module
	Compiler ccVerdict `json:"compiler"`
}

// fileMark recognizes a file without reading it.
type fileMark struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Time int64  `json:"time"` // of the last change, nanoseconds
}

// markFile describes the file at path, with symbolic links followed.
func markFile(path string) (fileMark, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fileMark{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fileMark{}, err
	}
	return fileMark{path, info.Size(), info.ModTime().UnixNano()}, nil
}

func stampPath(p place) string { return filepath.Join(p.env(), "puclab-setup.json") }

// readStamp reads the stamp of the environment; one that is missing, damaged or of another version is the empty stamp,
// by which everything is due.
func readStamp(p place) (stamp, error) {
	data, err := readIfThere(stampPath(p))
	var s stamp
	if err != nil || json.Unmarshal(data, &s) != nil || s.Version != stampVersion {
		return stamp{}, err
	}
	return s, nil
}

func (s stamp) write(p place) error {
	s.Version = stampVersion
	return writeJSON(stampPath(p), s)
}

// hashOf condenses the contents of files and some words. A file that does not exist is an error.
func hashOf(files []string, words ...string) (string, error) {
	h := sha256.New()
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", filepath.Base(name), len(data))
		h.Write(data)
	}
	for _, w := range words {
		fmt.Fprintf(h, "%q\n", w)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// readIfThere returns the content of the file at path, nil and no error where there is none.
func readIfThere(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// writeJSON writes v to the file at path.
func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Keep(path, append(data, '\n'), 0o644)
}
