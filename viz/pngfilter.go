package viz

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
)

// A PNG file stores the difference of each byte to the value that a filter predicts from the bytes to the left and
// above. image/png chooses a filter by a heuristic, and uses none for images with a palette.
//
// Source: Portable Network Graphics (PNG) Specification, third edition (2025), section 9.

// Filters of lines.
const (
	noFilter    = 0
	leftFilter  = 1
	aboveFilter = 2
	meanFilter  = 3
	paethFilter = 4
)

// pngLines are the lines of pixels of a PNG file without filters.
type pngLines struct {
	pixels []byte
	stride int // bytes of a line
	pixel  int // bytes from a pixel to the next one, at least 1
}

// filtered returns the PNG file with one filter for all lines if that makes it smaller: none, which suits drawings, or
// Paeth's, which suits pictures. image/png must have written file.
func filtered(file []byte) ([]byte, error) {
	chunks := pngChunks(file)
	var packed []byte
	for _, c := range chunks {
		if c.kind == "IDAT" {
			packed = append(packed, c.data...)
		}
	}
	lines, err := readLines(chunks[0].data, packed)
	if err != nil {
		return nil, err
	}
	best := packed
	for _, filter := range []byte{noFilter, paethFilter} {
		var b bytes.Buffer
		if err := lines.compress(&b, filter); err != nil {
			return nil, fmt.Errorf("viz: PNG: %w", err)
		}
		if b.Len() < len(best) {
			best = b.Bytes()
		}
	}
	var out bytes.Buffer
	out.WriteString(pngSignature)
	for _, c := range chunks {
		if c.kind == "IEND" {
			writeChunk(&out, "IDAT", best)
		}
		if c.kind != "IDAT" {
			writeChunk(&out, c.kind, c.data)
		}
	}
	return out.Bytes(), nil
}

// readLines removes the filters from the pixels of a PNG file, given its IHDR chunk.
func readLines(header, packed []byte) (*pngLines, error) {
	width, height := int(binary.BigEndian.Uint32(header)), int(binary.BigEndian.Uint32(header[4:]))
	channels := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[header[9]] // gray, color, palette, and both with opacity
	bits := channels * int(header[8])
	l := &pngLines{stride: (width*bits + 7) / 8, pixel: max(1, bits/8)}
	unpacked, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("viz: PNG: %w", err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil || len(data) != height*(1+l.stride) {
		return nil, fmt.Errorf("viz: PNG: %d bytes of pixels, want %d: %w", len(data), height*(1+l.stride), err)
	}
	l.pixels = make([]byte, height*l.stride)
	for at := 0; len(data) > 0; data = data[1+l.stride:] {
		for _, v := range data[1 : 1+l.stride] {
			l.pixels[at] = v + l.predict(at, data[0])
			at++
		}
	}
	return l, nil
}

// compress writes the lines with a filter.
func (l *pngLines) compress(out io.Writer, filter byte) error {
	w, err := zlib.NewWriterLevel(out, zlibLevel)
	if err != nil {
		return err
	}
	line := make([]byte, 1+l.stride)
	line[0] = filter
	for start := 0; start < len(l.pixels); start += l.stride {
		for i := range l.stride {
			line[1+i] = l.pixels[start+i] - l.predict(start+i, filter)
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Close()
}

// predict returns the filter's prediction of a byte from those before it.
func (l *pngLines) predict(at int, filter byte) byte {
	var left, above, corner byte
	inside := at%l.stride >= l.pixel
	if inside {
		left = l.pixels[at-l.pixel]
	}
	if at >= l.stride {
		above = l.pixels[at-l.stride]
		if inside {
			corner = l.pixels[at-l.stride-l.pixel]
		}
	}
	switch filter {
	case leftFilter:
		return left
	case aboveFilter:
		return above
	case meanFilter:
		return byte((int(left) + int(above)) / 2)
	case paethFilter:
		return paeth(left, above, corner)
	}
	return 0
}

// paeth returns which of three neighbors is nearest to left + above − corner.
func paeth(left, above, corner byte) byte {
	a, b := int(above)-int(corner), int(left)-int(corner) // distances to left and above
	toLeft, toAbove, toCorner := max(a, -a), max(b, -b), max(a+b, -a-b)
	switch {
	case toLeft <= toAbove && toLeft <= toCorner:
		return left
	case toAbove <= toCorner:
		return above
	}
	return corner
}
