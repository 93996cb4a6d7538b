package launcher

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"

	"github.com/puclab/puclab/internal/wholefile"
)

// saveOutputs writes the outputs of an executed notebook to the committed one, without traces of this machine.
func (s *session) saveOutputs(nb *notebook, executed string) error {
	data, err := os.ReadFile(executed)
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // "" if unknown; then it cannot occur in the outputs
	clean, err := tidyNotebook(data, s.place.root, home, os.TempDir())
	if err != nil {
		return fmt.Errorf("%s: %w", executed, err)
	}
	if err := wholefile.Keep(nb.path, clean, 0o644); err != nil {
		return err
	}
	s.console.Linef("Saved into %s.", s.place.relative(nb.path))
	return nil
}

// tidyNotebook returns a notebook in the form for committing: the common kernel and language, no times of execution, no
// version of Go, and no machine paths in the outputs. root, home and temp are the folders to remove. An output whose
// HTML shows a figure loses the PNG of the same figure, see [dropSecondFigure]. The form is that of nbformat (sorted
// keys, one space per level), so that saving in JupyterLab changes nothing else, and the same notebook always gives the
// same bytes.
func tidyNotebook(data []byte, root, home, temp string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // numbers stay as written
	var nb map[string]any
	if err := dec.Decode(&nb); err != nil {
		return nil, fmt.Errorf("not a notebook: %w", err)
	}
	cells, ok := nb["cells"].([]any)
	if !ok {
		return nil, fmt.Errorf("not a notebook of format 4: it has no list of cells")
	}
	meta, ok := nb["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		nb["metadata"] = meta
	}
	drop(meta, "widgets", "signature", "orig_nbformat", "vscode")
	meta["kernelspec"] = map[string]any{"display_name": kernelDisplay, "language": "go", "name": kernelName}
	language := map[string]any{"name": "go", "file_extension": ".go", "mimetype": "text/x-go"}
	told, _ := meta["language_info"].(map[string]any) // by the kernel
	maps.Copy(language, told)
	drop(language, "version") // of Go on this machine
	meta["language_info"] = language
	paths := pathCleaner(root, home, temp)
	for i, c := range cells {
		c, ok := c.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("cell %d is not an object", i+1)
		}
		meta, _ := c["metadata"].(map[string]any)
		drop(meta, "execution", "ExecuteTime", "trusted", "collapsed", "scrolled", "vscode")
		if outputs, ok := c["outputs"].([]any); ok {
			for _, output := range outputs {
				dropSecondFigure(output)
			}
			c["outputs"] = cleanStrings(outputs, paths)
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(nb); err != nil {
		return nil, err
	}
	// Go escapes these two, nbformat does not. An escaped backslash is skipped, since the text after it is not an
	// escape.
	return []byte(strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(out.String())), nil
}

func drop(m map[string]any, keys ...string) {
	for _, key := range keys {
		delete(m, key)
	}
}

// shownFigure matches an <img> in HTML that contains its picture.
var shownFigure = regexp.MustCompile(`<img [^>]*\bsrc="data:image/`)

// dropSecondFigure removes the image/png of an output, with its metadata, if the text/html of the output has the same
// figure. JupyterLab, nbconvert --to html and code hosts show the HTML. A conversion to LaTeX needs the PNG: convert
// the executed copy in notebooks/out, which keeps both.
func dropSecondFigure(output any) {
	o, _ := output.(map[string]any)
	data, _ := o["data"].(map[string]any)
	if !shownFigure.MatchString(joinedText(data["text/html"])) {
		return
	}
	delete(data, "image/png")
	meta, _ := o["metadata"].(map[string]any)
	drop(meta, "image/png", "needs_background") // both are read for image/png only
}

// joinedText returns a text of a notebook, which is a string or a list of its lines; "" for other values.
func joinedText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, line := range v {
			s, _ := line.(string)
			b.WriteString(s)
		}
		return b.String()
	}
	return ""
}

// kernelFolder matches the temporary folder of one kernel, whose name changes each time.
const kernelFolder = `gonb_[0-9a-f]{8}`

// pathCleaner returns a function that removes the machine's folders from a text: paths below the root become relative
// to the root, the home becomes "~", and the kernel's own folder is removed. A path counts only at its beginning, not
// inside an address.
func pathCleaner(root, home, temp string) func(string) string {
	var rules []func(string) string
	for _, r := range []struct{ folder, after, with string }{
		{root, `/`, ""}, {root, `\b`, "."}, {temp, `/` + kernelFolder + `/`, ""}, {temp, `/`, "$$TMPDIR/"}, {home, `/`, "~/"},
	} {
		if folder := strings.TrimRight(r.folder, "/"); folder != "" {
			path := regexp.MustCompile(`(^|[^A-Za-z0-9_.~/$-])` + regexp.QuoteMeta(folder) + r.after)
			rules = append(rules, func(s string) string { return path.ReplaceAllString(s, "${1}"+r.with) })
		}
	}
	return func(s string) string {
		for _, clean := range rules {
			s = clean(s)
		}
		return s
	}
}

// embeddedData matches a picture inside a page, in base64 or as escaped SVG. No path may be found or replaced in it.
var embeddedData = regexp.MustCompile(`;base64,[A-Za-z0-9+/=]*|data:image/svg\+xml,[^"\\]*`)

// outside applies clean to the text around the embedded pictures.
func outside(text string, clean func(string) string) string {
	var b strings.Builder
	at := 0
	for _, data := range embeddedData.FindAllStringIndex(text, -1) {
		b.WriteString(clean(text[at:data[0]]) + text[data[0]:data[1]])
		at = data[1]
	}
	return b.String() + clean(text[at:])
}

// cleanStrings applies clean to every string in a JSON value, except in pictures.
func cleanStrings(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return outside(v, clean)
	case []any:
		for i := range v {
			v[i] = cleanStrings(v[i], clean)
		}
	case map[string]any:
		for key := range v {
			if !strings.HasPrefix(key, "image/") || strings.Contains(key, "svg") {
				v[key] = cleanStrings(v[key], clean)
			}
		}
	}
	return v
}
