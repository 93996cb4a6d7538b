package launcher

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/naming"
)

// notebook is the launcher's description of an .ipynb file.
type notebook struct {
	name  string // without folder and extension
	path  string
	title string // the first heading
	goal  string // the first sentence below it
	cells []cell

	variables []string // the environment variables that cells read as settings
	readsAny  bool     // they read some with unknown names
}

// cell is a cell of a notebook.
type cell struct {
	title  string // of a code cell: its first comment, or the heading above it
	number int    // of a nonempty code cell: counted from 1; 0 for others
	source string // of such a cell
}

// ipynb is the part of notebook format 4 that is read here. The source of a cell is a string or a list of lines.
type ipynb struct {
	Format int `json:"nbformat"`
	Cells  []struct {
		Type   string          `json:"cell_type"`
		Source json.RawMessage `json:"source"`
	} `json:"cells"`
}

// readNotebook reads the notebook at path.
func readNotebook(path string) (*notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file ipynb
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s is not a notebook: %w", path, err)
	}
	if file.Format != 4 {
		return nil, fmt.Errorf("%s is in notebook format %d; this program reads 4", path, file.Format)
	}
	nb := &notebook{name: strings.TrimSuffix(filepath.Base(path), ".ipynb"), path: path}
	heading, number := "", 0
	for i, raw := range file.Cells {
		source, err := joinSource(raw.Source)
		if err != nil {
			return nil, fmt.Errorf("%s: cell %d: %w", path, i+1, err)
		}
		var c cell
		switch raw.Type {
		case "markdown":
			for _, h := range headingForm.FindAllStringSubmatch(source, -1) {
				heading = plainText(h[1])
			}
			if nb.title == "" {
				nb.title, nb.goal = titleAndGoal(source)
			}
		case "code":
			if strings.TrimSpace(source) != "" {
				number++
				c.number, c.title, c.source = number, codeTitle(source, heading), source
				variables, any := settingsOf(source)
				nb.variables, nb.readsAny = append(nb.variables, variables...), nb.readsAny || any
			}
		}
		nb.cells = append(nb.cells, c)
	}
	return nb, nil
}

func joinSource(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return "", errors.New("its source is neither a string nor a list of strings")
	}
	return strings.Join(lines, ""), nil
}

var headingForm = regexp.MustCompile(`(?m)^#{1,6}[ \t]+(.+?)[ \t#]*$`)

// titleAndGoal returns the first heading of a markdown cell and the first sentence of the paragraph after it.
func titleAndGoal(markdown string) (title, goal string) {
	at := headingForm.FindStringSubmatchIndex(markdown)
	if at == nil {
		return "", ""
	}
	title = plainText(markdown[at[2]:at[3]])
	for paragraph := range strings.SplitSeq(strings.TrimSpace(markdown[at[1]:]), "\n\n") {
		paragraph = strings.Join(strings.Fields(paragraph), " ")
		if paragraph == "" || strings.HasPrefix(paragraph, "#") || strings.HasPrefix(paragraph, "![") {
			continue
		}
		if end := sentenceEnd.FindStringIndex(paragraph); end != nil {
			paragraph = paragraph[:end[1]]
		}
		return title, plainText(paragraph)
	}
	return title, ""
}

var sentenceEnd = regexp.MustCompile(`[.!?]["')*_]*(?: |$)`)

var (
	linkForm     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	emphasisForm = regexp.MustCompile(`(^|[\s(])[*_]{1,3}([^\s*_](?:[^*_]*[^\s*_])?)[*_]{1,3}($|[\s).,;:!?])`)
)

// plainText removes markdown from a line: links, emphasis, code.
func plainText(markdown string) string {
	text := linkForm.ReplaceAllString(markdown, "$1")
	text = emphasisForm.ReplaceAllString(text, "$1$2$3")
	return strings.TrimSpace(strings.ReplaceAll(text, "`", ""))
}

// codeTitle returns a short name of a code cell: the comment at its beginning, else the heading above it, else its
// first line of code. Kernel commands (%, !) and imports are skipped.
func codeTitle(source, heading string) string {
	inImport := false
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		switch {
		case inImport:
			inImport = line != ")"
		case line == "" || strings.HasPrefix(line, "%") || strings.HasPrefix(line, "!") || strings.HasPrefix(line, "//gonb:"):
		case strings.HasPrefix(line, "import"):
			inImport = strings.HasSuffix(line, "(")
		case strings.HasPrefix(line, "//"):
			if text := strings.TrimSpace(strings.TrimLeft(line, "/")); text != "" {
				return strings.TrimSuffix(text, ".")
			}
		default:
			return cmp.Or(heading, line)
		}
	}
	start, _, _ := strings.Cut(strings.TrimSpace(source), "\n")
	return cmp.Or(heading, strings.TrimSpace(start))
}

// codeCells counts the cells to run.
func (nb *notebook) codeCells() (n int) {
	for _, c := range nb.cells {
		n = max(n, c.number)
	}
	return n
}

// notebookNames lists the notebooks of the folder, the quickstart first.
func notebookNames(p place) ([]string, error) {
	files, err := fs.Glob(os.DirFS(p.notebooks()), "*.ipynb")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		if name := strings.TrimSuffix(f, ".ipynb"); name == quickstart {
			names = slices.Insert(names, 0, name)
		} else if !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	return names, nil
}

// findNotebook reads the notebook named by the user, with or without folder and extension.
func findNotebook(p place, name string) (*notebook, error) {
	name = strings.TrimSuffix(filepath.Base(filepath.FromSlash(name)), ".ipynb")
	names, err := notebookNames(p)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		mend := "There are: " + strings.Join(names, ", ") + "."
		if len(names) == 0 {
			mend = "There is none in " + p.relative(p.notebooks()) + " at all."
		}
		return nil, &problem{What: fmt.Sprintf("There is no notebook %q%s.", name, naming.DidYouMean(name, names)), Mend: mend}
	}
	return readNotebook(filepath.Join(p.notebooks(), name+".ipynb"))
}
