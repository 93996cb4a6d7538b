// Package sealed keeps results as JSON that tells when it was changed: the first field is the SHA-256 of all that follows.
//
//	{
//	  "sha256": "…",
//	  "accuracy": 0.9
//	}
//
// The checksum is that of the bytes from the third line on, so that it can be had without this package: tail -n +3 FILE |
// sha256sum. Numbers are kept as package strictjson does.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/internal/wholefile"
)

// The first two lines are the text before the checksum, its hexadecimal digits, and the text after it.
const (
	before = "{\n  \"sha256\": \""
	digits = 2 * sha256.Size
	after  = "\",\n"
)

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
	rest := append(indented.Bytes()[len("{\n"):], '\n')
	return append([]byte(before+sum(rest)+after), rest...), nil
}

func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

// Read gives *value what [Write] wrote, all of it. A file that was changed since is an error, and so is one with fields that
// value lacks.
func Read(path string, value any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("sealed: %w", err)
	}
	rest, ok := open(data)
	if !ok {
		return fmt.Errorf("sealed: %s is not as it was written: its SHA-256 is missing or that of something else; restore it or make "+
			"it again", path)
	}
	if err := strictjson.Unmarshal(append([]byte("{"), rest...), value); err != nil {
		return fmt.Errorf("sealed: %s does not read as %T: %w", path, value, err)
	}
	return nil
}

// open returns what follows the checksum, and whether that is right.
func open(data []byte) (rest []byte, ok bool) {
	start := len(before) + digits + len(after)
	if len(data) < start {
		return nil, false
	}
	rest = data[start:]
	return rest, string(data[:start]) == before+sum(rest)+after
}
