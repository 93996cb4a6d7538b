package viz

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
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

// encodePDF draws f as a PDF file.
func encodePDF(f Drawer, w, h vg.Length) ([]byte, error) {
	c := outlined{vgpdf.New(w, h)}
	if err := drawOn(f, c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("viz: PDF: %w", err)
	}
	return b.Bytes(), nil
}

// encodeSVG draws f as an SVG file. A reader of the file by ear meets one image with a title and a description
// rather than loose words and numbers. The fonts are not embedded, which would take half a megabyte, but named with
// fall-backs: Arial and Helvetica have the same widths as Liberation Sans, with which the text was measured.
func encodeSVG(f Drawer, w, h vg.Length, title, alt string) ([]byte, error) {
	c := vgsvg.New(w, h)
	if err := drawOn(f, c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("viz: SVG: %w", err)
	}
	svg := b.Bytes()
	svg = bytes.ReplaceAll(svg, []byte(`style="font-family:Liberation Sans;`),
		[]byte(`style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;`))
	svg = bytes.Replace(svg, []byte("<svg "), []byte(`<svg role="img" `), 1)
	head := bytes.Index(svg, []byte("<svg "))
	end := bytes.IndexByte(svg[max(head, 0):], '>')
	if head < 0 || end < 0 {
		return nil, fmt.Errorf("viz: SVG: the drawing has no <svg> element")
	}
	end += head + 1
	var out bytes.Buffer
	out.Write(svg[:end])
	for _, e := range []struct{ name, text string }{{"title", title}, {"desc", alt}} {
		if e.text == "" {
			continue
		}
		fmt.Fprintf(&out, "<%s>", e.name)
		if err := xml.EscapeText(&out, []byte(e.text)); err != nil {
			return nil, fmt.Errorf("viz: SVG: %w", err)
		}
		fmt.Fprintf(&out, "</%s>", e.name)
	}
	out.Write(svg[end:])
	return out.Bytes(), nil
}
