package viz

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Animation is a figure that moves, see [Embeddings]. It implements Drawer: Draw draws its still, a static version for
// print and for readers who prefer reduced motion. Show shows the animation, or the still where the reader's system
// requests reduced motion. Save writes the animation to an .apng file and the still to all other formats.
type Animation struct {
	frames        []*plot.Plot
	delays        []time.Duration
	width, height vg.Length // of a frame
	still         *Composite
}

// EmbeddingFrame is the embedding at one step of training.
type EmbeddingFrame struct {
	Step   int
	Loss   float64 // in nats; 0 if unknown
	Groups []Group // of the same names and sizes in every frame, the same examples in one order
}

// EmbeddingsConfig configures Embeddings. The zero value works.
type EmbeddingsConfig struct {
	ScatterConfig
	FrameTime time.Duration // display time of a frame; 0 means 200 ms. The last frame stays ten times as long
}

const (
	mostFrames   = 120 // more frames would make a file of many megabytes
	animationDPI = 144 // 1.5 times the 96 dots per inch of browsers
	stripScale   = 0.6 // of the marks in the still, whose panels are small
)

// Embeddings draws an embedding during training, one frame for each recorded step. Each frame draws the points as
// [Scatter] does, on fixed axes, with the step and the loss below the title. Align the maps to the plane with
// reduce.AlignSequence of package pucl/reduce, which removes their rotations. The still shows the first, the middle and
// the last frame side by side.
//
// It returns an error if there is no frame or more than 120, the steps do not increase, the groups differ between
// frames, or the frame time is not between 20 ms and 6 s; other errors are those of Scatter.
func Embeddings(cfg EmbeddingsConfig, frames ...EmbeddingFrame) (*Animation, error) {
	if err := checkFrames(frames); err != nil {
		return nil, err
	}
	stays := cmp.Or(cfg.FrameTime, 200*time.Millisecond)
	if stays < 20*time.Millisecond || stays > 6*time.Second {
		return nil, fmt.Errorf("viz: embeddings: a frame stays for %v: %w: give 20 ms to 6 s", stays, ErrRange)
	}
	a := &Animation{width: cmp.Or(cfg.Width, defaultWidth), height: cmp.Or(cfg.Height, defaultHeight)}
	title := cfg.Title
	for _, f := range frames {
		cfg.Title = strings.TrimPrefix(title+"\n"+f.caption(", "), "\n")
		p, entries, err := scatter(cfg.ScatterConfig, f.Groups)
		if err != nil {
			return nil, fmt.Errorf("%w (in the frame of step %d)", err, f.Step)
		}
		AddLegend(p, entries...)
		a.frames = append(a.frames, p)
		a.delays = append(a.delays, stays)
	}
	a.delays[len(frames)-1] *= 10
	var strip []*plot.Plot
	var key []Entry
	for _, i := range slices.Compact([]int{0, (len(frames) - 1) / 2, len(frames) - 1}) {
		cfg.Title = frames[i].caption("\n")
		p, entries, err := scatter(cfg.ScatterConfig, frames[i].Groups)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if m, ok := e.Thumbs[0].(*marks); ok {
				m.Radius *= stripScale
			}
		}
		strip, key = append(strip, p), entries
	}
	shareAxes(slices.Concat(a.frames, strip))
	var err error
	a.still, err = filmStrip(title, a.width, strip, key)
	return a, err
}

// shareAxes gives all plots the union of their ranges.
func shareAxes(plots []*plot.Plot) {
	x, y := plots[0].X, plots[0].Y
	for _, p := range plots {
		x.Min, x.Max = min(x.Min, p.X.Min), max(x.Max, p.X.Max)
		y.Min, y.Max = min(y.Min, p.Y.Min), max(y.Max, p.Y.Max)
	}
	for _, p := range plots {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x.Min, x.Max, y.Min, y.Max
	}
}

// caption returns the step and the loss of the frame.
func (f EmbeddingFrame) caption(and string) string {
	s := "step " + number(float64(f.Step), 0)
	if f.Loss != 0 {
		s += and + "loss " + number(f.Loss, 2)
	}
	return s
}

