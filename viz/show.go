package viz

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"html"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"
)

// Option changes how Show shows a figure.
type Option func(*showing)

type showing struct {
	width, height vg.Length
	format        string // "svg", "png" or "" for automatic choice
}

// Size returns an option that sets the size of a figure in points; 0 keeps that of the figure. Show(p, alt,
// Size(6.5*Inch, 3*Inch)).
func Size(width, height vg.Length) Option {
	return func(s *showing) { s.width, s.height = width, height }
}

// AsSVG shows a figure as vectors, however many marks it has.
func AsSVG() Option { return func(s *showing) { s.format = "svg" } }

// AsPNG shows a figure as pixels, at twice the screen resolution.
func AsPNG() Option { return func(s *showing) { s.format = "png" } }

// largestSVG is the size in bytes above which a figure is shown as pixels rather than vectors. A mark takes about 30
// bytes, so that this is about 2,000 marks. A PNG of the same figure has some 50 kB, with any number of marks.
const largestSVG = 64 << 10

// Show shows f in the notebook. alt, the alternative text, must not be empty. Screen readers read it, and it replaces
// the figure where figures cannot be shown. It should describe the content of the figure.
//
// Curves are shown as vectors, figures of many marks or with pictures as pixels, unless an option overrides this. In
// dark themes figures are light on dark, and those with pictures on white. The default size is that of the figure, or
// 6.5 by 4 inches, the width of a notebook.
//
// Outside a GoNB notebook Show prints alt and how to save the figure. It returns an error if alt is empty, the size is
// out of range, or the notebook cannot be reached.
func Show(f Drawer, alt string, opts ...Option) error {
	data, err := figureData(f, alt, opts...)
	if err != nil {
		return err
	}
	return display(data, "Figure: "+alt+
		"\n(To see it, run this in a GoNB notebook, or write it to a file: viz.Save(figure, \"figure.png\", 0, 0).)\n")
}

// ShowTable shows t in the notebook as HTML, Markdown and plain text at once; the viewer chooses a format that it
// supports. Outside a GoNB notebook it prints the plain text. It returns an error if the table cannot be rendered or
// the notebook cannot be reached.
func ShowTable(t Table) error {
	data, err := tableData(t)
	if err != nil {
		return err
	}
	return display(data, fmt.Sprint(data.Data[protocol.MIMETextPlain]))
}

// ShowMarkdown shows a text in Markdown, in which $…$ is a formula, in the notebook; elsewhere it prints the text
// unchanged. It returns an error if the notebook cannot be reached.
func ShowMarkdown(text string) error {
	data := map[protocol.MIMEType]any{protocol.MIMETextMarkdown: text, protocol.MIMETextPlain: text}
	return display(&protocol.DisplayData{Data: data}, text+"\n")
}

// figureData returns the message that shows f. Only an <img> element in HTML keeps the alternative text of a figure in
// a notebook. JupyterLab 4.6 and nbconvert 7.17 both drop the "alt" of the metadata of an image/png; nbconvert even
// writes "No description has been provided for this image" in its place. An image/svg+xml or an <svg> in HTML is not
// shown at all in an untrusted notebook. An <img> whose source is the figure itself works in both, trusted or not, and
// in the previews of code hosts. The PNG beside it is for formats without HTML, such as the conversion to LaTeX; it
// carries the alternative text for the viewers that read it from there. Executed notebooks in notebooks/out keep it;
// committed ones do not, so convert the executed ones. The plain text is the alternative text again, for terminals and
// logs.
func figureData(f Drawer, alt string, opts ...Option) (*protocol.DisplayData, error) {
	alt = strings.TrimSpace(alt)
	if alt == "" {
		return nil, fmt.Errorf("viz: show: %w: say in a sentence what the figure shows", ErrNoAlt)
	}
	var s showing
	for _, o := range opts {
		o(&s)
	}
	w, h, err := checkedSize("show", f, s.width, s.height)
	if err != nil {
		return nil, err
	}
	if a, ok := f.(*Animation); ok {
		return a.data(alt, s)
	}
	pixels, pngErr := encodePNG(f, w, h)
	source, svgErr := encodeSVG(f, w, h, titleOf(f), alt)
	if err := cmp.Or(pngErr, svgErr); err != nil {
		return nil, err
	}
	pictures := bytes.Contains(source, []byte("<image "))
	mime := protocol.MIMEImageSVG
	if s.format == "png" || s.format == "" && (len(source) > largestSVG || pictures) {
		mime, source = protocol.MIMEImagePNG, pixels
	}
	wide, high := onScreen(w), onScreen(h)
	inline := dataURI(mime, source)
	element := imgElement(alt, darkClass, wide, high, inline) + darkStyle
	if pictures {
		element = imgElement(alt, "pucl-pictures", wide, high, inline)
	}
	return figureMessage(element, pixels, alt, wide, high), nil
}

