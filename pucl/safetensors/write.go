package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/puclab/puclab/internal/wholefile"
)

// Write writes the file to w. Tensors are ordered by the size of their numbers, largest first, then by name, so that
// all are aligned in memory and equal contents give equal bytes. Before writing, it fails on tensors whose data do not
// fit their shape and on names and metadata that are not valid UTF-8.
func (f *File) Write(w io.Writer) error {
	parts, err := f.Parts()
	if err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("safetensors: %w", err)
		}
	}
	return nil
}

// Parts returns the output of [File.Write] in parts; tensor data are not copied.
func (f *File) Parts() ([][]byte, error) {
	for key, note := range f.Metadata {
		if !utf8.ValidString(key) || !utf8.ValidString(note) {
			return nil, fmt.Errorf("safetensors: the note %q: %q is not valid UTF-8; encode bytes as text first", key, note)
		}
	}
	for name, t := range f.Tensors {
		if name == metadataKey || !utf8.ValidString(name) {
			return nil, fmt.Errorf("safetensors: %q cannot name a tensor; give it a name in UTF-8 other than %q", name, metadataKey)
		}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("safetensors: tensor %q: %w; %s", name, err, fit)
		}
	}
	names := slices.SortedFunc(maps.Keys(f.Tensors), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.Tensors[b].DType.size(), f.Tensors[a].DType.size()), cmp.Compare(a, b))
	})
	header, err := f.header(names)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	parts := [][]byte{header}
	for _, name := range names {
		parts = append(parts, f.Tensors[name].Data)
	}
	return parts, nil
}

// header returns everything before the data, padded with blanks to a multiple of eight bytes.
func (f *File) header(names []string) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 8))
	b.WriteByte('{')
	field := func(name string, value any) error {
		text, err := json.Marshal(map[string]any{name: value})
		if err != nil {
			return err
		}
		if b.Len() > 9 {
			b.WriteByte(',')
		}
		b.Write(text[1 : len(text)-1]) // without the braces
		return nil
	}
	if f.Metadata != nil {
		if err := field(metadataKey, f.Metadata); err != nil {
			return nil, err
		}
	}
	at := 0
	for _, name := range names {
		t := f.Tensors[name]
		err := field(name, struct {
			DType   DType  `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}{t.DType, append([]int{}, t.Shape...), [2]int{at, at + len(t.Data)}}) // a nil slice would encode as null
		if err != nil {
			return nil, err
		}
		at += len(t.Data)
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len()-8 > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes is over the format's limit of %d; use fewer tensors or shorter notes", b.Len()-8, maxHeader)
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(b.Len()-8))
	return b.Bytes(), nil
}

// WriteFile writes the file at path atomically: it renames a temporary file in the same folder. The file is readable by
// all (mode 0644). An error names the file and the cause.
func (f *File) WriteFile(path string) error {
	if err := wholefile.Write(path, f.Write); err != nil {
		return naming(path, err)
	}
	return nil
}

// naming returns err with the file at path as the name. Errors of the system name the temporary file instead; the first
// of them is the cause of the others.
func naming(path string, err error) error {
	var file *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file):
		return fmt.Errorf("safetensors: %w", &os.PathError{Op: file.Op, Path: path, Err: file.Err})
	case errors.As(err, &link):
		return fmt.Errorf("safetensors: %w", &os.PathError{Op: link.Op, Path: path, Err: link.Err})
	}
	return fmt.Errorf("%s: %w", path, err)
}
