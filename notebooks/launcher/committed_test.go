package launcher

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// spoiledText matches a subscript within the words of a formula, for which JupyterLab shows the whole formula as an
// error.
var spoiledText = regexp.MustCompile(`\\text\{[^{}$]*_[^{}]*\}`)

// machinePath matches a machine's folders in a text.
var machinePath = regexp.MustCompile(`(?:^|[\s"'(=:>])(?:/(?:home|Users|root|tmp|work|var/folders|private|mnt|opt)/|[A-Z]:\\)[^\s"')<]*`)

// committedFile is a notebook of this folder.
type committedFile struct {
	name string // without extension
	data []byte
	committed
}

// readCommitted reads the notebooks of this folder, once.
var readCommitted = sync.OnceValues(func() (files []committedFile, err error) {
	paths, err := filepath.Glob(filepath.Join("..", "*.ipynb"))
	if len(paths) == 0 {
		return nil, errors.Join(err, errors.New("no notebooks"))
	}
	for _, path := range paths {
		f := committedFile{name: strings.TrimSuffix(filepath.Base(path), ".ipynb")}
		if f.data, err = os.ReadFile(path); err == nil {
			f.committed, err = decodeNotebook(f.data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, f)
	}
	return files, nil
})

// mostBytes limits the total size of the notebooks, since each change of an output stays in git.
const mostBytes = 10_000_000

func TestCommittedSize(t *testing.T) {
	total := 0
	for _, f := range expect.Must(readCommitted())(t) {
		total += len(f.data)
	}
	expect.That(t, total <= mostBytes,
		"the notebooks have %d bytes together, want at most %d; show large figures as viz.AsPNG or with fewer marks",
		total, mostBytes)
}

// TestCommittedNotebooks checks the notebooks of this folder against the rules for readers and reviewers.
func TestCommittedNotebooks(t *testing.T) {
	for _, f := range expect.Must(readCommitted())(t) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			expect.Equal(t, append(f.complaints(f.data), lessonComplaints(f.lesson())...), nil)
		})
	}
}

// committed is the part of a notebook that the rules check.
type committed struct {
	Format   int `json:"nbformat"`
	Minor    int `json:"nbformat_minor"`
	Metadata struct {
		Kernel struct{ Name string } `json:"kernelspec"`
	}
	Cells []committedCell
}

type committedCell struct {
	ID       string
	Type     string           `json:"cell_type"`
	Metadata *json.RawMessage // must be present
	Source   json.RawMessage
	Outputs  []committedOutput
}

type committedOutput struct {
	Type string          `json:"output_type"`
	Data map[string]any  `json:"data"`
	Text json.RawMessage `json:"text"`
}

func decodeNotebook(data []byte) (nb committed, err error) {
	if err := json.Unmarshal(data, &nb); err != nil {
		return nb, fmt.Errorf("not a notebook: %w", err)
	}
	return nb, nil
}

// lesson returns the cells in the form of the rules for lessons. It omits cells that complaints rejects.
func (nb committed) lesson() (cells []lessonCell) {
	for _, c := range nb.Cells {
		var meta struct {
			Tags    []string
			Jupyter struct {
				Source  bool `json:"source_hidden"`
				Outputs bool `json:"outputs_hidden"`
			}
		}
		source, err := joinSource(c.Source)
		if err != nil || c.Metadata == nil || json.Unmarshal(*c.Metadata, &meta) != nil {
			continue
		}
		cells = append(cells, lessonCell{kind: c.Type, source: source,
			folded: meta.Jupyter.Source && meta.Jupyter.Outputs, solution: slices.Contains(meta.Tags, "solution")})
	}
	return cells
}

// mostLines limits the length of a code cell.
const mostLines = 30

var (
	imageTag     = regexp.MustCompile(`<img\b[^>]*>`)
	imageAlt     = regexp.MustCompile(`\balt="[^"]*[^"\s]`)
	imageAddress = regexp.MustCompile(`data:image/[^"]*`)
)

// figureComplaints lists the faults of the figures of an output: no alternative text, or the same figure twice.
func figureComplaints(o committedOutput) (list []string) {
	html := joinedText(o.Data["text/html"])
	for _, tag := range imageTag.FindAllString(html, -1) {
		if !imageAlt.MatchString(tag) {
			list = append(list, fmt.Sprintf("a figure has no alternative text: %.60s", tag))
		}
	}
	addresses := imageAddress.FindAllString(html, -1)
	slices.Sort(addresses)
	if len(slices.Compact(slices.Clone(addresses))) != len(addresses) {
		list = append(list, "its HTML holds a figure twice")
	}
	for mime := range o.Data {
		switch {
		case !strings.HasPrefix(mime, "image/"):
		case len(addresses) > 0:
			list = append(list, "it holds a figure twice, in HTML and as "+mime)
		default:
			list = append(list, "a figure is there as "+mime+" only, without HTML that has its alternative text")
		}
	}
	return list
}

// complaints lists all violations that prevent committing a notebook.
func complaints(data []byte) (list []string) {
	nb, err := decodeNotebook(data)
	if err != nil {
		return []string{err.Error()}
	}
	return nb.complaints(data)
}