func checkFrames(frames []EmbeddingFrame) error {
	if len(frames) == 0 {
		return fmt.Errorf("viz: embeddings: %w: pass at least one frame", ErrNoData)
	}
	if len(frames) > mostFrames {
		return fmt.Errorf("viz: embeddings: %d frames, which would take megabytes: %w: keep every n-th, %d at most",
			len(frames), ErrRange, mostFrames)
	}
	for i, f := range frames {
		if err := checkFinite(fmt.Sprintf("the loss of the frame of step %d", f.Step), f.Loss); err != nil {
			return err
		}
		if i == 0 {
			continue
		}
		first, before := frames[0], frames[i-1]
		if f.Step <= before.Step {
			return fmt.Errorf("viz: embeddings: step %d comes after step %d: %w: give the frames in order", f.Step, before.Step, ErrRange)
		}
		if len(f.Groups) != len(first.Groups) {
			return fmt.Errorf("viz: embeddings: the frame of step %d has %d groups and the first one %d: %w",
				f.Step, len(f.Groups), len(first.Groups), ErrLength)
		}
		for j, g := range f.Groups {
			if of := first.Groups[j]; g.Name != of.Name || len(g.X) != len(of.X) {
				return fmt.Errorf("viz: embeddings: the frame of step %d has %d points of %q where the first one has %d of %q: %w: "+
					"give the same examples in every frame",
					f.Step, len(g.X), g.Name, len(of.X), of.Name, ErrLength)
			}
		}
	}
	return nil
}

// filmStrip returns plots side by side, below a title and a legend.
func filmStrip(title string, width vg.Length, plots []*plot.Plot, entries []Entry) (*Composite, error) {
	for i, p := range plots {
		p.X.Tick.Marker, p.Y.Tick.Marker = Ticks{N: 3}, Ticks{N: 3}
		if i > 0 {
			p.Y.Label.Text = "" // the first one has it
		}
	}
	var boxes []vg.Point
	for _, e := range entries {
		boxes = append(boxes, vg.Point{X: markThumb + thumbGap + smallWidth(e.Name), Y: keyLine})
	}
	at, size := flow(boxes, width-2*margin, legendGap, 0)
	heading := &Drawing{Title: title, align: 0.5, width: size.X, height: size.Y, draw: func(c draw.Canvas, title, width vg.Length) {
		for i, e := range entries {
			corner := vg.Point{X: (width-size.X)/2 + at[i].X, Y: -title - at[i].Y}
			thumb := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: corner.Sub(vg.Point{Y: keyLine}), Max: corner.Add(vg.Point{X: markThumb})}}
			for _, t := range e.Thumbs {
				t.Thumbnail(&thumb)
			}
			writeSmall(c, vg.Point{X: thumb.Max.X + thumbGap, Y: corner.Y - keyLine/2 - 0.33*smallSize}, 0, e.Name)
		}
	}}
	panels := &Composite{width: width, height: width/vg.Length(len(plots)) + 0.75*vg.Inch,
		arrange: func(c draw.Canvas) []placed { return sideBySide(plots, c) }}
	return Column(width, heading, panels)
}

// Size returns the size of the still in points.
func (a *Animation) Size() (width, height vg.Length) { return a.still.Size() }

// Draw draws the still on c.
func (a *Animation) Draw(c draw.Canvas) { a.still.Draw(c) }

// encode returns the frames as an APNG file; a width or height of 0 means the size of the figure.
func (a *Animation) encode(width, height vg.Length) ([]byte, error) {
	width, height = cmp.Or(width, a.width), cmp.Or(height, a.height)
	pixels := make([]*image.RGBA, len(a.frames))
	for i, p := range a.frames {
		var err error
		if pixels[i], err = rasterize(p, width, height, animationDPI); err != nil {
			return nil, err
		}
	}
	return encodeAPNG(shrinkTogether(pixels), a.delays)
}

// data returns the message that shows a. The <picture> element makes the viewer use the still where the reader's system
// requests reduced motion. An untrusted notebook keeps only the <img> in it, which moves.
func (a *Animation) data(alt string, s showing) (*protocol.DisplayData, error) {
	width, height := cmp.Or(s.width, a.width), cmp.Or(s.height, a.height)
	moving, err := a.encode(width, height)
	if err != nil {
		return nil, err
	}
	stillWidth, stillHeight := a.Size()
	still, err := encodePNG(a, stillWidth, stillHeight)
	if err != nil {
		return nil, err
	}
	source := func(data []byte) string { return dataURI(protocol.MIMEImagePNG, data) }
	wide, high := onScreen(width), onScreen(height)
	picture := fmt.Sprintf(`<picture><source media="(prefers-reduced-motion: reduce)" srcset="%s"/>%s</picture>`+darkStyle,
		source(still), imgElement(alt, darkClass, wide, high, source(moving)))
	return figureMessage(picture, moving, alt, wide, high), nil
}
