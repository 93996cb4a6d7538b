package claims

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/naming"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
)

// The table in the README is what the checks say today. `go run ./notebooks claims -markdown` prints it.
func checkReadme(t *testing.T, checked Claim) {
	t.Helper()
	readme := expect.Must(os.ReadFile(filepath.Join("..", "..", "README.md")))(t)
	var table bytes.Buffer
	expect.NoError(t, WriteMarkdown(&table, []Claim{checked}))
	for line := range strings.Lines(table.String()) {
		expect.That(t, strings.Contains(string(readme), line), "README.md lacks the line\n%s", line)
	}
}

// What a newcomer looks for stands before the long table, which is folded under a count of its verdicts.
func TestReadmeFoldsTheClaims(t *testing.T) {
	readme := expect.Must(os.ReadFile(filepath.Join("..", "..", "README.md")))(t)
	count, in := map[string]int{}, false
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(line, " | ")
		switch {
		case strings.HasPrefix(line, "| claim | verdict |"):
			in = true
		case !strings.HasPrefix(line, "|"):
			in = false
		case in && len(cells) > 3:
			count[cells[1]]++
		}
	}
	all := len(All())
	expect.Equal(t, count["holds"]+count["conditional"]+count["fails"], all, "the table has: claims, of")
	// A blank line on either side makes Markdown of what is folded.
	folded := fmt.Sprintf("<details>\n<summary>All %d claims with their numbers: %d hold, %d are conditional, %d fail</summary>\n\n| claim | verdict |",
		all, count["holds"], count["conditional"], count["fails"])
	last := -1
	for _, part := range []string{"## Start", "## Read next", folded, "\n\n</details>\n\n"} {
		at := strings.Index(string(readme), part)
		expect.That(t, at > last, "%q does not stand where it should", part)
		last = at
	}
}

func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	err := WriteMarkdown(&out, []Claim{{ID: "a", Finding: Finding{Verdict: Fails, Sentence: "|x| is 2."}}})
	want := "| claim | verdict | number | |\n| --- | --- | ---: | --- |\n| a | fails | 0 | \\|x\\| is 2. |\n"
	expect.That(t, err == nil && out.String() == want, "%v, %s", err, out.String())
}

func TestFind(t *testing.T) {
	found, err := Find("lemma-2", "theorem-1")
	expect.That(t, err == nil && len(found) == 2 && found[0].ID == "lemma-2" && found[1].ID == "theorem-1",
		"%v, %v", found, err)
	all := expect.Must(Find())(t)
	expect.That(t, len(all) == len(All()), "%d claims", len(all))
	wantError(t, "unknown", expect.Err(Find("lemma-9")), `"lemma-9"`, "lemma-2", "theorem-1")
}

func TestReport(t *testing.T) {
	c := Claim{ID: "sum"}
	expect.Equal(t, c.Report(), "**sum** has not been checked.\n", "unchecked")
	expect.Equal(t, c.Numbers(), "Nothing has been measured.\n", "unchecked")
	c.Finding = Finding{Verdict: Fails, Sentence: "L* is 3.", Measured: []Measurement{
		{"|a|", theory.Exactly(0.5)}, {"b, sampled", theory.Number{Value: 2, Low: 1, High: 3}}}}
	head := "**sum: fails.** L\\* is 3.\n\n"
	table := head + "| measured | |\n| :--- | ---: |\n"
	a, b := "| \\|a\\| | 0.5 |\n", "| b, sampled | 2 [1, 3] |\n"
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{nil, table + a + b},
		{[]string{"sampled"}, table + b},
		{[]string{"b,", "|a"}, table + a + b},
		{[]string{"c"}, head + "No measured number has one of [\"c\"] in its name.\n"},
	} {
		expect.Equal(t, c.Report(tt.words...), tt.want, "%q:\n: \n", tt.words)
		got := c.Numbers(tt.words...)
		expect.That(t, head+got == tt.want, "%q: the numbers alone are\n%s", tt.words, got)
	}
}

func TestExplain(t *testing.T) {
	c := Claim{ID: "sum"}
	expect.Equal(t, c.Explain(), "**sum** has not been checked.\n", "unchecked")
	c.Finding = Finding{Verdict: Holds, Sentence: "n_P is 3.", Why: "|B| is."}
	expect.Equal(t, c.Explain(), "**sum: holds.** n\\_P is 3.\n\n**Why.** \\|B\\| is.")
	c.Verdict, c.Counterexample, c.Corrected = Fails, "L* = 4", "L* < 5"
	want := "**sum: fails.** n\\_P is 3.\n\n**A case against it.** L\\* = 4\n\n**What holds.** L\\* < 5\n\n**Why.** \\|B\\| is."
	expect.Equal(t, c.Explain(), want)
}

// Every statement names claims that there are, or a reason; every claim on a document is named; documents come one after the other.
func TestStatements(t *testing.T) {
	named, documents := map[string]bool{}, []string{}
	for _, s := range Statements() {
		expect.That(t, s.Place != "" && s.Says != "" && (len(s.Claims) == 0) != (s.Reason == ""),
			"%+v: it wants a place, what it says, and either claims or a reason", s)
		_, err := Find(s.Claims...)
		expect.That(t, err == nil, "%s: %v", s.Place, err)
		for _, id := range s.Claims {
			named[id] = true
		}
		if len(documents) == 0 || documents[len(documents)-1] != s.Document {
			documents = append(documents, s.Document)
		}
	}
	expect.That(t, slices.Equal(documents, Documents()),
		"statements of %q, want those of %q in this order", documents, Documents())
	for _, c := range All() {
		expect.That(t, named[c.ID] || strings.HasPrefix(c.Source, ofThisLibrary),
			"no statement names the claim %s", c.ID)
	}
}

func TestWriteStatements(t *testing.T) {
	var out strings.Builder
	rows := statementsOf("A paper", [][3]string{{"(1)", "|x| is 1", "a b"}, {"(2)", "what x is", "– a definition of |x|"}})
	err := WriteStatements(&out, rows, Claim{ID: "b", Finding: Finding{Verdict: Holds}})
	want := "#### A paper\n\n| place | says | checked by, or why not |\n| --- | --- | --- |\n" +
		"| (1) | \\|x\\| is 1 | a<br>b: **holds** |\n| (2) | what x is | – a definition of \\|x\\| |\n"
	expect.That(t, err == nil && out.String() == want, "%v, %s", err, out.String())
}

// The command line knows the claims without linking them.
func TestNamesForTheCommandLine(t *testing.T) {
	expect.Equal(t, naming.Claims(),
		lists.Map(All(), func(c Claim) string { return c.ID }), "internal/naming lists the claims")
}

// A misspelt claim or plant is answered with the one that was meant.
func TestMisspelt(t *testing.T) {
	expect.Error(t, expect.Err(Find("theroem-1")), `(did you mean "theorem-1"?)`)
	name := Plants()[0].Name
	expect.Error(t, expect.Err(FindPlant(name+"s")), `(did you mean "`+name+`"?)`)
}
