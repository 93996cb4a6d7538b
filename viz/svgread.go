package viz

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// svgDrawing is a drawing of vgsvg (gonum.org/v1/plot v0.17.0) with y pointing down. vgsvg draws with y pointing up, in
// a group that flips the drawing and in which each text is flipped back.
type svgDrawing struct {
	width, height, viewBox string
	bottom                 float64 // height of the view box: y becomes bottom − y
	pictures               bool    // whether there is an <image>
	items                  []svgItem
	shifts                 []svgShift // of the open groups
}

// svgItem is an element of a drawing, or the begin or end of a group.
type svgItem struct {
	name    string // path, text, image or g
	style   svgStyle
	own     string // attributes except style; the whole tag of a g
	content string // escaped
}

// svgShift is a group of vgsvg. Groups that only shift are not written; their shift is added to the coordinates.
type svgShift struct {
	x, y    float64
	written bool
}

// svgStyle holds the values of the attributes svgNames.
type svgStyle [12]string

// svgNames are the attributes of styles, the first svgPaint of them those of paths. svgDefaults are their initial
// values; for the font, values that no text has.
var (
	svgNames = [12]string{
		"fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-dashoffset",
		"font-family", "font-size", "font-weight", "font-style", "font-variant"}
	svgDefaults = svgStyle{"#000", "1", "none", "1", "1", "none", "0", "", "", "normal", "normal", "normal"}
)

const (
	svgPaint = 7 // attributes

	svgFill, svgStroke                = 0, 2 // indices in svgNames
	svgFamily, svgFontSize, svgWeight = 7, 8, 9
	svgFamilies                       = "Liberation Sans,Arial,Helvetica,sans-serif"
	svgFarthest                       = 1e9 // points; a larger coordinate is an error
)

// attributes returns the attributes in which s differs from base.
func (s svgStyle) attributes(base svgStyle) string {
	var b strings.Builder
	for i, value := range s {
		if value != base[i] {
			b.WriteString(" " + svgNames[i] + "='" + value + "'")
		}
	}
	return b.String()
}

// withFont returns s with the font of base.
func (s svgStyle) withFont(base svgStyle) svgStyle {
	copy(s[svgPaint:], base[svgPaint:])
	return s
}

