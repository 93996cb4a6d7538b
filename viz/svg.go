package viz

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"strings"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// encodeSVG draws f as an SVG file, with title and alt as title and description of the image for screen readers; ""
// leaves one out. Fonts are named, not embedded, which would take half a megabyte. Arial and Helvetica have the same
// widths as Liberation Sans, with which the layout measures text. textLength squeezes any other font to these widths.
//
// vgsvg repeats all styles at each mark. encodeSVG writes the same elements in about 40 percent of the bytes: elements
// of one style share a group, and points are relative to each other. No point moves by more than 0.0005 pt; vgsvg
// itself rounds to five digits.
func encodeSVG(f Drawer, w, h vg.Length, title, alt string) ([]byte, error) {
	drawn, err := drawnSVG(f, w, h)
	if err != nil {
		return nil, err
	}
	return compactSVG(drawn, title, alt)
}

// drawnSVG returns the SVG file of f as vgsvg writes it.
func drawnSVG(f Drawer, w, h vg.Length) ([]byte, error) { return encodeTo(vgsvg.New(w, h), f) }

// compactSVG rewrites a file of vgsvg with a title and a description. It returns an error if the file has an element, a
// style or a transformation that vgsvg does not write, or a coordinate that is not finite.
func compactSVG(drawn []byte, title, alt string) ([]byte, error) {
	d, err := readSVG(drawn)
	if err != nil {
		return nil, err
	}
	return d.write(title, alt), nil
}

// write returns the drawing as an SVG file. The <svg> element has the attributes of the most frequent text style, so
// that only other styles need attributes.
func (d *svgDrawing) write(title, alt string) []byte {
	var out bytes.Buffer
	base := d.textStyle()
	out.WriteString(`<svg xmlns='http://www.w3.org/2000/svg'`)
	if d.pictures {
		out.WriteString(` xmlns:xlink='http://www.w3.org/1999/xlink'`)
	}
	out.WriteString(` role='img' width='` + d.width + `' height='` + d.height + `' viewBox='` + d.viewBox + `'` +
		base.attributes(svgDefaults) + `>`)
	for _, e := range [][2]string{{"title", title}, {"desc", alt}} {
		if name, text := e[0], e[1]; text != "" {
			out.WriteString(`<` + name + `>` + escapeXML(text) + `</` + name + `>`)
		}
	}
	for rest := d.items; len(rest) > 0; {
		run := 1
		for rest[0].name != "g" && run < len(rest) && rest[run].name == rest[0].name && rest[run].style == rest[0].style {
			run++
		}
		writeRun(&out, rest[:run], base)
		rest = rest[run:]
	}
	out.WriteString(`</svg>`)
	return out.Bytes()
}

// writeRun writes elements of one name and style, in a group if the style takes attributes and there are several
// elements.
func writeRun(out *bytes.Buffer, run []svgItem, base svgStyle) {
	first := run[0]
	attributes := ""
	switch first.name {
	case "g":
		out.WriteString(first.own)
		return
	case "path":
		attributes = first.style.withFont(base).attributes(base)
	case "text":
		attributes = first.style.attributes(base)
	}
	group := len(run) > 1 && attributes != ""
	if group {
		out.WriteString(`<g` + attributes + `>`)
		attributes = ""
	}
	for _, item := range run {
		out.WriteString(`<` + item.name + attributes + item.own)
		if item.content == "" {
			out.WriteString(`/>`)
		} else {
			out.WriteString(`>` + item.content + `</` + item.name + `>`)
		}
	}
	if group {
		out.WriteString(`</g>`)
	}
}

// textStyle returns the most frequent style of texts, the first of several; the initial style of SVG without a text.
func (d *svgDrawing) textStyle() svgStyle {
	most, count := svgDefaults, map[svgStyle]int{}
	for _, item := range d.items {
		if item.name == "text" {
			count[item.style]++
		}
	}
	for _, item := range d.items { // in order, since the order of a map changes from run to run
		if count[item.style] > count[most] {
			most = item.style
		}
	}
	return most
}

// escapeXML escapes a text that stands between tags, where quotes may stay as they are.
func escapeXML(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text)) // the buffer takes everything
	return strings.NewReplacer("&#39;", "'", "&#34;", `"`).Replace(b.String())
}

// dataURI returns the address that holds a picture itself, for an attribute in double quotes. SVG is escaped or in
// base64, whichever is shorter.
func dataURI(mime protocol.MIMEType, data []byte) string {
	address := "data:" + string(mime) + ";base64," + base64.StdEncoding.EncodeToString(data)
	if mime == protocol.MIMEImageSVG {
		if escaped := "data:" + string(mime) + "," + escapeURI.Replace(string(data)); len(escaped) < len(address) {
			return escaped
		}
	}
	return address
}

// escapeURI escapes characters that have a meaning in a URI or in HTML, and the whitespace that browsers remove from
// URIs. They accept spaces and all letters. A sanitizer that searches attributes for tags finds none.
var escapeURI = strings.NewReplacer("%", "%25", "#", "%23", "<", "%3C", ">", "%3E", "&", "%26", `"`, "%22", `\`, "%5C",
	"\n", "%0A", "\r", "%0D", "\t", "%09")
