package viz

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/xml"
	"errors"
	"image/png"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/puclab/puclab/internal/expect"
)

// img is the element that a front end receives.
type img struct {
	XMLName xml.Name `xml:"img"`
	Alt     string   `xml:"alt,attr"`
	Src     string   `xml:"src,attr"`
	Style   string   `xml:"style,attr"`
	Width   int      `xml:"width,attr"`
	Height  int      `xml:"height,attr"`
}

// parseImg reads an <img> and returns it with its decoded source, in base64 or escaped.
func parseImg(t *testing.T, html any) (e img, mime string, source []byte) {
	t.Helper()
	expect.NoError(t, xml.Unmarshal([]byte(html.(string)), &e))
	mime, code, ok := strings.Cut(strings.TrimPrefix(e.Src, "data:"), ",")
	decode := func(s string) ([]byte, error) {
		text, err := url.PathUnescape(s)
		return []byte(text), err
	}
	if kind, cut := strings.CutSuffix(mime, ";base64"); cut {
		mime, decode = kind, base64.StdEncoding.DecodeString
	}
	source, err := decode(code)
	expect.Require(t, err == nil && ok, "source %.40q: %v", e.Src, err)
	return e, mime, source
}

func TestFigureData(t *testing.T) {
	const alt = `The loss "falls" <fast> & far`
	p := expect.Must(LearningCurves(CurvesConfig{Figure: Figure{Title: "Title"}}, curve("PUCL", 3, 2)))(t)
	data := expect.Must(figureData(p, "  "+alt+"\n", Size(4*Inch, 3*Inch)))(t)
	e, mime, source := parseImg(t, data.Data[protocol.MIMETextHTML])
	expect.That(t, e.Alt == alt && e.Width == 384 && e.Height == 288 && strings.Contains(e.Style, "background:#fff"),
		"img %+v", e)
	expect.That(t, mime == "image/svg+xml" && bytes.Contains(source, []byte("<desc>")) &&
		bytes.Contains(source, []byte(`role='img'`)),
		"curves go out as %s:\n%.300s", mime, source)
	if got := data.Data[protocol.MIMETextPlain]; got != "Figure: "+alt {
		t.Errorf("plain text %q", got)
	}
	pixels := data.Data[protocol.MIMEImagePNG].([]byte)
	size := decode(t, pixels).Bounds().Size()
	expect.That(t, size.X == 2*384 && size.Y == 2*288, "the PNG has %v pixels, want twice 384 by 288", size)
	meta := data.Metadata[string(protocol.MIMEImagePNG)].(map[string]any)
	expect.That(t, meta["alt"] == alt && meta["width"] == 384 && data.Metadata["needs_background"] == "light",
		"metadata %v", data.Metadata)
	// A nested map fails in gob unless it is registered.
	var wire bytes.Buffer
	expect.NoError(t, gob.NewEncoder(&wire).Encode(data))
	var got protocol.DisplayData
	expect.NoError(t, gob.NewDecoder(&wire).Decode(&got))
	expect.That(t, got.Metadata[string(protocol.MIMEImagePNG)].(map[string]any)["alt"] == alt,
		"on the other side: %v", got.Metadata)
}

// TestFigureFormat checks which figures are shown as vectors and which as pixels.
func TestFigureFormat(t *testing.T) {
	scatter := func(n int) *plot.Plot {
		g := Group{Name: Negative}
		for i := range n {
			g.X, g.Y = append(g.X, float64(i%97)), append(g.Y, float64(i%89))
		}
		return expect.Must(Scatter(ScatterConfig{}, g))(t)
	}
	pictures := expect.Must(ImageGrid(make([]uint8, 4), 2, 2, 1, 0, nil))(t)
	for _, tt := range []struct {
		name string
		f    Drawer
		opts []Option
		want string
	}{
		{"few marks", scatter(500), nil, "image/svg+xml"},
		{"many marks", scatter(4000), nil, "image/png"},
		{"many marks as SVG", scatter(4000), []Option{AsSVG()}, "image/svg+xml"},
		{"few marks as PNG", scatter(10), []Option{AsPNG()}, "image/png"},
		{"pictures", pictures, nil, "image/png"},
	} {
		data := expect.Must(figureData(tt.f, "alt", append(tt.opts, Size(3*Inch, 2*Inch))...))(t)
		_, mime, _ := parseImg(t, data.Data[protocol.MIMETextHTML])
		expect.That(t, mime == tt.want, "%s: %s, want %s", tt.name, mime, tt.want)
	}
}

func TestShowErrors(t *testing.T) {
	p := New(Figure{})
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"no alt", Show(p, " \n"), ErrNoAlt},
		{"nil", Show(nil, "alt"), ErrNoData},
		{"no plot", Show((*plot.Plot)(nil), "alt"), ErrNoData},
		{"no table", Save((*Drawing)(nil), "a.png", 0, 0), ErrNoData},
		{"no images", Show((*Drawing)(nil), "alt"), ErrNoData},
		{"no panels", Show((*Composite)(nil), "alt"), ErrNoData},
		{"size", Show(p, "alt", Size(-1, 0)), ErrRange},
		{"table", ShowTable(Table{}), ErrNoData},
	} {
		expect.That(t, errors.Is(tt.err, tt.want), "%s: %v, want %v", tt.name, tt.err, tt.want)
	}
}

func TestTableData(t *testing.T) {
	data := expect.Must(tableData(hostile))(t)
	for mime, render := range map[protocol.MIMEType]func() (string, error){
		protocol.MIMETextHTML: hostile.HTML, protocol.MIMETextMarkdown: hostile.Markdown, protocol.MIMETextPlain: hostile.Text,
	} {
		want, err := render()
		expect.That(t, err == nil && data.Data[mime] == want, "%s: %v, %v", mime, data.Data[mime], err)
	}
}

// film returns frames of points that separate.
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

// TestEmbeddingsAxes checks that all frames have one range that holds all points, and the same data area.
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

// TestAnimationSize saves ten frames of a thousand points, plays them, and checks the size of the file.
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

// TestAnimationData checks the output in a notebook: the animation, and the still for readers who prefer reduced
// motion.
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
