package viz

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// painted is something that an SVG file paints: the inside or the line of a subpath, or a text.
type painted struct {
	look   string       // color, line, font, words, and the commands of the subpath
	points [][2]float64 // on the page
	order  int          // of painting; the parts painted at once by one element share a number
}

// svgCanvas reads an SVG file independently of compactSVG.
type svgCanvas struct {
	t     *testing.T
	attrs []map[string]string // of the open elements, inherited
	at    [][6]float64        // their transformations
	out   []painted
	count int
}

// paintedBy returns everything that a file paints, in order.
func paintedBy(t *testing.T, file []byte) []painted {
	t.Helper()
	c := &svgCanvas{t: t, attrs: []map[string]string{{}}, at: [][6]float64{{1, 0, 0, 1, 0, 0}}}
	decoder := xml.NewDecoder(bytes.NewReader(file))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return c.out
		}
		expect.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			c.begin(e)
			switch a := c.attrs[len(c.attrs)-1]; e.Name.Local {
			case "path":
				c.path(a["d"])
			case "image":
				x, y := c.number(a["x"]), c.number(a["y"])
				_, data, _ := strings.Cut(a["href"], ",")
				c.add("image|"+data, c.on(x, y), c.on(x+c.number(a["width"]), y+c.number(a["height"])))
			}
		case xml.CharData:
			if a := c.attrs[len(c.attrs)-1]; a["name"] == "text" {
				look := []string{"text", string(e), c.value("fill", "#000"),
					c.value("font-size", ""), c.value("font-weight", "normal")}
				c.add(strings.Join(look, "|"), c.on(c.number(a["x"]), c.number(a["y"])))
			}
		case xml.EndElement:
			c.attrs, c.at = c.attrs[:len(c.attrs)-1], c.at[:len(c.at)-1]
		}
	}
}

var svgTransform = regexp.MustCompile(`(\w+)\(([^)]*)\)`)

// begin opens an element with the attributes of those around it.
func (c *svgCanvas) begin(e xml.StartElement) {
	a := map[string]string{}
	for name, value := range c.attrs[len(c.attrs)-1] {
		a[name] = value
	}
	delete(a, "transform")
	for _, attr := range e.Attr {
		a[attr.Name.Local] = attr.Value
		if attr.Name.Local == "style" {
			for part := range strings.SplitSeq(attr.Value, ";") {
				name, value, _ := strings.Cut(part, ":")
				a[name] = value
			}
		}
	}
	a["name"] = e.Name.Local
	m := c.at[len(c.at)-1]
	for _, part := range svgTransform.FindAllStringSubmatch(a["transform"], -1) {
		var v []float64
		for word := range strings.FieldsFuncSeq(part[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			v = append(v, c.number(word))
		}
		switch part[1] {
		case "translate":
			m = times(m, [6]float64{1, 0, 0, 1, v[0], v[1]})
		case "scale":
			m = times(m, [6]float64{v[0], 0, 0, v[1], 0, 0})
		case "rotate":
			v = append(v, 0, 0)
			sin, cos := math.Sincos(v[0] * math.Pi / 180)
			m = times(m, [6]float64{1, 0, 0, 1, v[1], v[2]})
			m = times(m, [6]float64{cos, sin, -sin, cos, 0, 0})
			m = times(m, [6]float64{1, 0, 0, 1, -v[1], -v[2]})
		default:
			c.t.Fatalf("transformation %q", part[0])
		}
	}
	c.attrs, c.at = append(c.attrs, a), append(c.at, m)
}

// times returns the product of two matrices as SVG writes them.
func times(m, n [6]float64) [6]float64 {
	return [6]float64{m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1], m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5]}
}

func (c *svgCanvas) on(x, y float64) [2]float64 {
	m := c.at[len(c.at)-1]
	return [2]float64{m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]}
}

// add records an element that is painted at once.
func (c *svgCanvas) add(look string, points ...[2]float64) {
	c.count += 2
	c.out = append(c.out, painted{look, points, c.count})
}

// value returns the value of a style of the open element.
func (c *svgCanvas) value(name, initial string) string {
	if v, ok := c.attrs[len(c.attrs)-1][name]; ok {
		return shortStyle(v)
	}
	return initial
}

func (c *svgCanvas) number(s string) float64 {
	v := expect.Must(strconv.ParseFloat(strings.TrimSuffix(s, "px"), 64))(c.t)
	return v
}

var (
	pathWord = regexp.MustCompile(`[A-Za-z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`)
	pathSize = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'Q': 4, 'C': 6, 'A': 7, 'Z': 0}
)

