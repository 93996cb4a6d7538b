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

// stampVersion changes when the construction of the environment changes, so that old environments are made again.
const stampVersion = 1

// stamp records the inputs of the environment. Each field is set after its step has succeeded and cleared before the
// step begins, so a field that does not match means that the step is due.
type stamp struct {
	Version int `json:"version"`
	// Root is the root of the module when the environment was made: scripts in it contain absolute paths.
	Root     string    `json:"root"`
	Python   fileMark  `json:"python"`   // the interpreter behind .venv/bin/python
	PyVer    string    `json:"pyver"`    // its version, as in "3.12.1"
	Packages string    `json:"packages"` // hash of requirements.txt and platform
	GPU      string    `json:"gpu"`      // hash of requirements-gpu.txt, "" if never requested
	GoTools  string    `json:"gotools"`  // hash of all inputs of the Go tools
	Warm     string    `json:"warm"`     // the same for the compiled packages of the module
	Compiler ccVerdict `json:"compiler"`
}

// fileMark identifies a file without reading it.
type fileMark struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Time int64  `json:"time"` // modification time, nanoseconds
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

// readStamp reads the stamp of the environment; if it is missing, damaged or of another version, it returns the empty
// stamp, for which all steps are due.
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

// hashOf returns a hash of the contents of files and some words. It returns an error for a missing file.
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

// readIfThere returns the content of the file at path, nil and no error if there is none.
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
