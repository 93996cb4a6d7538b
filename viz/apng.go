package viz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"time"
)

// An APNG file is a PNG file with additional chunks for the frames. Programs without support for animations show its
// single image. The chunks hold the number of frames (acTL) and, for each frame, its position and delay (fcTL) and its
// pixels (fdAT), compressed like those of the image.
//
// Source: Portable Network Graphics (PNG) Specification, third edition (2025), section 11.3.6.

// pngChunk is a chunk of a PNG file.
type pngChunk struct {
	kind string
	data []byte
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// encodeAPNG returns an APNG file that repeats frames endlessly, each for its delay. Frames have one size, and are all
// paletted with one palette or all opaque. Viewers without animation show the last frame.
func encodeAPNG(frames []image.Image, delays []time.Duration) ([]byte, error) {
	last := frames[len(frames)-1]
	file, err := compress(last)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(pngSignature)
	sequence := uint32(0)
	for _, chunk := range pngChunks(file) {
		switch chunk.kind {
		case "IHDR":
			writeChunk(&b, chunk.kind, chunk.data)
			writeChunk(&b, "acTL", binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(frames))), 0))
		case "IEND":
			for i, frame := range frames {
				changed := frame.Bounds()
				if i > 0 {
					changed = difference(frames[i-1], frame)
				}
				if sequence, err = writeFrame(&b, sequence, frame, changed, delays[i]); err != nil {
					return nil, err
				}
			}
			writeChunk(&b, chunk.kind, chunk.data)
		default:
			writeChunk(&b, chunk.kind, chunk.data)
		}
	}
	return b.Bytes(), nil
}

// writeFrame writes the pixels of a frame within a rectangle, and its delay. It returns the next sequence number.
func writeFrame(b *bytes.Buffer, sequence uint32, frame image.Image, within image.Rectangle, delay time.Duration) (uint32, error) {
	part, ok := frame.(interface {
		SubImage(image.Rectangle) image.Image
	})
	if !ok {
		return 0, fmt.Errorf("viz: APNG: no parts of a %T", frame)
	}
	file, err := compress(part.SubImage(within))
	if err != nil {
		return 0, err
	}
	corner := within.Min.Sub(frame.Bounds().Min)
	var control []byte
	for _, v := range []int{int(sequence), within.Dx(), within.Dy(), corner.X, corner.Y} {
		control = binary.BigEndian.AppendUint32(control, uint32(v))
	}
	control = binary.BigEndian.AppendUint16(control, uint16(min(delay.Milliseconds(), 0xFFFF)))
	control = binary.BigEndian.AppendUint16(control, 1000) // the unit of the delay is 1/1000 s
	control = append(control, 0, 0)                        // keep the canvas, and overwrite it with the frame
	writeChunk(b, "fcTL", control)
	sequence++
	for _, chunk := range pngChunks(file) {
		if chunk.kind == "IDAT" {
			writeChunk(b, "fdAT", append(binary.BigEndian.AppendUint32(nil, sequence), chunk.data...))
			sequence++
		}
	}
	return sequence, nil
}

// difference returns the smallest rectangle that contains all pixels in which two images of one size differ, at least
// one pixel.
func difference(a, b image.Image) image.Rectangle {
	bounds := a.Bounds()
	var changed image.Rectangle
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if !samePixel(a, b, x, y) {
				changed = changed.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if changed.Empty() {
		return image.Rectangle{Min: bounds.Min, Max: bounds.Min.Add(image.Pt(1, 1))}
	}
	return changed
}

// samePixel reports whether two images agree at a place.
func samePixel(a, b image.Image, x, y int) bool {
	if p, ok := a.(*image.Paletted); ok {
		if q, ok := b.(*image.Paletted); ok {
			return p.ColorIndexAt(x, y) == q.ColorIndexAt(x, y)
		}
	}
	return a.At(x, y) == b.At(x, y)
}

// pngChunks returns the chunks of a PNG file that was just written, and so is known to be whole.
func pngChunks(file []byte) (chunks []pngChunk) {
	for rest := file[len(pngSignature):]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		chunks = append(chunks, pngChunk{string(rest[4:8]), rest[8 : 8+n]})
		rest = rest[12+n:]
	}
	return chunks
}

// writeChunk writes a chunk with its length before it and its check sum behind it.
func writeChunk(b *bytes.Buffer, kind string, data []byte) {
	body := append([]byte(kind), data...)
	b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	b.Write(body)
	b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
}
