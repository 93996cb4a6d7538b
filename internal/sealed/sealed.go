// Package sealed stores results as JSON with a checksum that detects changes: the first field is the SHA-256 of all
// that follows.
//
//	{
//	  "sha256": "…",
//	  "accuracy": 0.9
//	}
//
// The checksum covers the bytes from the third line on, so that it can be computed without this package: tail -n +3
// FILE | sha256sum. Numbers are encoded as in package strictjson.
//
// [Line] writes the same on one line, for files of many results. The checksum then covers the bytes after the first 77
// of the line, without the newline: cut -c78- | tr -d '\n' | sha256sum.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/internal/wholefile"
)

// form is the text before the hexadecimal digits of the checksum and the text after them.
type form struct{ before, after string }

var (
	fileForm = form{"{\n  \"sha256\": \"", "\",\n"}
	lineForm = form{`{"sha256":"`, `",`}
)

// digits is the length of a checksum.
const digits = 2 * sha256.Size

// Write writes value, a struct or a map that is not empty, to the file at path, completely or not at all. It creates
// the folder if it is missing. A field of the name sha256 is an error.
func Write(path string, value any) error {
	data, err := encode(value)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = wholefile.Write(path, wholefile.Bytes(data))
	}
	if err != nil {
		return fmt.Errorf("sealed: writing %s: %w", path, err)
	}
	return nil
}

func encode(value any) ([]byte, error) {
	text, err := strictjson.Marshal(value)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || len(fields) == 0 || fields["sha256"] != nil {
		return nil, fmt.Errorf("a %T must have fields, none of them called sha256", value)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return nil, err
	}
	return fileForm.seal(append(indented.Bytes()[len("{\n"):], '\n')), nil
}

// seal puts the checksum before the rest of an object.
func (f form) seal(rest []byte) []byte { return append([]byte(f.before+sum(rest)+f.after), rest...) }

func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

// Line returns a sealed JSON object with fields on one line, without a newline. Numbers and texts are kept unchanged.
func Line(object []byte) ([]byte, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, object); err != nil {
		return nil, fmt.Errorf("sealed: %w", err)
	}
	if text := compact.Bytes(); len(text) > len("{}") && text[0] == '{' {
		return lineForm.seal(text[1:]), nil
	}
	return nil, errors.New("sealed: a line takes an object that has fields")
}

// Sum returns the checksum of a line of [Line].
func Sum(line []byte) string { return string(line[len(lineForm.before):][:digits]) }

// Read sets *value to the value that [Write] wrote. A changed file is an error, and so is a file with fields that value
// lacks.
func Read(path string, value any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("sealed: %w", err)
	}
	object, ok := Open(data)
	if !ok {
		return fmt.Errorf("sealed: %s is not as it was written: its SHA-256 is missing or that of something else; restore it or make "+
			"it again", path)
	}
	if err := strictjson.Unmarshal(object, value); err != nil {
		return fmt.Errorf("sealed: %s does not read as %T: %w", path, value, err)
	}
	return nil
}

// Open returns the object of a file or a line, without its checksum, and reports whether the checksum is correct.
func Open(data []byte) (object []byte, ok bool) {
	for _, f := range []form{fileForm, lineForm} {
		start := len(f.before) + digits + len(f.after)
		if len(data) > start && string(data[:start]) == f.before+sum(data[start:])+f.after {
			return append([]byte("{"), data[start:]...), true
		}
	}
	return nil, false
}
