package viz

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/puclab/puclab/internal/wholefile"
)

// Save writes f to a file whose name ends in .svg, .png (at twice the screen resolution) or .pdf. Sizes are in
// points; a width or height of 0 means that of the figure itself, which is 6.5 by 4 inches where it has none. An
// existing file is replaced.
//
// It returns an error if the ending is another one, the size makes no sense or the file cannot be written; the
// folder must exist.
func Save(f Drawer, path string, width, height vg.Length) error {
	w, h, err := checkedSize("save "+path, f, width, height)
	if err != nil {
		return err
	}
	var data []byte
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg":
		data, err = encodeSVG(f, w, h, titleOf(f), "")
	case ".png":
		data, err = encodePNG(f, w, h)
	case ".pdf":
		data, err = encodeTo(outlined{vgpdf.New(w, h)}, f)
	default:
		return fmt.Errorf("viz: save %s: %w %q: end the name in .svg, .png or .pdf", path, ErrFormat, ext)
	}
	if err != nil {
		return err
	}
	if err := wholefile.Write(path, wholefile.Bytes(data)); err != nil {
		return fmt.Errorf("viz: save: %w", err)
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