// onScreen returns a length in pixels, at 96 per inch.
func onScreen(length vg.Length) int { return int(length/vg.Inch*96 + 0.5) }

// darkClass is the class of the elements that darkStyle applies to.
const darkClass = "pucl-figure"

// darkStyle makes the dark themes of JupyterLab, and of pages that nbconvert writes, show figures light on dark.
// Lightness is inverted and hues are kept, so that warm colors stay warm and contrasts are preserved. Viewers that drop
// the style, as in an untrusted notebook or in print, show the figure on white. Figures with pictures, which must not
// become negatives, have another class and stay on white everywhere.
const darkStyle = `<style>@media screen{body[data-jp-theme-light="false"] img.` + darkClass +
	`{filter:invert(` + darkInvert + `) hue-rotate(180deg)}}</style>`

// darkInvert is the degree of inversion: white becomes #121212, about the background of JupyterLab's dark theme.
const darkInvert = "0.93"

// imgElement returns the element that shows a source. The width is at most that of the page, and the height follows.
func imgElement(alt, class string, wide, high int, source string) string {
	return fmt.Sprintf(`<img alt="%s" class="%s" width="%d" height="%d" style="max-width:100%%;height:auto;background:#fff" src="%s"/>`,
		html.EscapeString(alt), class, wide, high, source)
}

// figureMessage returns the message that shows element where HTML is shown and pixels elsewhere.
func figureMessage(element string, pixels []byte, alt string, wide, high int) *protocol.DisplayData {
	data := map[protocol.MIMEType]any{
		protocol.MIMETextHTML: element, protocol.MIMEImagePNG: pixels, protocol.MIMETextPlain: "Figure: " + alt}
	ofPNG := map[string]any{"alt": alt, "width": wide, "height": high, "needs_background": "light"}
	return &protocol.DisplayData{Data: data,
		Metadata: map[string]any{"needs_background": "light", string(protocol.MIMEImagePNG): ofPNG}}
}

// tableData returns the message that shows t.
func tableData(t Table) (*protocol.DisplayData, error) {
	data := map[protocol.MIMEType]any{}
	for mime, render := range map[protocol.MIMEType]func() (string, error){
		protocol.MIMETextHTML: t.HTML, protocol.MIMETextMarkdown: t.Markdown, protocol.MIMETextPlain: t.Text,
	} {
		text, err := render()
		if err != nil {
			return nil, err
		}
		data[mime] = text
	}
	return &protocol.DisplayData{Data: data}, nil
}

func init() {
	// The message to GoNB uses encoding/gob, in which the type of nested metadata must be registered.
	gob.Register(map[string]any{})
}

// display shows data in the notebook and waits until GoNB has received it, since the program may end right after.
// Outside a notebook it prints text.
func display(data *protocol.DisplayData, text string) error {
	if !gonbui.IsNotebook {
		_, err := fmt.Print(text)
		return err
	}
	gonbui.SendData(data)
	syncNotebook()
	if err := gonbui.Error(); err != nil {
		return fmt.Errorf("viz: the notebook cannot be reached: %w", err)
	}
	return nil
}
