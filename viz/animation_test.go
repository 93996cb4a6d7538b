package viz

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg/draw"

	"github.com/puclab/puclab/internal/expect"
)

// film returns frames of points that part.
func film(frames, points int) []EmbeddingFrame {
	rng := rand.New(rand.NewPCG(8, 8))
	var all []EmbeddingFrame
	for i := range frames {
		f := EmbeddingFrame{Step: 10 * i, Loss: 6 - float64(i)/float64(frames), Groups: []Group{{Name: Positive}, {Name: Negative}}}
		for k := range points {
			g := &f.Groups[k%2]
			g.X = append(g.X, rng.NormFloat64()+float64(i*(k%2))/10)
			g.Y = append(g.Y, rng.NormFloat64())
		}
		all = append(all, f)
	}
	return all
}

func TestEmbeddingsErrors(t *testing.T) {
	config := EmbeddingsConfig{}
	other, lost, fewer, backwards, nan := film(2, 4), film(2, 4), film(2, 4), film(2, 4), film(2, 4)
	lost[1].Groups[1].X, lost[1].Groups[1].Y = []float64{1}, []float64{1}
	other[1].Groups[1].Name = "others"
	fewer[1].Groups = fewer[1].Groups[:1]
	backwards[1].Step = -1
	nan[1].Groups[0].X[1] = math.NaN()
	noLoss := film(1, 4)
	noLoss[0].Loss = math.NaN()
	draw := func(c EmbeddingsConfig, frames []EmbeddingFrame) error { return second(Embeddings(c, frames...)) }
	refuses(t, []wrong{
		{"no frame", draw(config, nil), ErrNoData, "pass at least one frame"},
		{"no point", draw(config, []EmbeddingFrame{{}}), ErrNoData, "step 0"},
		{"too many", draw(config, film(121, 2)), ErrRange, "keep every n-th, 120 at most"},
		{"backwards", draw(config, backwards), ErrRange, "step -1 comes after step 0"},
		{"another group", draw(config, other), ErrLength, "give the same examples in every frame"},
		{"a point less", draw(config, lost), ErrLength, `has 1 points of "negative" where the first one has 2`},
		{"a group less", draw(config, fewer), ErrLength, "has 1 groups and the first one 2"},
		{"NaN", draw(config, nan), ErrNotFinite, "in the frame of step 10"},
		{"a loss of NaN", draw(config, noLoss), ErrNotFinite, "the loss of the frame of step 0"},
		{"too fast", draw(EmbeddingsConfig{FrameTime: 1}, film(2, 4)), ErrRange, "give 20 ms to 6 s"},
	})
	still := Save(New(Figure{}), filepath.Join(t.TempDir(), "a.apng"), 0, 0)
	refuses(t, []wrong{{"a plot as .apng", still, ErrFormat, "only an Animation moves"}})
}

// TestEmbeddingsAxes checks that all frames have one range, which holds all points, and that the data lie at one place.
func TestEmbeddingsAxes(t *testing.T) {
	frames := film(7, 60)
	a, err := Embeddings(EmbeddingsConfig{ScatterConfig: ScatterConfig{Figure: Figure{Title: "A title"}, EqualAspect: true}}, frames...)
	expect.NoError(t, err)
	c := draw.New(&sheetOfPaper{w: a.width, h: a.height})
	first := layout(a.frames[0], c)
	for i, p := range a.frames {
		for _, g := range frames[i].Groups {
			for k := range g.X {
				expect.Require(t, g.X[k] >= p.X.Min && g.X[k] <= p.X.Max && g.Y[k] >= p.Y.Min && g.Y[k] <= p.Y.Max,
					"frame %d: the point %g, %g is outside", i, g.X[k], g.Y[k])
			}
		}
		q := layout(p, c)
		expect.That(t, q.DataCanvas(c).Rectangle == first.DataCanvas(c).Rectangle && q.X.Min == first.X.Min &&
			q.Y.Max == first.Y.Max, "frame %d has its data at %v, the first one at %v", i, q.DataCanvas(c).Rectangle,
			first.DataCanvas(c).Rectangle)
	}
	expect.Equal(t, a.frames[3].Title.Text, "A title\nstep 30, loss 5.57", "the title of frame 3")
	paper := drawnAt(t, a, 500, 300)
	expect.Contains(t, textOf(paper), "A title", "step 0", "step 30", "step 60", "loss 5.57", Positive)
	alone := expect.Must(Embeddings(EmbeddingsConfig{}, frames[0]))(t)
	expect.That(t, len(alone.frames) == 1 && titleOf(alone) == "", "one frame")
}

// TestAnimationSize saves ten frames of a thousand points, plays them, and looks at the size of the file.
func TestAnimationSize(t *testing.T) {
	expect.Slow(t)
	compressed(t)
	a := expect.Must(Embeddings(EmbeddingsConfig{FrameTime: 150 * time.Millisecond}, film(10, 1000)...))(t)
	path := filepath.Join(t.TempDir(), "film.apng")
	expect.NoError(t, Save(a, path, 0, 0))
	file := expect.Must(os.ReadFile(path))(t)
	t.Logf("%d bytes", len(file))
	expect.That(t, len(file) <= 500_000, "the file has %d bytes, want 50 kB a frame at most", len(file))
	still, frames, delays := readAPNG(t, file)
	expect.That(t, len(frames) == 10 && delays[0] == 150*time.Millisecond && delays[9] == 1500*time.Millisecond &&
		sameImage(still, frames[9]) && !sameImage(frames[3], frames[4]),
		"%d frames of %v, the last one %v", len(frames), delays[0], delays[len(delays)-1])
}

// TestAnimationData checks what a notebook gets: the moving picture, and the still for who asks for less motion.
func TestAnimationData(t *testing.T) {
	a := expect.Must(Embeddings(EmbeddingsConfig{}, film(3, 20)...))(t)
	data := expect.Must(figureData(a, "Two <clouds> part", Size(4*Inch, 3*Inch)))(t)
	element := data.Data[protocol.MIMETextHTML].(string)
	source, img, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(element, "<picture>"), "</picture>"+darkStyle), "/><img")
	expect.Require(t, ok && strings.Contains(source, `media="(prefers-reduced-motion: reduce)"`), "%.200s", element)
	e, mime, moving := parseImg(t, "<img"+img)
	expect.That(t, e.Alt == "Two <clouds> part" && e.Width == 384 && e.Height == 288 && mime == "image/png",
		"img %q %d %d %s", e.Alt, e.Width, e.Height, mime)
	if _, frames, _ := readAPNG(t, moving); len(frames) != 3 || frames[0].Bounds().Dx() != 4*animationDPI {
		t.Errorf("%d frames of %v", len(frames), frames[0].Bounds())
	}
	_, code, _ := strings.Cut(source, "base64,")
	still := expect.Must(base64.StdEncoding.DecodeString(strings.TrimSuffix(code, `"`)))(t)
	_, err := png.Decode(bytes.NewReader(still))
	expect.That(t, err == nil && !bytes.Contains(still, []byte("acTL")), "the still moves, or %v", err)
	expect.That(t, bytes.Equal(data.Data[protocol.MIMEImagePNG].([]byte), moving) &&
		data.Data[protocol.MIMETextPlain] == "Figure: Two <clouds> part", "the other forms differ")
}
