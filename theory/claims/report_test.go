package claims

import (
	"bytes"
	"fmt"
	"math"
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

// checkPage compares the line of a claim in docs/claims.md with its check. `go run ./notebooks claims -markdown` prints it.
func checkPage(t *testing.T, checked Claim) {
	t.Helper()
	page := expect.Must(os.ReadFile(filepath.Join("..", "..", "docs", "claims.md")))(t)
	var table bytes.Buffer
	expect.NoError(t, WriteMarkdown(&table, []Claim{checked}))
	for line := range strings.Lines(table.String()) {
		expect.That(t, strings.Contains(string(page), line), "docs/claims.md lacks the line\n%s", line)
	}
}

// The table of docs/claims.md has a line for each claim. That page and the README count its verdicts.
func TestPageCountsTheClaims(t *testing.T) {
	page := expect.Must(os.ReadFile(filepath.Join("..", "..", "docs", "claims.md")))(t)
	readme := expect.Must(os.ReadFile(filepath.Join("..", "..", "README.md")))(t)
	count, in := map[string]int{}, false
	for line := range strings.Lines(string(page)) {
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
	sentence := fmt.Sprintf("Of %d claims %d hold, %d are conditional and %d fail",
		all, count["holds"], count["conditional"], count["fails"])
	for name, text := range map[string][]byte{"docs/claims.md": page, "README.md": readme} {
		words := strings.Join(strings.Fields(string(text)), " ")
		expect.That(t, strings.Contains(words, sentence), "%s does not say %q", name, sentence)
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

// Every statement names existing claims, or a reason; every claim on a document is named; the statements of each
// document are contiguous.
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

// The command line has the names of the claims without linking them.
func TestNamesForTheCommandLine(t *testing.T) {
	expect.Equal(t, naming.Claims(),
		lists.Map(All(), func(c Claim) string { return c.ID }), "internal/naming lists the claims")
}

// The error for a misspelled claim or bug names the intended one.
func TestMisspelt(t *testing.T) {
	expect.Error(t, expect.Err(Find("theroem-1")), `(did you mean "theorem-1"?)`)
	name := Plants()[0].Name
	expect.Error(t, expect.Err(FindPlant(name+"s")), `(did you mean "`+name+`"?)`)
}

func TestTheorem1Verdict(t *testing.T) {
	c := check(t, Theorem1())
	expect.That(t, c.Verdict == Fails && strings.Contains(c.Corrected, "(2u−2)/(2u−1)") &&
		strings.Contains(c.Sentence, "attractions alone"), "%s; corrected: %s", c, c.Corrected)
	// With classes at ±1 two examples of one class give log 3 and two of different classes log(1+2e⁻²), which is also
	// the ideal loss; each case is half of the batches.
	near(t, "number", c.Number.Value, math.Log(3/(1+2*math.Exp(-2)))/2, 1e-14)
	for name, want := range map[string]float64{
		"smallest batch: bias of the loss":                                                        math.Log(3/(1+2*math.Exp(-2))) / 2,
		"smallest batch: printed formula":                                                         -0.5,
		"smallest batch: bias of the attraction":                                                  0,
		"classes at ±1, m = u = 2: bias of the attraction":                                        -0.5 * 2 / 3,
		"classes at ±1, m = u = 8: bias of the attraction":                                        -0.5 * 14 / 15,
		"cases of 20 that agree: attractions alone, ideal anchors mixed as in the batch":          0,
		"cases of 12 that agree: the same, times (2u−1)/(2u−2)":                                   12,
		"single data set, large-batch attraction: cases of 8 that agree with π(1−c)/(1−πc) for π": 8,
	} {
		measured(t, c.Finding, name, want, 1e-12)
	}
}

// The corrected formula against loops over all batches, in both schemes.
func TestTheorem1AttractionAgainstLoops(t *testing.T) {
	world := randomPlanes(2, 8)[1]
	for _, d := range []theory.Design{
		{Labeled: 1, Unlabeled: 1, Prior: 0.2},
		{Labeled: 2, Unlabeled: 2, Prior: 0.6},
		{Unlabeled: 3, Prior: 0.6},
		{Labeled: 2, Prior: 0.3},
		{Labeled: 1, Unlabeled: 2, Prior: 0.6, Scheme: theory.SingleDataset, LabelRate: 0.5},
	} {
		got := expect.Must(Theorem1Attraction(world, d, 0.5))(t)
		_, ideal := loopIdeal(world, d.Prior, 0, 0.5)
		near(t, "bias of the attraction", got, loopStudy(world, d, 0.5, "SCL-PU").Mean[0]-ideal, 1e-12)
	}
	expect.That(t, expect.Err(Theorem1Attraction(theory.Population{}, theory.Design{Unlabeled: 1}, 1)) != nil,
		"no population: no error")
	expect.That(t, expect.Err(Theorem1Printed(theory.Population{}, theory.Design{Unlabeled: 1}, 1)) != nil,
		"no population: no error")
}

// With the bias from loops as formula, (5) as a loss and (3) as the printed reward, the claim holds.
func TestTheorem1VerdictFollowsTheNumbers(t *testing.T) {
	f := theorem1Finding(onBench(t), func(p theory.Population, d theory.Design, tau float64) (float64, error) {
		if d.Examples() > 4 {
			return 1, nil // too large for the loops; these sizes do not decide
		}
		ideal, _ := loopIdeal(p, d.Prior, d.Negatives(), tau)
		return loopStudy(p, d, tau, "SCL-PU").Mean[2] + ideal, nil
	})
	expect.That(t, f.Verdict == Holds && f.Counterexample == "", "%s: %s", f.Verdict, f.Sentence)
	for _, tt := range []struct {
		agree []int
		want  Verdict
		says  string
	}{
		{[]int{0, 20, 0, 3, 0}, Conditional, "both losses"},
		{[]int{0, 0, 20, 3, 0}, Conditional, "both rewards"},
		{[]int{19, 19, 19, 20, 20}, Fails, "not even between their attractions"},
	} {
		theorem1Judge(&f, tt.agree, 20, false, theorem1Case{}, 1)
		expect.That(t, f.Verdict == tt.want && strings.Contains(f.Sentence, tt.says),
			"%v: %s, %s", tt.agree, f.Verdict, f.Sentence)
	}
}

func TestTheorem1RepairedVerdict(t *testing.T) {
	c := check(t, Theorem1Repaired())
	expect.That(t, c.Verdict == Holds && strings.Contains(c.Explain(), "**Proof.**\n\n1. A loss is"), "%s", c)
	for _, m := range c.Measured {
		if strings.Contains(m.Name, "extra") {
			t.Log(m.Name, m.Value)
		}
	}
	// Of a batch of classes at ±1 three quarters are positive; the ideal partition over 2b is e^−1.
	limit := 0.75*math.Log(0.75*math.E+0.25/math.E) + 0.25*math.Log(0.25*math.E+0.75/math.E) + 1 + 0.5
	near(t, "limit", c.Number.Value, limit, 1e-13)
}

// The limit without unlabeled or without labeled examples, and invalid batches.
func TestTheorem1Limit(t *testing.T) {
	for _, d := range []theory.Design{{Labeled: 3, Prior: 0.5}, {Unlabeled: 3, Prior: 0.5}} {
		limit, rate, err := Theorem1Limit(TwoPoints(), d, 1)
		expect.That(t, err == nil && !math.IsNaN(limit+rate), "%g, %g, %v", limit, rate, err)
	}
	// All labeled: Z/2b is e, that of the ideal loss 1/e; both have attraction 1. δ = −e there; here e − 2/e, of 1/e.
	limit, rate, _ := Theorem1Limit(TwoPoints(), theory.Design{Labeled: 3, Prior: 0.5}, 1)
	near(t, "limit", limit, 2, 1e-14)
	near(t, "rate", rate, -0.5-(math.E*math.E-2)/2, 1e-13)
	_, _, err := Theorem1Limit(TwoPoints(), theory.Design{}, 1)
	wantError(t, "no batch", err, "neither may be negative")
}
