package datasets

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/datasets/internal/classes"
)

// The first four bytes of an IDX file, read as a big-endian number: two zero bytes, the code 8 for unsigned bytes,
// and the number of dimensions.
const (
	idxLabels = 0x00000801
	idxImages = 0x00000803
)

// idxTypes holds the unsupported number types by code.
var idxTypes = map[byte]string{0x09: "signed bytes", 0x0b: "int16", 0x0c: "int32", 0x0d: "float32", 0x0e: "float64"}

// ReadIDX reads one file in the IDX format, in which MNIST and its relatives are published. A label file gives dims =
// [count], an image file dims = [count, height, width], and data holds that many bytes. The file may be plain or
// compressed by gzip, detected from its content.
//
// The file is read to its end. A wrong first number, an image size of zero, truncated data and bytes after the data are
// errors; for a truncated file the error wraps io.ErrUnexpectedEOF. Memory grows with the bytes received, whatever the
// header announces.
//
// Format: LeCun, Cortes and Burges, "The MNIST database of handwritten digits".
func ReadIDX(r io.Reader) (dims []int, data []uint8, err error) {
	plain, err := Decompress(r)
	if err != nil {
		return nil, nil, err
	}
	var magic uint32
	if err := readHeader(plain, &magic); err != nil {
		return nil, nil, err
	}
	if numbers, ok := idxTypes[byte(magic>>8)]; ok && magic>>16 == 0 {
		return nil, nil, fmt.Errorf("datasets: an IDX file of %s: only unsigned bytes are read; convert its numbers",
			numbers)
	}
	if magic != idxLabels && magic != idxImages {
		return nil, nil, fmt.Errorf("datasets: not an IDX file: it starts with %08x, "+
			"where images start with %08x and labels with %08x", magic, idxImages, idxLabels)
	}
	sizes := make([]uint32, magic&0xff) // its last byte is the number of dimensions
	if err := readHeader(plain, sizes); err != nil {
		return nil, nil, err
	}
	dims = make([]int, len(sizes))
	for i, n := range sizes {
		dims[i] = int(n)
		if dims[i] < 0 || uint32(dims[i]) != n { // if int has 32 bits
			return nil, nil, fmt.Errorf("datasets: IDX file with a dimension of %d: more than this machine can address", n)
		}
	}
	if slices.Contains(dims[1:], 0) {
		return nil, nil, fmt.Errorf("datasets: IDX file of images of %d×%d pixels: a size of zero", dims[1], dims[2])
	}
	want, ok := check.Product(dims...)
	if !ok {
		return nil, nil, fmt.Errorf("datasets: IDX file of size %v: more bytes than this machine can address", dims)
	}
	data, err = readAtMost(plain, want)
	if err != nil {
		return nil, nil, fmt.Errorf("datasets: reading an IDX file: %w", err)
	}
	if len(data) < want {
		return nil, nil, fmt.Errorf("datasets: IDX file is cut short: its header announces %v, that is %d bytes, "+
			"but only %d came: %w", dims, want, len(data), io.ErrUnexpectedEOF)
	}
	// The read at the end also makes gzip verify its checksum.
	switch n, err := io.ReadFull(plain, make([]byte, 1)); {
	case n > 0:
		return nil, nil, fmt.Errorf("datasets: IDX file goes on after the %d bytes that its header announces", want)
	case err != io.EOF:
		return nil, nil, fmt.Errorf("datasets: reading the end of an IDX file: %w", err)
	}
	return dims, data, nil
}

// ReadImages reads a file of 8-bit gray images and the file of their labels, both in the IDX format of [ReadIDX]. The
// result has one channel. The argument names holds the class names; nil names them by number, "0", "1", and so on up to
// the largest label.
//
// It is an error if the two files are swapped, if they differ in count, or if a label has no name in names.
func ReadImages(images, labels io.Reader, names []string) (*Images, error) {
	dims, pixels, err := ReadIDX(images)
	if err != nil {
		return nil, fmt.Errorf("image file: %w", err)
	}
	if len(dims) != 3 {
		return nil, errors.New("datasets: the image file holds labels: are the two files swapped?")
	}
	labelDims, bytes, err := ReadIDX(labels)
	if err != nil {
		return nil, fmt.Errorf("label file: %w", err)
	}
	if len(labelDims) != 1 {
		return nil, errors.New("datasets: the label file holds images: are the two files swapped?")
	}
	if dims[0] != labelDims[0] {
		return nil, fmt.Errorf("datasets: %d images but %d labels: the two files do not belong together; "+
			"take both from the same part of the data set", dims[0], labelDims[0])
	}
	result := &Images{Height: dims[1], Width: dims[2], Channels: 1,
		Pixels: pixels, Labels: make([]int, len(bytes)), Classes: slices.Clone(names)}
	for i, b := range bytes {
		result.Labels[i] = int(b)
	}
	if names == nil && len(bytes) > 0 {
		result.Classes = classes.Numbered(int(slices.Max(bytes)) + 1)
	}
	if err := result.Validate(); err != nil {
		return nil, err
	}
	return result, nil
}

// Decompress returns a reader of the decompressed bytes if r holds a gzip file, detected by its first two bytes, and
// otherwise of r's own bytes.
func Decompress(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	start, err := buffered.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("datasets: reading the start of a file: %w", err)
	}
	if len(start) < 2 || start[0] != 0x1f || start[1] != 0x8b {
		return buffered, nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, fmt.Errorf("datasets: reading a gzip file: %w", err)
	}
	return unzipped, nil
}

// readHeader reads numbers of a header, as binary.Read does.
func readHeader(r io.Reader, numbers any) error {
	err := binary.Read(r, binary.BigEndian, numbers)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("datasets: IDX file ends within its header: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		return fmt.Errorf("datasets: reading the header of an IDX file: %w", err)
	}
	return nil
}

// readAtMost reads up to want bytes. The buffer starts small and doubles, so a false header costs no memory; it never
// exceeds want. An early end is no error here.
func readAtMost(r io.Reader, want int) ([]byte, error) {
	data := make([]byte, 0, min(want, 64<<10))
	for len(data) < want {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, len(data)+min(len(data), want-len(data))), data...)
		}
		n, err := io.ReadFull(r, data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}
