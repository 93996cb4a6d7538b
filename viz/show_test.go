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
	if err := xml.Unmarshal([]byte(html.(string)), &e); err != nil {
		t.Fatal(err)
	}
	mime, code, ok := strings.Cut(strings.TrimPrefix(e.Src, "data:"), ",")
	decode := func(s string) ([]byte, error) {
		text, err := url.PathUnescape(s)
		return []byte(text), err
	}
	if kind, cut := strings.CutSuffix(mime, ";base64"); cut {
		mime, decode = kind, base64.StdEncoding.DecodeString
	}
	source, err := decode(code)
	if err != nil || !ok {
		t.Fatalf("source %.40q: %v", e.Src, err)
	}
	return e, mime, source
}

func TestFigureData(t *testing.T) {
	const alt = `The loss "falls" <fast> & far`
	p, err := LearningCurves(CurvesConfig{Figure: Figure{Title: "Title"}}, curve("PUCL", 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	data, err := figureData(p, "  "+alt+"\n", Size(4*Inch, 3*Inch))
	if err != nil {
		t.Fatal(err)
	}
	e, mime, source := parseImg(t, data.Data[protocol.MIMETextHTML])
	if e.Alt != alt || e.Width != 384 || e.Height != 288 || !strings.Contains(e.Style, "background:#fff") {
		t.Errorf("img %+v", e)
	}
	if mime != "image/svg+xml" || !bytes.Contains(source, []byte("<desc>")) || !bytes.Contains(source, []byte(`role='img'`)) {
		t.Errorf("curves go out as %s:\n%.300s", mime, source)
	}
	if got := data.Data[protocol.MIMETextPlain]; got != "Figure: "+alt {
		t.Errorf("plain text %q", got)
	}
	pixels := data.Data[protocol.MIMEImagePNG].([]byte)
	if size := decode(t, pixels).Bounds().Size(); size.X != 2*384 || size.Y != 2*288 {
		t.Errorf("the PNG has %v pixels, want twice 384 by 288", size)
	}
	meta := data.Metadata[string(protocol.MIMEImagePNG)].(map[string]any)
	if meta["alt"] != alt || meta["width"] != 384 || data.Metadata["needs_background"] != "light" {
		t.Errorf("metadata %v", data.Metadata)
	}
	// A nested map fails in gob unless it is registered.
	var wire bytes.Buffer
	if err := gob.NewEncoder(&wire).Encode(data); err != nil {
		t.Fatal(err)
	}
	var got protocol.DisplayData
	if err := gob.NewDecoder(&wire).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Metadata[string(protocol.MIMEImagePNG)].(map[string]any)["alt"] != alt {
		t.Errorf("on the other side: %v", got.Metadata)
	}
}

// TestFigureFormat checks which figures go out as vectors and which as pixels.
func TestFigureFormat(t *testing.T) {
	scatter := func(n int) *plot.Plot {
		g := Group{Name: Negative}
		for i := range n {
			g.X, g.Y = append(g.X, float64(i%97)), append(g.Y, float64(i%89))
		}
		p, err := Scatter(ScatterConfig{}, g)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	pictures, err := ImageGrid(make([]uint8, 4), 2, 2, 1, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
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
		data, err := figureData(tt.f, "alt", append(tt.opts, Size(3*Inch, 2*Inch))...)
		if err != nil {
			t.Fatal(err)
		}
		if _, mime, _ := parseImg(t, data.Data[protocol.MIMETextHTML]); mime != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, mime, tt.want)
		}
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
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.err, tt.want)
		}
	}
}

func TestTableData(t *testing.T) {
	data, err := tableData(hostile)
	if err != nil {
		t.Fatal(err)
	}
	for mime, render := range map[protocol.MIMEType]func() (string, error){
		protocol.MIMETextHTML: hostile.HTML, protocol.MIMETextMarkdown: hostile.Markdown, protocol.MIMETextPlain: hostile.Text,
	} {
		want, err := render()
		if err != nil || data.Data[mime] != want {
			t.Errorf("%s: %v, %v", mime, data.Data[mime], err)
		}
	}
}
