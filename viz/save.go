package viz

import (
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"

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