// readSVG reads a file of vgsvg.
func readSVG(file []byte) (*svgDrawing, error) {
	d := &svgDrawing{}
	decoder := xml.NewDecoder(bytes.NewReader(file))
	for {
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			return d, nil
		case err != nil:
			return nil, fmt.Errorf("viz: SVG: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = d.read(decoder, t)
		case xml.EndElement:
			if t.Name.Local == "g" {
				d.endGroup()
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// read reads an element that begins with tag; of a group and the <svg> element, only the tag.
func (d *svgDrawing) read(decoder *xml.Decoder, tag xml.StartElement) error {
	a := map[string]string{}
	for _, attr := range tag.Attr {
		a[attr.Name.Local] = attr.Value
	}
	switch tag.Name.Local {
	case "svg":
		d.width, d.height, d.viewBox = a["width"], a["height"], a["viewBox"]
		box, err := numbers(4, d.viewBox)
		if err != nil {
			return err
		}
		d.bottom = box[3]
		return nil
	case "g":
		return d.beginGroup(a["transform"])
	case "path":
		return d.readPath(a)
	case "text":
		var content string
		if err := decoder.DecodeElement(&content, &tag); err != nil {
			return fmt.Errorf("viz: SVG: %w", err)
		}
		return d.readText(a, content)
	case "image":
		return d.readImage(a)
	}
	return fmt.Errorf("viz: SVG: vgsvg wrote an element <%s>, which this package does not read", tag.Name.Local)
}

// beginGroup reads a transformation. The first group is the one that flips the drawing.
func (d *svgDrawing) beginGroup(transform string) error {
	if len(d.shifts) == 0 {
		d.shifts = []svgShift{{}}
		return nil
	}
	shift := d.shifts[len(d.shifts)-1]
	name, list, _ := strings.Cut(strings.TrimSuffix(transform, ")"), "(")
	count := map[string]int{"translate": 2, "scale": 2, "rotate": 1}[name]
	v, err := numbers(count, list)
	if err != nil {
		return err
	}
	// In the flipped drawing a transformation T becomes F T F, where F maps y to bottom − y.
	var own string
	switch name {
	case "translate":
		d.shifts = append(d.shifts, svgShift{x: shift.x + v[0], y: shift.y + v[1]})
		return nil
	case "scale":
		if v[0] == 1 && v[1] == 1 {
			d.shifts = append(d.shifts, svgShift{x: shift.x, y: shift.y})
			return nil
		}
		own = translation(shift.x, d.bottom*(1-v[1])-shift.y) + "scale(" + short(v[0], 6) + " " + short(v[1], 6) + ")"
	case "rotate":
		own = translation(shift.x, -shift.y) + "rotate(" + short(-v[0], 4) + " 0 " + short(d.bottom, 4) + ")"
	default:
		return fmt.Errorf("viz: SVG: vgsvg wrote a transformation %q, which this package does not read", transform)
	}
	d.items = append(d.items, svgItem{name: "g", own: `<g transform='` + own + `'>`})
	d.shifts = append(d.shifts, svgShift{written: true})
	return nil
}

// translation returns the transformation that shifts by (x, y), "" for no shift.
func translation(x, y float64) string {
	if x == 0 && y == 0 {
		return ""
	}
	return "translate(" + short(x, 4) + " " + short(y, 4) + ")"
}

func (d *svgDrawing) endGroup() {
	last := len(d.shifts) - 1
	if d.shifts[last].written {
		d.items = append(d.items, svgItem{name: "g", own: `</g>`})
	}
	d.shifts = d.shifts[:last]
}

// readPath reads a <path>. A line around the shape that was filled just before becomes a part of that element, as SVG
// paints the line of an element over its fill.
func (d *svgDrawing) readPath(a map[string]string) error {
	style, err := readStyle(a["style"])
	if err != nil {
		return err
	}
	shift := d.shifts[len(d.shifts)-1]
	path, err := readPath(a["d"], shift.x, d.bottom-shift.y)
	if err != nil {
		return err
	}
	own := ` d='` + path.String() + `'`
	if n := len(d.items); n > 0 && style[svgFill] == "none" {
		if last := &d.items[n-1]; last.name == "path" && last.style[svgStroke] == "none" && last.own == own {
			copy(last.style[svgStroke:svgPaint], style[svgStroke:])
			return nil
		}
	}
	d.items = append(d.items, svgItem{name: "path", style: style, own: own})
	return nil
}

// readText reads a <text>, adds fallbacks for its font, and adds the width of the text in Liberation Sans.
func (d *svgDrawing) readText(a map[string]string, content string) error {
	if strings.TrimSpace(content) == "" {
		return nil
	}
	style, err := readStyle(a["style"])
	if err != nil {
		return err
	}
	own, err := d.place(a)
	if err != nil {
		return err
	}
	if style[svgFamily] == "Liberation Sans" {
		size, err := strconv.ParseFloat(style[svgFontSize], 64)
		if err != nil {
			return fmt.Errorf("viz: SVG: font size: %w", err)
		}
		style[svgFamily] = svgFamilies
		// Trailing blanks are not drawn; textLength would stretch the other letters instead.
		width := textWidth(face(vg.Length(size), style[svgWeight] == "bold"), strings.TrimRight(content, " "))
		own += fmt.Sprintf(` textLength='%.5g' lengthAdjust='spacingAndGlyphs'`, float64(width))
	}
	d.items = append(d.items, svgItem{name: "text", style: style, own: own, content: escapeXML(content)})
	return nil
}

// readImage reads an <image>. vgsvg labels a PNG image as JPEG.
func (d *svgDrawing) readImage(a map[string]string) error {
	own, err := d.place(a)
	if err != nil {
		return err
	}
	for _, name := range []string{"width", "height"} {
		v, err := numbers(1, a[name])
		if err != nil {
			return err
		}
		own += ` ` + name + `='` + short(v[0], 3) + `'`
	}
	own += ` xlink:href='` + strings.Replace(a["href"], "data:image/jpg;", "data:image/png;", 1) + `'`
	d.items, d.pictures = append(d.items, svgItem{name: "image", own: own}), true
	return nil
}

// place returns the position of a text or image, which is flipped back in its element.
func (d *svgDrawing) place(a map[string]string) (string, error) {
	v, err := numbers(2, a["x"]+" "+a["y"])
	if err != nil {
		return "", err
	}
	shift := d.shifts[len(d.shifts)-1]
	return ` x='` + short(v[0]+shift.x, 3) + `' y='` + short(d.bottom-shift.y+v[1], 3) + `'`, nil
}

// readStyle reads a style attribute.
func readStyle(text string) (svgStyle, error) {
	style := svgDefaults
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(part, ":")
		at := slices.Index(svgNames[:], name)
		switch {
		case at >= 0:
			style[at] = shortStyle(value)
		case part != "":
			return style, fmt.Errorf("viz: SVG: vgsvg wrote a style %q, which this package does not read", part)
		}
	}
	return style, nil
}

// shortStyle returns the shortest form of a value: #FFF of #FFFFFF, .75 of 0.75, 11 of 11px.
func shortStyle(value string) string {
	switch {
	case len(value) == 7 && value[0] == '#' && value[1] == value[2] && value[3] == value[4] && value[5] == value[6]:
		return string([]byte{'#', value[1], value[3], value[5]})
	case strings.HasPrefix(value, "0."):
		return value[1:]
	}
	return strings.TrimSuffix(value, "px")
}

// numbers reads count numbers with commas or blanks between them.
func numbers(count int, list string) ([]float64, error) {
	v := make([]float64, 0, count)
	for word := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, fmt.Errorf("viz: SVG: %w", err)
		}
		if !(math.Abs(x) <= svgFarthest) {
			return nil, fmt.Errorf("viz: SVG: a coordinate of %v points: %w: give the axes finite ranges that hold the data",
				x, ErrRange)
		}
		v = append(v, x)
	}
	if len(v) != count {
		return nil, fmt.Errorf("viz: SVG: vgsvg wrote %d numbers, %q, where %d are due", len(v), list, count)
	}
	return v, nil
}
