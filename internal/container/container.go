// Package container stores results in files that cannot be mistaken for others: a file declares its kind and its
// length, and ends with a checksum. Nothing in it is decoded before all of them are verified.
//
//	8 bytes   magic
//	8 bytes   length of the whole file, little-endian as the next
//	4 bytes   length of the header
//	header    JSON: what the file holds, in which version, and the name and length of every section
//	sections  one after the other
//	32 bytes  SHA-256 of all before it
//
// The checksum detects accidental changes by disks, transfers and people, but not intended ones: the decoder of a
// section must handle arbitrary bytes.
package container

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/internal/wholefile"
)

const (
	// magic begins every file. The bytes after the name detect a transfer as text, which changes line ends and drops
	// high bits.
	magic = "puclab\xff\r"

	prefix    = len(magic) + 8 + 4
	maxHeader = 1 << 16
)

// Kind is a kind of file.
type Kind struct {
	Name    string // "model"
	Reader  string // the function that reads it, for error messages: "train.LoadModel"
	Version int    // of the content of its sections
	Mend    string // the remedy for an unreadable file: "copy it again"
}

// Section is a named part of a file.
type Section struct {
	Name  string
	Parts Parts
}

// Parts are consecutive bytes of a file in separate slices, so that writing them copies none.
type Parts [][]byte

// Len returns the number of bytes.
func (p Parts) Len() (n int) {
	for _, part := range p {
		n += len(part)
	}
	return n
}

// Write writes all parts to w.
func (p Parts) Write(w io.Writer) error {
	for _, part := range p {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// header is the JSON of a file.
type header struct {
	Kind     string
	Reader   string
	Version  int
	Sections []entry
}

// entry is one section of the header.
type entry struct {
	Name  string
	Bytes int
}

// Encode returns the bytes of a file with these sections, which are not copied.
func (k Kind) Encode(sections ...Section) (Parts, error) {
	h := header{Kind: k.Name, Reader: k.Reader, Version: k.Version}
	all := Parts{nil}
	for _, s := range sections {
		h.Sections = append(h.Sections, entry{s.Name, s.Parts.Len()})
		all = append(all, s.Parts...)
	}
	text, err := strictjson.Marshal(h)
	if err != nil {
		return nil, err
	}
	start := binary.LittleEndian.AppendUint64([]byte(magic), uint64(prefix+len(text)+all.Len()+sha256.Size))
	start = binary.LittleEndian.AppendUint32(start, uint32(len(text)))
	all[0] = append(start, text...)
	hash := sha256.New()
	if err := all.Write(hash); err != nil {
		return nil, err
	}
	return append(all, hash.Sum(nil)), nil
}

// Write writes parts to the file at path, completely or not at all. It creates the folder if it is missing.
func Write(path string, parts Parts) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = wholefile.Write(path, parts.Write)
	}
	if err != nil {
		return fmt.Errorf("%w; what was there before stays: make room or mend what is wrong, and save again", err)
	}
	return nil
}

// Save writes the result of encode to the file at path, as [Write] does.
func Save(path string, encode func() (Parts, error)) error {
	parts, err := encode()
	if err != nil {
		return err
	}
	return Write(path, parts)
}

// Damaged is the error of a file that was changed, or was not written by this package.
type Damaged struct{ what, mend string }

// Error returns the problem and the remedy. The caller prepends the name of the file.
func (d *Damaged) Error() string { return d.what + "; " + d.mend }

// Damaged returns the error of a file whose sections cannot be decoded.
func (k Kind) Damaged(format string, args ...any) error {
	return &Damaged{fmt.Sprintf(format, args...), k.Mend}
}

