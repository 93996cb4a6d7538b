package viz

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/xml"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot"

	"github.com/puclab/puclab/internal/expect"
)

// img is the element that a front end gets.
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

// TestFigureFormat checks which figures go out as vectors and which as pixels.
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
