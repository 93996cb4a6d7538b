package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/puclab/puclab/internal/strictjson"
)

// maxHeader is the largest header accepted, the limit of the format's own library; headers of real models are far
// smaller.
const maxHeader = 100_000_000

// maxNames is the largest number of tensors, and of metadata entries, in a file. Real files have thousands; the limit
// bounds the memory that a hostile header can take.
const maxNames = 1 << 17

// metadataKey is the header's key of the metadata.
const metadataKey = "__metadata__"

// ReadFile reads the whole file at path. An error names the file and the cause.
func ReadFile(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	f, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %s: %w; %s", path, err, again)
	}
	return f, nil
}

// again is the remedy for an unreadable file.
const again = "download the file again, or have the program that wrote it save it anew"

// Decode parses the bytes of a file. The Data of the tensors are slices of data, not copies.
func Decode(data []byte) (*File, error) {
	f, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w; %s", err, again)
	}
	return f, nil
}

// decode is [Decode] with errors that state only the cause.
func decode(data []byte) (*File, error) {
	header, body, err := split(data)
	if err != nil {
		return nil, err
	}
	f, entries, err := parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	// In order of their offsets, each tensor must begin at the end of the previous one.
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.name, b.name))
	})
	at := int64(0)
	for _, e := range entries {
		want, err := byteCount(e.dtype, e.shape)
		switch {
		case err != nil:
			return nil, fmt.Errorf("tensor %q: %w", e.name, err)
		case e.begin != at:
			return nil, fmt.Errorf("tensor %q begins at byte %d of the data, but the one before it ends at %d; "+
				"the file has a hole or an overlap", e.name, e.begin, at)
		case e.end < e.begin || e.end > int64(len(body)):
			return nil, fmt.Errorf("tensor %q goes from byte %d to %d of the data, which has %d; the file may be cut short",
				e.name, e.begin, e.end, len(body))
		case e.end-e.begin != int64(want):
			return nil, fmt.Errorf("tensor %q, %s %v, takes %d bytes, but its place has %d",
				e.name, e.dtype, e.shape, want, e.end-e.begin)
		}
		f.Tensors[e.name] = Tensor{e.dtype, e.shape, body[e.begin:e.end:e.end]}
		at = e.end
	}
	if at != int64(len(body)) {
		return nil, fmt.Errorf("the tensors fill %d bytes of data, but there are %d", at, len(body))
	}
	return f, nil
}

// split separates the bytes of a file into header and data.
func split(data []byte) (header, body []byte, err error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("%d bytes are too few for the header's length; this is no safetensors file", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader && (bytes.HasPrefix(data, []byte("PK\x03\x04")) || data[0] == 0x80) { // a zip archive, a pickle
		return nil, nil, errors.New("this seems to be a file of torch.save; save the weights " +
			"by safetensors.torch.save_file")
	}
	if n > maxHeader {
		return nil, nil, fmt.Errorf("a header of %d bytes is over the limit of %d; this is no safetensors file", n, maxHeader)
	}
	if n > uint64(len(data)-8) {
		return nil, nil, fmt.Errorf("the header has %d bytes, but only %d follow; the file is cut short", n, len(data)-8)
	}
	return data[8 : 8+n], data[8+n:], nil
}

// entry is a tensor in the header.
type entry struct {
	name       string
	dtype      DType
	shape      []int
	begin, end int64
}

// parseHeader parses the header, a JSON object of tensors and metadata.
func parseHeader(header []byte) (*File, []entry, error) {
	if len(header) == 0 || header[0] != '{' {
		return nil, nil, errors.New("it does not begin with {")
	}
	if !utf8.Valid(header) {
		return nil, nil, errors.New("it is not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(header))
	f := &File{Tensors: map[string]Tensor{}}
	var entries []entry
	err := object(d, func(name string) (err error) {
		if name == metadataKey {
			if f.Metadata, err = parseMetadata(d); err != nil {
				return fmt.Errorf("%s: %w", metadataKey, err)
			}
			return nil
		}
		e, err := parseEntry(d)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		e.name = name
		entries = append(entries, e)
		return nil
	})
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, errors.New("it ends before its closing }")
	}
	if err != nil {
		return nil, nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) { // trailing blanks may align the data
		return nil, nil, errors.New("something follows its closing }")
	}
	return f, entries, nil
}

// parseMetadata parses the metadata, a JSON object of strings.
func parseMetadata(d *json.Decoder) (map[string]string, error) {
	notes := map[string]string{}
	err := object(d, func(name string) error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		text, ok := token.(string)
		if !ok {
			return fmt.Errorf("%q is %s where notes are strings", name, spelled(token))
		}
		notes[name] = text
		return nil
	})
	return notes, err
}

// parseEntry parses the header entry of one tensor. It skips unknown fields.
func parseEntry(d *json.Decoder) (entry, error) {
	var e entry
	var shape []*int // pointers, because null would decode as 0
	var offsets []*uint64
	err := object(d, func(name string) error {
		switch name {
		case "dtype":
			return d.Decode(&e.dtype)
		case "shape":
			return d.Decode(&shape)
		case "data_offsets":
			return d.Decode(&offsets)
		}
		return d.Decode(new(json.RawMessage))
	})
	wrong := (*json.UnmarshalTypeError)(nil)
	if err != nil && !errors.As(err, &wrong) {
		return entry{}, err
	}
	if err != nil || e.dtype == "" || shape == nil || slices.Contains(shape, nil) || len(offsets) != 2 || slices.Contains(offsets, nil) {
		return entry{}, errors.New("it needs a dtype, a shape of whole numbers and two data_offsets")
	}
	e.shape = make([]int, len(shape))
	for i, side := range shape {
		e.shape[i] = *side
	}
	begin, end := *offsets[0], *offsets[1]
	if begin > end || end > 1<<62 {
		return entry{}, fmt.Errorf("it goes from byte %d to %d, which is no place in the data", begin, end)
	}
	e.begin, e.end = int64(begin), int64(end)
	return e, nil
}

// spelled returns the JSON text of a token.
func spelled(token json.Token) string {
	if token == nil {
		return "null"
	}
	return fmt.Sprint(token)
}

// object reads the next JSON object, in which names must be unique. It calls field with each name; field must read the
// value.
func object(d *json.Decoder, field func(name string) error) error {
	open, err := d.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('{') {
		return fmt.Errorf("%s stands where { should", spelled(open))
	}
	names := 0
	return strictjson.Members(d, func(name string) error {
		if names++; names > maxNames {
			return fmt.Errorf("it has more than %d names; this is no file of a network's weights", maxNames)
		}
		return field(name)
	})
}
