package viz

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The sizes between which a figure can be drawn, in points.
const (
	smallest = vg.Inch / 2
	largest  = 100 * vg.Inch
)

// checkSize returns an error if a figure of this size in points cannot be drawn.
func checkSize(w, h vg.Length) error {
	ok := func(v vg.Length) bool { return v >= smallest && v <= largest } // false for NaN too
	if !ok(w) || !ok(h) {
		return fmt.Errorf("viz: a figure of %g by %g points: %w: want %g to %g, 6.5*viz.Inch is the width of a notebook",
			w.Points(), h.Points(), ErrRange, smallest.Points(), largest.Points())
	}
	return nil
}

// encodeTo returns what a canvas of a file format holds after f was drawn on it.
func encodeTo(c interface {
	vg.CanvasSizer
	io.WriterTo
}, f Drawer) ([]byte, error) {
	if err := drawOn(f, c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("viz: writing the figure: %w", err)
	}
	return b.Bytes(), nil
}

// encodeSVG draws f as an SVG file. A reader of the file by ear meets one image with a title and a description
// rather than loose words and numbers. The fonts are not embedded, which would take half a megabyte, but named with
// fall-backs: Arial and Helvetica have the same widths as Liberation Sans, with which the text was measured.
func encodeSVG(f Drawer, w, h vg.Length, title, alt string) ([]byte, error) {
	svg, err := encodeTo(vgsvg.New(w, h), f)
	if err != nil {
		return nil, err
	}
	svg = bytes.ReplaceAll(svg, []byte(`style="font-family:Liberation Sans;`),
		[]byte(`style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;`))
	head, rest, ok := bytes.Cut(svg, []byte("<svg "))
	attributes, body, closed := bytes.Cut(rest, []byte(">"))
	if !ok || !closed {
		return nil, fmt.Errorf("viz: SVG: the drawing has no <svg> element")
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `%s<svg role="img" %s>`, head, attributes)
	for _, e := range [][2]string{{"title", title}, {"desc", alt}} {
		if name, text := e[0], e[1]; text != "" {
			fmt.Fprintf(&out, "<%s>", name)
			xml.EscapeText(&out, []byte(text)) // the buffer takes everything
			fmt.Fprintf(&out, "</%s>", name)
		}
	}
	out.Write(body)
	return out.Bytes(), nil
}
