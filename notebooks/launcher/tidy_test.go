package launcher

import (
	"bytes"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// canonical is a notebook in nbformat's form, except for the parts that -save removes.
const canonical = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "a",
   "metadata": {},
   "source": [
    "# Title <b> & ü\n",
    "\n",
    "With \\u2028 written out."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "b",
   "metadata": {
    "tags": [
     "x"
    ]
   },
   "outputs": [
    {
     "data": {
      "image/png": "aGVsbG8/home/me/==",
      "text/plain": [
       "0.10 1e-7 notebooks/out/a ~/data $TMPDIR/x main.go:3"
      ]
     },
     "metadata": {
      "width": 1.50
     },
     "output_type": "display_data"
    }
   ],
   "source": []
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Go (gonb)",
   "language": "go",
   "name": "gonb"
  },
  "language_info": {
   "file_extension": ".go",
   "mimetype": "text/x-go",
   "name": "go"
  },
  "title": "kept"
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestTidyNotebook(t *testing.T) {
	executed := `{"nbformat_minor": 5, "nbformat": 4,
 "metadata": {"title": "kept", "widgets": {}, "kernelspec": {"name": "go-of-mine", "display_name": "x"}, "language_info": {"name": "go", "version": "go1.26.8"}},
 "cells": [{"id": "a", "metadata": {}, "cell_type": "markdown", "source": ["# Title <b> & ü\n", "\n", "With \\u2028 written out."]},
 {"id": "b", "cell_type": "code", "execution_count": 1, "metadata": {"tags": ["x"], "execution": {"iopub.status.busy": "2026"}, "scrolled": true},
  "outputs": [{"output_type": "display_data", "metadata": {"width": 1.50}, "data": {"image/png": "aGVsbG8/home/me/==",
  "text/plain": ["0.10 1e-7 /srv/lab/notebooks/out/a /home/me/data /tmp/x /tmp/gonb_0d11ee5f/main.go:3"]}}], "source": []}]}`
	got := expect.Must(tidyNotebook([]byte(executed), "/srv/lab", "/home/me", "/tmp"))(t)
	expect.That(t, string(got) == canonical, "got:\n%s\nwant:\n%s", got, canonical)
	again, err := tidyNotebook(got, "/srv/lab", "/home/me", "/tmp")
	expect.That(t, err == nil && bytes.Equal(again, got), "tidying twice differs from once: %v", err)
	for _, text := range []string{"", "[]", "{}", `{"cells": [1]}`} {
		expect.That(t, expect.Err(tidyNotebook([]byte(text), "/r", "/h", "/t")) != nil,
			"%q was taken for a notebook", text)
	}
}

func TestTidyKeepsLineSeparators(t *testing.T) {
	in := "{\"cells\": [{\"metadata\": {}, \"source\": \"a\u2028b\u2029c <&>\"}]}"
	got := expect.Must(tidyNotebook([]byte(in), "/r", "/h", "/t"))(t)
	contains(t, string(got), "a\u2028b\u2029c <&>")
}

// The metadata that fold a solution stay, in nbformat's form.
func TestTidyKeepsSolutionsFolded(t *testing.T) {
	in := `{"cells": [{"cell_type": "code", "source": [], "metadata": {"collapsed": true, "tags": ["solution"], "jupyter": {"source_hidden": true, "outputs_hidden": true}}}]}`
	got := expect.Must(tidyNotebook([]byte(in), "/r", "/h", "/t"))(t)
	contains(t, string(got), `   "metadata": {
    "jupyter": {
     "outputs_hidden": true,
     "source_hidden": true
    },
    "tags": [
     "solution"
    ]
   }`)
}

// A committed output has one form of its figure. Outputs without a figure in HTML keep their PNG.
func TestTidyDropsSecondFigure(t *testing.T) {
	const meta = `"image/png": {"alt": "a", "width": 1}, "needs_background": "light", "kept": 1`
	for _, tt := range []struct {
		name, html string
		dropped    bool
	}{
		{"SVG", `"<img alt=\"a\" src=\"data:image/svg+xml,%3Csvg/%3E\"/>"`, true},
		{"PNG", `["<img alt=\"a\" src=\"data:image/png;base64,iVBORw==\"/>"]`, true},
		{"lines", `["<img alt=\"a\"\n", " src=\"data:image/png;base64,iVBORw==\"/>"]`, true},
		{"animation", `"<picture><source srcset=\"data:image/png;base64,AA==\"/><img alt=\"a\" src=\"data:image/png;base64,AA==\"/></picture>"`, true},
		{"linked", `"<img alt=\"a\" src=\"figure.png\"/>"`, false},
		{"table", `"<table></table>"`, false},
	} {
		in := `{"cells": [{"cell_type": "code", "metadata": {}, "source": [], "outputs": [{"output_type": "display_data",
			"data": {"image/png": "iVBORw==", "text/html": ` + tt.html + `}, "metadata": {` + meta + `}}]}]}`
		got := expect.Must(tidyNotebook([]byte(in), "/r", "/h", "/t"))(t)
		for _, key := range []string{`"image/png": "`, `"image/png": {`, `"needs_background"`} {
			expect.That(t, bytes.Contains(got, []byte(key)) != tt.dropped,
				"%s: %s is there: %v", tt.name, key, !tt.dropped)
		}
		contains(t, string(got), `"kept": 1`)
		contains(t, string(got), `"text/html"`)
	}
}

func TestPathCleaner(t *testing.T) {
	clean := func(text string) string { return outside(text, pathCleaner("/srv/lab", "/home/me", "/tmp/")) }
	expect.Each(t, clean, map[string]string{
		"/srv/lab/viz/a.go:3":               "viz/a.go:3",
		"in /srv/lab, and /srv/laboratory":  "in ., and /srv/laboratory",
		"\"/home/me/x\"":                    "\"~/x\"",
		"https://a.example/home/me/tmp/x":   "https://a.example/home/me/tmp/x",
		"/tmp/gonb_0d11ee5f/main.go /tmp/y": "main.go $TMPDIR/y",
		`<img src="data:image/png;base64,AA/tmp/+/home/me/==" alt="/tmp/z">`: `<img src="data:image/png;base64,AA/tmp/+/home/me/==" alt="$TMPDIR/z">`,
		"base64,/tmp/x": "base64,$TMPDIR/x",
		`<img src="data:image/svg+xml,%3Ctext%3E= /tmp/y%3C/text%3E" alt="/tmp/z">`: `<img src="data:image/svg+xml,%3Ctext%3E= /tmp/y%3C/text%3E" alt="$TMPDIR/z">`,
	})
}
