package launcher

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// lessonCell is a cell in the form of the rules for lessons.
type lessonCell struct {
	kind, source string // kind is "code" or "markdown"
	folded       bool   // source and outputs are both hidden
	solution     bool   // it has the tag "solution"
}

// mostWords limits the length of a markdown cell.
const mostWords = 200

var (
	formula    = regexp.MustCompile(`(?s)\$\$.+?\$\$|\$[^$\n]+\$`)
	address    = regexp.MustCompile(`\]\([^)]*\)|<[^>]*>|https?://\S+`)
	someLetter = regexp.MustCompile(`[\pL\pN]`)
	exercise   = regexp.MustCompile(`^### Exercise (\d+)\. \S`)
	solution   = regexp.MustCompile(`^// Solution (\d+): \S`)
	confirms   = regexp.MustCompile(`\blab\.Confirm(?:Near)?\(`)
	listedTask = regexp.MustCompile(`(?ms)^#+ .*[Ee]xercise.*^\d+\. `)
)

// countWords returns the number of words that a reader reads in a markdown text: parts separated by blanks with a
// letter or a digit. A formula of any length is one word, code counts as text, and addresses of links do not count.
func countWords(markdown string) (n int) {
	text := address.ReplaceAllString(formula.ReplaceAllString(markdown, " formula "), " ")
	for _, word := range strings.Fields(text) {
		if someLetter.MatchString(word) {
			n++
		}
	}
	return n
}

// lessonComplaints lists long texts, and exercises without folded solutions that check themselves.
func lessonComplaints(cells []lessonCell) (list []string) {
	complain := func(i int, format string, args ...any) {
		list = append(list, fmt.Sprintf("cell %d: ", i)+fmt.Sprintf(format, args...))
	}
	exercises := 0
	for i, c := range cells {
		if c.kind == "markdown" {
			if n := countWords(c.source); n > mostWords {
				complain(i, "%d words; a text has at most %d between two cells, so cut it, or let a figure say it", n, mostWords)
			}
			if listedTask.MatchString(c.source) {
				complain(i, "exercises in a list; give each a cell of its own, `### Exercise 1. Title`, and a solution")
			}
			if found := exercise.FindStringSubmatch(c.source); found != nil {
				exercises++
				if found[1] != fmt.Sprint(exercises) {
					complain(i, "exercise %s where number %d is due", found[1], exercises)
				}
				if i+1 == len(cells) || !cells[i+1].solution {
					complain(i, "no solution in the next cell; give it a code cell with the tag solution")
				}
			} else if strings.Contains(c.source, "### Exercise") {
				complain(i, "an exercise is a cell of its own that begins with `### Exercise %d. Title`", exercises+1)
			}
			continue
		}
		if found := solution.FindStringSubmatch(c.source); found != nil || c.solution {
			switch {
			case found == nil:
				complain(i, "a solution begins with `// Solution %d: ` and what it says", exercises)
			case !c.solution:
				complain(i, "a solution without the tag solution")
			case found[1] != fmt.Sprint(exercises) || i == 0 || !exercise.MatchString(cells[i-1].source):
				complain(i, "solution %s stands below another exercise, or below none", found[1])
			}
			if !c.folded {
				complain(i, `a solution that is not folded; its metadata want "jupyter": {"outputs_hidden": true, "source_hidden": true}`)
			}
			if !confirms.MatchString(c.source) {
				complain(i, "a solution that checks nothing; let it end in lab.Confirm or lab.ConfirmNear")
			}
		}
	}
	return list
}

// notebookLink matches a link to a notebook of this folder: its name, and the heading in it, "" for none.
var notebookLink = regexp.MustCompile(`\]\(([a-z0-9-]+)\.ipynb(?:#([^)]+))?\)`)

// thisMachine matches an address on the reader's own machine.
var thisMachine = regexp.MustCompile(`https?://(?:127\.0\.0\.1|localhost)[^)\s]*`)

// TestNotebookLinks checks that links lead to existing notebooks and headings, or to the theory lab on this machine.
func TestNotebookLinks(t *testing.T) {
	sources := map[string]string{}
	for _, f := range expect.Must(readCommitted())(t) {
		for _, c := range f.lesson() {
			if c.kind == "markdown" {
				sources[f.name] += c.source + "\n"
			}
		}
	}
	lab := fmt.Sprintf("http://127.0.0.1:%d/#", theoryLabPort)
	for name, text := range sources {
		for _, link := range thisMachine.FindAllString(text, -1) {
			expect.That(t, strings.HasPrefix(link, lab), "%s links to %s; the theory lab is at %s…", name, link, lab)
		}
		for _, link := range notebookLink.FindAllStringSubmatch(text, -1) {
			target, ok := sources[link[1]]
			expect.That(t, ok, "%s links to %s.ipynb, which is not there", name, link[1])
			expect.That(t, link[2] == "" || slices.Contains(anchors(target), link[2]),
				"%s links to %s.ipynb#%s; its headings are %q", name, link[1], link[2], anchors(target))
		}
	}
}