// path reads the data of the open <path> by the grammar of SVG and records the painted subpaths.
func (c *svgCanvas) path(data string) {
	words := pathWord.FindAllString(data, -1)
	var (
		command    byte
		pen, start [2]float64
		shape      string
		points     [][2]float64
	)
	c.count += 2
	end := func() {
		if shape != "" && shape != "M" {
			c.paint(shape, points)
		}
		shape, points = "", nil
	}
	for len(words) > 0 {
		if word := words[0]; word[0] >= 'A' && word[0] <= 'z' {
			command, words = word[0], words[1:]
		} else if command|0x20 == 'm' {
			command-- // l follows m, and L follows M
		}
		kind := command &^ 0x20
		v := make([]float64, pathSize[kind])
		for i := range v {
			v[i] = c.number(words[i])
		}
		words = words[len(v):]
		var from [2]float64
		if command != kind {
			from = pen
		}
		switch kind {
		case 'Z':
			shape, pen = shape+"Z", start
			continue
		case 'H':
			v, kind = []float64{v[0] + from[0], pen[1]}, 'L'
		case 'V':
			v, kind = []float64{pen[0], v[0] + from[1]}, 'L'
		case 'A':
			if m := c.at[len(c.at)-1]; m[0]*m[3] < m[1]*m[2] {
				v[4] = 1 - v[4] // turned over
			}
			shape += fmt.Sprintf("%.2f %g %g ", v[0], v[3], v[4])
			v = v[5:]
		}
		if word := command &^ 0x20; word != 'H' && word != 'V' {
			for i := range v {
				v[i] += from[i%2]
			}
		}
		if kind == 'M' {
			end()
			start = [2]float64(v)
		}
		before := pen
		pen = [2]float64(v[len(v)-2:])
		if kind == 'L' && math.Hypot(pen[0]-before[0], pen[1]-before[1]) <= 0.0011 {
			continue // a line of no length, which paints nothing
		}
		shape += string(kind)
		for ; len(v) > 0; v = v[2:] {
			points = append(points, c.on(v[0], v[1]))
		}
	}
	end()
}

// paint records the inside and the line of a subpath.
func (c *svgCanvas) paint(shape string, points [][2]float64) {
	if fill := c.value("fill", "#000"); fill != "none" {
		look := []string{"fill", fill, c.value("fill-opacity", "1"), shape}
		c.out = append(c.out, painted{strings.Join(look, "|"), points, c.count})
	}
	if stroke := c.value("stroke", "none"); stroke != "none" {
		look := []string{"stroke", stroke, c.value("stroke-opacity", "1"), c.value("stroke-width", "1"),
			c.value("stroke-dasharray", "none"), c.value("stroke-dashoffset", "0"), shape}
		c.out = append(c.out, painted{strings.Join(look, "|"), points, c.count + 1})
	}
}

// box returns the corners of the bounding box, and whether there are any points.
func (p painted) box() (low, high [2]float64) {
	low, high = p.points[0], p.points[0]
	for _, q := range p.points {
		for k := range q {
			low[k], high[k] = min(low[k], q[k]), max(high[k], q[k])
		}
	}
	return low, high
}

// samePicture reports a failure if two files paint differently by more than within points, or paint overlapping parts
// in another order.
func samePicture(t *testing.T, got, want []painted, within float64) {
	t.Helper()
	expect.Require(t, len(got) == len(want), "%d things are painted, want %d", len(got), len(want))
	used, order := make([]bool, len(got)), make([]int, len(want))
	for i, w := range want {
		j := 0
		for ; j < len(got); j++ {
			if g := got[j]; !used[j] && g.look == w.look && slices.EqualFunc(g.points, w.points, func(a, b [2]float64) bool {
				return math.Abs(a[0]-b[0]) <= within && math.Abs(a[1]-b[1]) <= within
			}) {
				break
			}
		}
		expect.Require(t, j != len(got), "not painted: %s at %v", w.look, w.points)
		used[j], order[i] = true, got[j].order
	}
	for i, a := range want {
		low, high := a.box()
		for j := range i {
			if l, h := want[j].box(); want[j].order < a.order && order[j] >= order[i] &&
				low[0] <= h[0] && l[0] <= high[0] && low[1] <= h[1] && l[1] <= high[1] {
				t.Fatalf("%s at %v is painted before %s at %v", a.look, a.points[0], want[j].look, want[j].points[0])
			}
		}
	}
}