// Read returns the sections of the file at path, which must have the given names in that order. It takes as much memory
// as the file. Wrong bytes are a [Damaged] error; another kind or version is another error.
func (k Kind) Read(path string, names ...string) ([][]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for the other end of a pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<46 {
		return nil, fmt.Errorf("%s %w", path, k.Damaged("is no file"))
	}
	start := make([]byte, min(info.Size(), int64(prefix)))
	if _, err := io.ReadFull(f, start); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if err := k.checkStart(start, info.Size()); err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	data := append(make([]byte, 0, info.Size()), start...)[:info.Size()]
	if _, err := io.ReadFull(f, data[len(start):]); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	sections, err := k.Decode(data, names...)
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return sections, nil
}

// checkStart returns an error unless a file of that size can begin with start.
func (k Kind) checkStart(start []byte, size int64) error {
	if !bytes.HasPrefix(start, []byte(magic)) {
		return k.Damaged("was written by an earlier version of this program, whose files had no checksum, or is no file of it at all")
	}
	if len(start) < prefix {
		return k.Damaged("is cut short: it has %d bytes", size)
	}
	switch length := binary.LittleEndian.Uint64(start[len(magic):]); {
	case uint64(size) < length:
		return k.Damaged("is cut short: it should have %d bytes and has %d", length, size)
	case uint64(size) > length:
		return k.Damaged("is damaged: it should have %d bytes and has %d", length, size)
	}
	return nil
}

// Decode returns the sections of a file from its bytes, as [Kind.Read] does; they are parts of data, not copies.
func (k Kind) Decode(data []byte, names ...string) ([][]byte, error) {
	if err := k.checkStart(data, int64(len(data))); err != nil {
		return nil, err
	}
	body := data[:max(len(data)-sha256.Size, 0)]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], data[len(body):]) {
		return nil, k.Damaged("is damaged: its checksum is not that of its bytes")
	}
	h, rest, err := readHeader(body)
	if err != nil {
		return nil, k.Damaged("has a damaged header (%v)", err)
	}
	switch {
	case h.Kind != k.Name:
		return nil, fmt.Errorf("is of the kind %s, not %s; %s reads it", h.Kind, k.Name, h.Reader)
	case h.Version > k.Version:
		return nil, fmt.Errorf("was written by a newer version of this program, as version %d of its kind, where this one reads "+
			"version %d; update this program", h.Version, k.Version)
	case h.Version < k.Version:
		return nil, fmt.Errorf("was written by an earlier version of this program, as version %d of its kind, where this one reads "+
			"version %d; %s", h.Version, k.Version, k.Mend)
	}
	sections, err := h.cut(rest, names)
	if err != nil {
		return nil, k.Damaged("has other sections than its kind (%v)", err)
	}
	return sections, nil
}

// readHeader returns the header of a file without its checksum, and the bytes after it.
func readHeader(body []byte) (h header, rest []byte, err error) {
	if len(body) < prefix {
		return h, nil, fmt.Errorf("%d bytes are too few for it", len(body))
	}
	length, rest := uint64(binary.LittleEndian.Uint32(body[prefix-4:])), body[prefix:]
	if length > maxHeader || length > uint64(len(rest)) {
		return h, nil, fmt.Errorf("it has %d bytes, which is more than the file has or than any header", length)
	}
	err = strictjson.Unmarshal(rest[:length], &h)
	return h, rest[length:], err
}

// cut returns the sections of these names. The header must have no others.
func (h header) cut(rest []byte, names []string) ([][]byte, error) {
	there := make([]string, len(h.Sections))
	for i, s := range h.Sections {
		there[i] = s.Name
	}
	if !slices.Equal(there, names) {
		return nil, fmt.Errorf("%q instead of %q", there, names)
	}
	sections := make([][]byte, len(names))
	for i, s := range h.Sections {
		if s.Bytes < 0 || s.Bytes > len(rest) {
			return nil, fmt.Errorf("%s has %d bytes of %d", s.Name, s.Bytes, len(rest))
		}
		sections[i], rest = rest[:s.Bytes:s.Bytes], rest[s.Bytes:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes belong to none", len(rest))
	}
	return sections, nil
}
