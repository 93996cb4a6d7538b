// Package sealed keeps results as JSON that tells when it was changed: the first field is the SHA-256 of all that follows.
//
//	{
//	  "sha256": "…",
//	  "accuracy": 0.9
//	}
//
// The checksum is that of the bytes from the third line on, so that it can be had without this package: tail -n +3 FILE |
// sha256sum. Numbers are kept as package strictjson does.
//
// [Line] writes the same on one line, for files of many results. The checksum is then that of the bytes after the first 77 of the line,
// without the newline: cut -c78- | tr -d '\n' | sha256sum.
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

// Write makes the file at path of value, a struct or a map that is not empty, whole or not at all, and its folder where that is
// missing. A field of the name sha256 is an error.
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

// Line returns a JSON object that has fields on one line, without a newline, sealed. Numbers and texts stay as they are written.
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

// Sum returns the checksum of what [Line] returned.
func Sum(line []byte) string { return string(line[len(lineForm.before):][:digits]) }

// Read gives *value what [Write] wrote, all of it. A file that was changed since is an error, and so is one with fields that
// value lacks.
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

// Open returns the object that a file or a line holds, without its checksum, and whether that is right.
func Open(data []byte) (object []byte, ok bool) {
	for _, f := range []form{fileForm, lineForm} {
		start := len(f.before) + digits + len(f.after)
		if len(data) > start && string(data[:start]) == f.before+sum(data[start:])+f.after {
			return append([]byte("{"), data[start:]...), true
		}
	}
	return nil, false
}
