package launcher

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lessonCell is what the rules of lessons see of a cell.
type lessonCell struct {
	kind, source string // kind is "code" or "markdown"
	folded       bool   // source and outputs are both hidden
	solution     bool   // it has the tag of one
}

// mostWords is how long a markdown cell may be.
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

// countWords returns the number of words that a reader reads in a markdown text: what blanks set apart and holds a letter or a digit.
// A formula is one word however long, code is counted like text, and the addresses of links are not read.
func countWords(markdown string) (n int) {
	text := address.ReplaceAllString(formula.ReplaceAllString(markdown, " formula "), " ")
	for _, word := range strings.Fields(text) {
		if someLetter.MatchString(word) {
			n++
		}
	}
	return n
}

// lessonComplaints lists where a notebook breaks the rules of lessons: no long text, and exercises with folded solutions that
// check themselves.
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

func TestCountWords(t *testing.T) {
	for text, want := range map[string]int{
		"One two, three.": 3, "a — b · c": 3, "## Title here": 2, "$x + y$ is $$a\n+ b$$ so": 4, "| a | b c |\n| --- | ---: |\n| 1 | $x$ |": 5,
		"see [the long text](a/b.ipynb#c) now": 5, "`go run ./notebooks lab`": 4, "> **Theorem 1.** It holds.": 4, "it costs 5 and 6": 5,
	} {
		if got := countWords(text); got != want {
			t.Errorf("%q has %d words, want %d", text, got, want)
		}
	}
}

// TestLessonComplaints makes sure that each fault would be found.
func TestLessonComplaints(t *testing.T) {
	good := func() []lessonCell {
		return []lessonCell{
			{kind: "markdown", source: "# Title\n\n" + strings.Repeat("word ", mostWords-1)},
			{kind: "markdown", source: "## Exercises\n\nThere are two."},
			{kind: "markdown", source: "### Exercise 1. One\n\nSay it. *Hint: do.*"},
			{kind: "code", source: "// Solution 1: said\n%%\nlab.Confirm(\"so\", true)", folded: true, solution: true},
			{kind: "markdown", source: "### Exercise 2. Two\n\nSay it again."},
			{kind: "code", source: "// Solution 2: again\n%%\nlab.ConfirmNear(\"so\", 1, 1, 0)", folded: true, solution: true},
		}
	}
	if list := lessonComplaints(good()); len(list) > 0 {
		t.Fatalf("a good lesson: %q", list)
	}
	for want, spoil := range map[string]func(cells []lessonCell) []lessonCell{
		"201 words":       func(c []lessonCell) []lessonCell { c[0].source += "more"; return c },
		"in a list":       func(c []lessonCell) []lessonCell { c[1].source += "\n\n1. One."; return c },
		"number 2 is due": func(c []lessonCell) []lessonCell { c[4].source = "### Exercise 3. Two"; return c },
		"no solution in the next cell; give it a code cell": func(c []lessonCell) []lessonCell { return c[:5] },
		"of its own that begins":                            func(c []lessonCell) []lessonCell { c[2].source = "First\n\n" + c[2].source; return c },
		"begins with `// Solution 2: `":                     func(c []lessonCell) []lessonCell { c[5].source = "// Two\nlab.Confirm("; return c },
		"without the tag":                                   func(c []lessonCell) []lessonCell { c[5].solution = false; return c },
		"below another":                                     func(c []lessonCell) []lessonCell { return append(c, c[5]) },
		"below none":                                        func(c []lessonCell) []lessonCell { c[5].source = "// Solution 1: x\nlab.Confirm("; return c },
		"not folded":                                        func(c []lessonCell) []lessonCell { c[3].folded = false; return c },
		"checks nothing":                                    func(c []lessonCell) []lessonCell { c[3].source = "// Solution 1: said"; return c },
	} {
		if list := strings.Join(lessonComplaints(spoil(good())), "\n"); !strings.Contains(list, want) {
			t.Errorf("%q: want %q in it", list, want)
		}
	}
}

// notebookLink matches a link to a notebook of this folder: its name, and the heading in it, "" for none.
var notebookLink = regexp.MustCompile(`\]\(([a-z0-9-]+)\.ipynb(?:#([^)]+))?\)`)

// thisMachine matches an address on the reader's own machine.
var thisMachine = regexp.MustCompile(`https?://(?:127\.0\.0\.1|localhost)[^)\s]*`)

// TestNotebookLinks holds links between the notebooks to notebooks and headings that there are, and those to the reader's own machine
// to the theory lab. That the lab understands them is tested beside it.
func TestNotebookLinks(t *testing.T) {
	sources := map[string]string{}
	for _, file := range committedNotebooks(t) {
		nb := readCommitted(t, file)
		for _, c := range nb.lesson() {
			if c.kind == "markdown" {
				sources[strings.TrimSuffix(filepath.Base(file), ".ipynb")] += c.source + "\n"
			}
		}
	}
	lab := fmt.Sprintf("http://127.0.0.1:%d/#", theoryLabPort)
	for name, text := range sources {
		for _, link := range thisMachine.FindAllString(text, -1) {
			if !strings.HasPrefix(link, lab) {
				t.Errorf("%s links to %s; the theory lab is at %s…", name, link, lab)
			}
		}
		for _, link := range notebookLink.FindAllStringSubmatch(text, -1) {
			target, ok := sources[link[1]]
			if !ok {
				t.Errorf("%s links to %s.ipynb, which is not there", name, link[1])
			} else if link[2] != "" && !slices.Contains(anchors(target), link[2]) {
				t.Errorf("%s links to %s.ipynb#%s; its headings are %q", name, link[1], link[2], anchors(target))
			}
		}
	}
}

// anchors returns the fragments by which JupyterLab finds the headings of a text.
func anchors(markdown string) (list []string) {
	for _, heading := range headingForm.FindAllStringSubmatch(markdown, -1) {
		list = append(list, strings.ReplaceAll(heading[1], " ", "-"))
	}
	return list
}