// anchors returns JupyterLab's fragments for the headings of a text.
func anchors(markdown string) (list []string) {
	for _, heading := range headingForm.FindAllStringSubmatch(markdown, -1) {
		list = append(list, strings.ReplaceAll(heading[1], " ", "-"))
	}
	return list
}

// proseMark matches a hidden mark that ties a number or a verdict in the text of a notebook to a cell's output:
//
//	PUCL ends at 93.4<!-- f9-08: PUCL 93.4 -->%, and the claim
//
// The mark names a cell and consecutive words of its outputs, among them the marked one. If new runs change the output
// of the cell, the mark is not found, and the sentence must be corrected before saving.
var proseMark = regexp.MustCompile(`([^\s<>]*)<!--\s*([a-zA-Z0-9_-]+):\s*(.*?)\s*-->`)

// htmlTag matches a tag, or a style or script with its content.
var htmlTag = regexp.MustCompile(`(?s)<(style|script)\b.*?</(?:style|script)>|<[^>]*>`)

// outputWords returns the visible text in the outputs of a cell, with words separated by one blank.
func outputWords(outputs []committedOutput) (string, error) {
	var all []string
	for _, o := range outputs {
		texts := []json.RawMessage{o.Text}
		for _, mime := range []string{"text/plain", "text/markdown", "text/html"} {
			if value, ok := o.Data[mime]; ok {
				text, err := json.Marshal(value)
				if err != nil {
					return "", err
				}
				texts = append(texts, text)
			}
		}
		for _, raw := range texts {
			if len(raw) == 0 {
				continue
			}
			text, err := joinSource(raw)
			if err != nil {
				return "", err
			}
			all = append(all, strings.Fields(html.UnescapeString(htmlTag.ReplaceAllString(text, " ")))...)
		}
	}
	return strings.Join(all, " "), nil
}

// proseComplaints lists the marks of a notebook that do not hold.
func proseComplaints(nb committed) (list []string) {
	for i, c := range nb.Cells {
		source, err := joinSource(c.Source)
		if c.Type != "markdown" || err != nil {
			continue // reported by complaints
		}
		for _, found := range proseMark.FindAllStringSubmatch(source, -1) {
			marked, id, words := strings.Trim(found[1], "*_`$("), found[2], strings.Join(strings.Fields(found[3]), " ")
			complain := func(format string, args ...any) {
				list = append(list, fmt.Sprintf("cell %d: %q: ", i, found[0])+fmt.Sprintf(format, args...))
			}
			at := slices.IndexFunc(nb.Cells, func(c committedCell) bool { return c.ID == id && c.Type == "code" })
			if at < 0 {
				complain("there is no code cell %q", id)
				continue
			}
			text, err := outputWords(nb.Cells[at].Outputs)
			switch {
			case err != nil:
				complain("%v", err)
			case marked == "" || !strings.Contains(" "+words+" ", " "+marked+" "):
				complain("%q is none of the words of the mark; put the mark right behind what it is about, and that among its words", marked)
			case !strings.Contains(" "+text+" ", " "+words+" "):
				complain("the outputs of %s do not hold these words; mend the sentence, or run the notebook with -save", id)
			}
		}
		if strings.Count(source, "<!--") != len(proseMark.FindAllString(source, -1)) {
			list = append(list, fmt.Sprintf("cell %d: a comment that is no mark; a mark is <!-- CELL: words -->", i))
		}
	}
	return list
}

// TestProse compares the texts of the committed notebooks with the output of their cells.
func TestProse(t *testing.T) {
	marks := 0
	for _, f := range expect.Must(readCommitted())(t) {
		expect.Equal(t, proseComplaints(f.committed), nil, f.name)
		for _, c := range f.Cells {
			if source, err := joinSource(c.Source); err == nil && c.Type == "markdown" {
				marks += len(proseMark.FindAllString(source, -1))
			}
		}
	}
	expect.That(t, marks != 0, "no notebook has a mark")
}