// complaints lists all violations that prevent committing a notebook of these bytes.
func (nb committed) complaints(data []byte) (list []string) {
	complain := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if nb.Format != 4 || nb.Minor != 5 {
		complain("notebook format %d.%d, want 4.5", nb.Format, nb.Minor)
	}
	if nb.Metadata.Kernel.Name != kernelName {
		complain("kernel %q, want %q", nb.Metadata.Kernel.Name, kernelName)
	}
	seen := map[string]bool{}
	idForm := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	for i, c := range nb.Cells {
		if !idForm.MatchString(c.ID) || seen[c.ID] {
			complain("cell %d: the id %q is not allowed or not unique", i, c.ID)
		}
		seen[c.ID] = true
		if c.Metadata == nil || (c.Type != "code" && c.Type != "markdown") {
			complain("cell %d: type %q, metadata there: %v", i, c.Type, c.Metadata != nil)
		}
		source, err := joinSource(c.Source)
		if err != nil {
			complain("cell %d: %v", i, err)
		}
		if lines := strings.Count(strings.TrimRight(source, "\n"), "\n") + 1; c.Type == "code" && lines > mostLines {
			complain("cell %d has %d lines; a cell has at most %d, so make two of it, or a function", i, lines, mostLines)
		}
		if word := spoiledText.FindString(source); c.Type == "markdown" && word != "" {
			complain("cell %d: %s is shown as an error, since _ is mathematics and \\text is not; close the braces before it", i, word)
		}
		if i == 0 && (c.Type != "markdown" || !strings.HasPrefix(source, "# ")) {
			complain("the first cell is not a title")
		}
		for _, o := range c.Outputs {
			if o.Type == "error" {
				complain("cell %d: holds an error", i)
			}
			for _, c := range figureComplaints(o) {
				complain("cell %d: %s", i, c)
			}
			texts := []string{string(o.Text)}
			for mime, value := range o.Data {
				if strings.HasPrefix(mime, "text/") || strings.Contains(mime, "svg") {
					text, err := json.Marshal(value)
					if err != nil {
						complain("cell %d: %v", i, err)
					}
					texts = append(texts, embeddedData.ReplaceAllString(string(text), ""))
				}
			}
			for _, text := range texts {
				if path := machinePath.FindString(text); path != "" {
					complain("cell %d: its output holds a path of a machine: %s", i, strings.TrimLeft(path, " \t\n\"'(=:>"))
				}
			}
		}
	}
	if title, goal := "", ""; len(nb.Cells) > 0 {
		source, err := joinSource(nb.Cells[0].Source)
		if err == nil {
			title, goal = titleAndGoal(source)
		}
		if title == "" || goal == "" {
			complain("the first cell has no title, or no sentence below it that says the goal")
		}
	}
	// The form is that of -save. No paths of this machine are removed here; they were checked above.
	tidy, err := tidyNotebook(data, "/nowhere", "", "")
	if err != nil {
		complain("%v", err)
	} else if !bytes.Equal(tidy, data) {
		complain("not in the form that `go run ./notebooks run -save NAME` gives")
	}
	return list
}

// TestComplaints checks that each violation is found.
func TestComplaints(t *testing.T) {
	const html = `"text/html": "<img alt=\"a b\" src=\"data:image/png;base64,AA==\"/>"`
	good := strings.NewReplacer("With ", "A goal, with ", "~/data $TMPDIR/x ", "",
		`"image/png": "aGVsbG8/home/me/=="`, html).Replace(canonical)
	list := complaints([]byte(good))
	expect.Require(t, len(list) == 0, "a good notebook: %q", list)
	for _, tt := range []struct{ old, new, want string }{
		{`"nbformat_minor": 5`, `"nbformat_minor": 4`, "format 4.4"},
		{`"name": "gonb"`, `"name": "go-of-mine"`, "kernel"},
		{`"id": "b"`, `"id": "a"`, "not unique"},
		{`"id": "b"`, `"id": "b c"`, "not allowed"},
		{`# Title`, `Title`, "not a title"},
		{`A goal`, `## A goal`, "goal"},
		{`A goal`, `A goal, $\\text{L_Pos}$`, `\text{L_Pos} is shown as an error`},
		{`main.go:3`, `/home/me/main.go:3`, "path of a machine: /home/me/main.go:3"},
		{`display_data`, `error`, "holds an error"},
		{`alt=\"a b\"`, ``, "no alternative text"},
		{`alt=\"a b\"`, `alt=\" \"`, "no alternative text"},
		{`alt=\"a b\"`, `alt=\"a b\" srcset=\"data:image/png;base64,AA==\"`, "its HTML holds a figure twice"},
		{html, `"image/png": "AA==", ` + html, "twice, in HTML and as image/png"},
		{html, `"image/png": "AA=="`, "image/png only"},
		{`"name": "go"`, `"name": "go", "version": "go1.26.8"`, "form"},
		{`"tags": [`, `"scrolled": true, "tags": [`, "form"},
		{` "cells"`, `  "cells"`, "form"},
	} {
		list := strings.Join(complaints([]byte(strings.Replace(good, tt.old, tt.new, 1))), "\n")
		expect.That(t, strings.Contains(list, tt.want), "%s for %s: %q, want %q in it", tt.new, tt.old, list, tt.want)
	}
}
