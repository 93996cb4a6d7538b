package viz

import (
	"cmp"
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

// AddLegend adds a legend in the house style to p. It lies to the right of the data, or above them if p.Legend.Top is
// set when the plot is drawn; it claims the room, so it never covers the data. Long names are broken into lines. Font
// and color of the text come from p.Legend.TextStyle.
//
// The legend of gonum/plot lies inside the plot, over the data; a plot should have one or the other.
func AddLegend(p *plot.Plot, entries ...Entry) {
	if len(entries) > 0 {
		p.Add(&legend{entries: slices.Clone(entries)})
	}
}

// Measures of a legend, in points.
const (
	lineThumb   = vg.Length(32)  // thumbnail of a line, whose dots show beside the mark
	markThumb   = vg.Length(10)  // thumbnail of a mark alone
	thumbGap    = vg.Length(6)   // between thumbnail and name
	legendGap   = vg.Length(12)  // between data and legend, and between two entries of a row
	lineFactor  = vg.Length(1.3) // baseline to baseline, in font sizes
	entryGap    = vg.Length(4)   // between two entries of a column
	nameWidth   = vg.Length(118) // names to the right of the data break here
	wordWidth   = vg.Length(170) // and a single word longer than this is cut
	narrowWidth = vg.Length(180) // default room above the data, see layout
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

// arrange returns the lines of each entry, the offset of its upper left corner from the legend's, and the legend's
// size.
func (l *legend) arrange(p *plot.Plot) (names [][]string, at []vg.Point, size vg.Point) {
	f := face(p.Legend.TextStyle.Font.Size, false)
	width := func(s string) vg.Length { return textWidth(f, s) }
	thumb := l.thumbWidth() + thumbGap
	room, limit, longest := vg.Length(0), nameWidth, wordWidth
	if p.Legend.Top {
		room = cmp.Or(max(p.Legend.XOffs, 0), narrowWidth) // set by layout to the width of the data
		limit = max(room-thumb, nameWidth)
		longest = limit
	}
	var boxes []vg.Point
	for _, e := range l.entries {
		lines := fit(e.Name, limit, longest, width)
		names = append(names, lines)
		boxes = append(boxes, vg.Point{X: thumb + widest(width, lines...), Y: lineFactor * f.Font.Size * vg.Length(len(lines))})
	}
	at, size = flow(boxes, room, legendGap, entryGap)
	return names, at, size
}

// flow places boxes side by side in rows of width room. It returns the offset of each from the upper left corner, and
// the total size.
func flow(boxes []vg.Point, room, gapX, gapY vg.Length) (at []vg.Point, size vg.Point) {
	var x, y vg.Length
	for _, b := range boxes {
		if x > 0 && x+b.X > room { // the row is full
			x, y = 0, size.Y+gapY
		}
		at = append(at, vg.Point{X: x, Y: y})
		size.X, size.Y = max(size.X, x+b.X), max(size.Y, y+b.Y)
		x += b.X + gapX
	}
	return at, size
}

// GlyphBoxes claims the room to the right of the data or above them.
func (l *legend) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	_, _, size := l.arrange(p)
	if p.Legend.Top {
		return []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: size.Y + legendGap/2}}}}
	}
	return []plot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: size.X + legendGap}}}}
}

// Plot draws the legend beside the data canvas c.
func (l *legend) Plot(c draw.Canvas, p *plot.Plot) {
	names, at, size := l.arrange(p)
	corner := vg.Point{X: c.Max.X + legendGap, Y: c.Max.Y}
	if p.Legend.Top {
		corner = vg.Point{X: c.Min.X, Y: c.Max.Y + legendGap/2 + size.Y}
	}
	f := face(p.Legend.TextStyle.Font.Size, false)
	line := lineFactor * f.Font.Size
	width := l.thumbWidth()
	for i, lines := range names {
		x, y := corner.X+at[i].X, corner.Y-at[i].Y
		box := vg.Rectangle{Min: vg.Point{X: x, Y: y - line}, Max: vg.Point{X: x + width, Y: y}}
		thumb := draw.Canvas{Canvas: c.Canvas, Rectangle: box}
		for _, t := range l.entries[i].Thumbs {
			t.Thumbnail(&thumb)
		}
		for j, s := range lines {
			// A baseline about a third of the font size under the middle of the line centers small letters on it.
			base := y - line*(vg.Length(j)+0.5) - 0.33*f.Font.Size
			write(c, f, p.Legend.TextStyle.Color, vg.Point{X: x + width + thumbGap, Y: base}, 0, s)
		}
	}
}
