package launcher

import (
	"encoding/json"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// A number or a verdict in the text of a notebook is tied to the output that it is read from by a mark behind it, which readers do not see:
//
//	PUCL ends at 93.4<!-- f9-08: PUCL 93.4 -->%, and the claim
//
// The mark names a cell and words that stand in its outputs one after the other, the marked one among them. Where new runs change what
// the cell prints, the mark is not found, and whoever saves the notebook mends the sentence.
var proseMark = regexp.MustCompile(`([^\s<>]*)<!--\s*([a-zA-Z0-9_-]+):\s*(.*?)\s*-->`)

// htmlTag matches a tag, or what a page keeps to itself.
var htmlTag = regexp.MustCompile(`(?s)<(style|script)\b.*?</(?:style|script)>|<[^>]*>`)

// outputWords returns all that a reader reads in the outputs of a cell, words apart by one blank.
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
			continue // of which complaints complains
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

// TestProse holds what the texts of the committed notebooks say to what their cells printed.
func TestProse(t *testing.T) {
	marks := 0
	for _, file := range committedNotebooks(t) {
		nb := readCommitted(t, file)
		for _, c := range proseComplaints(nb) {
			t.Errorf("%s, %s", filepath.Base(file), c)
		}
		for _, c := range nb.Cells {
			if source, err := joinSource(c.Source); err == nil && c.Type == "markdown" {
				marks += len(proseMark.FindAllString(source, -1))
			}
		}
	}
	expect.That(t, marks != 0, "no notebook has a mark")
}
