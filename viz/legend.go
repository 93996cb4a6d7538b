package viz

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Entry is one line of a legend: a name and the thumbnails that are drawn over each other before it.
type Entry struct {
	Name   string
	Thumbs []plot.Thumbnailer
}

func newEntry(name string, thumbs ...plot.Thumbnailer) Entry { return Entry{name, thumbs} }

// AddLegend adds a legend in the house style to p. It lies to the right of the data, or above them where
// p.Legend.Top is set when the plot is drawn; both places are cleared for it, so it never covers the data. Long
// names are broken into lines. The text takes font and color from p.Legend.TextStyle.
//
// The stock legend of gonum/plot lies inside the plot, over the data; a plot should have one or the other.
func AddLegend(p *plot.Plot, entries ...Entry) {
	if len(entries) > 0 {
		p.Add(&legend{entries: slices.Clone(entries)})
	}
}

// Measures of a legend, in points.
const (
	lineThumb   = vg.Length(26)  // thumbnail of a line
	markThumb   = vg.Length(10)  // thumbnail of a mark alone
	thumbGap    = vg.Length(6)   // between thumbnail and name
	legendGap   = vg.Length(12)  // between data and legend, and between two entries of a row
	lineFactor  = vg.Length(1.3) // baseline to baseline, in font sizes
	entryGap    = vg.Length(4)   // between two entries of a column
	nameWidth   = vg.Length(118) // names to the right of the data break here
	wordWidth   = vg.Length(170) // and a single word longer than this is cut
	narrowWidth = vg.Length(180) // room above the data as long as nobody knows better, see layout
)

// legend is a plotter that reserves the room it needs through its glyph boxes, and then draws there.
type legend struct {
	entries []Entry
}

// thumbWidth returns the width of the thumbnails, which is the same for all entries.
func (l *legend) thumbWidth() vg.Length {
	for _, e := range l.entries {
		for _, t := range e.Thumbs {
			if _, ok := t.(*marks); !ok {
				return lineThumb
			}
		}
	}
	return markThumb
}

// block is an entry as it is placed: the offset of its upper left corner from that of the legend, and its lines.
type block struct {
	x, y  vg.Length
	lines []string
}

// arrange places the entries and returns the size of the legend.
func (l *legend) arrange(p *plot.Plot) (blocks []block, width, height vg.Length) {
	f := face(p.Legend.TextStyle.Font.Size, false)
	size := func(s string) vg.Length { return textWidth(f, s) }
	line := lineFactor * f.Font.Size
	thumb := l.thumbWidth() + thumbGap
	room := narrowWidth
	if p.Legend.XOffs > 0 {
		room = p.Legend.XOffs // set by layout to the width of the data
	}
	var x, y vg.Length
	for _, e := range l.entries {
		limit, longest := nameWidth, wordWidth
		if p.Legend.Top {
			limit = max(room-thumb, nameWidth)
			longest = limit
		}
		b := block{lines: fit(e.Name, limit, longest, size)}
		w := thumb + widest(size, b.lines...)
		h := line * vg.Length(len(b.lines))
		if p.Legend.Top {
			if x > 0 && x+w > room { // the row is full
				x, y = 0, height+entryGap
			}
			b.x, b.y = x, y
			x += w + legendGap
		} else {
			b.y, y = y, y+h+entryGap
		}
		blocks = append(blocks, b)
		width, height = max(width, b.x+w), max(height, b.y+h)
	}
	return blocks, width, height
}

// GlyphBoxes claims the room to the right of the data or above them.
func (l *legend) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	_, w, h := l.arrange(p)
	if p.Legend.Top {
		return []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: h + legendGap/2}}}}
	}
	return []plot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: w + legendGap}}}}
}

// Plot draws the legend beside the data canvas c.
func (l *legend) Plot(c draw.Canvas, p *plot.Plot) {
	blocks, _, h := l.arrange(p)
	corner := vg.Point{X: c.Max.X + legendGap, Y: c.Max.Y}
	if p.Legend.Top {
		corner = vg.Point{X: c.Min.X, Y: c.Max.Y + legendGap/2 + h}
	}
	f := face(p.Legend.TextStyle.Font.Size, false)
	line := lineFactor * f.Font.Size
	width := l.thumbWidth()
	for i, b := range blocks {
		x, y := corner.X+b.x, corner.Y-b.y
		box := vg.Rectangle{Min: vg.Point{X: x, Y: y - line}, Max: vg.Point{X: x + width, Y: y}}
		thumb := draw.Canvas{Canvas: c.Canvas, Rectangle: box}
		for _, t := range l.entries[i].Thumbs {
			t.Thumbnail(&thumb)
		}
		for j, s := range b.lines {
			// A baseline about a third of the font size under the middle of the line centers small letters on it.
			base := y - line*(vg.Length(j)+0.5) - 0.33*f.Font.Size
			write(c, f, p.Legend.TextStyle.Color, vg.Point{X: x + width + thumbGap, Y: base}, 0, s)
		}
	}
}
