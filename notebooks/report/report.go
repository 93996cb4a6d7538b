package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/theory/claims"
)

// Report lists the claims with their results.
type Report struct {
	Size        experiment.Size `json:"size"` // of the deciding runs
	Experiments []Record        `json:"experiments"`
	Theory      []claims.Claim  `json:"theory"`

	Index []papers.IndexRow `json:"index"` // every figure, table and theorem

	findings []papers.Finding // of Experiments
}

// Record is a claim of a table or figure. Points are in percent: of accuracy, or of the steps of a run that one row
// saves. See [papers.Finding] for the p-value and the q-values.
type Record struct {
	Experiment string `json:"experiment"` // "table 1"
	Setting    string `json:"setting"`
	Statement  string `json:"statement"`
	Source     string `json:"source"`
	Above      string `json:"above"` // the row claimed to be above
	Below      string `json:"below"`
	BelowAt    string `json:"belowSetting,omitempty"` // of the row below, if it is not setting
	// Than is a setting with a smaller lead, or with Within an equal one.
	Than    string         `json:"than,omitempty"`
	Measure papers.Measure `json:"measure,omitempty"`      // of the comparison; "" means accuracy
	BelowBy papers.Measure `json:"belowMeasure,omitempty"` // of the row below, if it differs
	Within  float64        `json:"within"`                 // 0, or the claimed largest difference in points
	// Less is the number of points by which one may be below the other and still compete.
	Less        float64        `json:"less,omitempty"`
	Verdict     papers.Verdict `json:"verdict"`
	Exploratory bool           `json:"exploratory"` // decided by three seeds or fewer
	Points      *float64       `json:"points"`      // above minus below; null without a run of both
	// HalfWidth is that of the 95% interval; it is null with fewer than two seeds, as are the next four fields.
	HalfWidth *float64 `json:"halfwidth"`
	P         *float64 `json:"p"`
	QPaper    *float64 `json:"qPaper"` // among the claims about one document
	QAll      *float64 `json:"qAll"`   // among all claims
	// Detectable is the effect in points that the same number of seeds detects with a probability of 80%.
	Detectable *float64        `json:"detectable"`
	Seeds      int             `json:"seeds"` // with both rows
	Rule       experiment.Rule `json:"rule"`  // for the choice of a run's point
}

func recordOf(f papers.Finding) Record {
	number := func(x float64) *float64 {
		if f.Effect.Seeds > 0 && !math.IsNaN(x) {
			return &x
		}
		return nil
	}
	return Record{Experiment: f.Experiment, Setting: cmp.Or(f.Setting, "all settings"), Statement: f.Statement,
		Source: f.Source, Above: f.Above.String(), Below: f.Below.String(), BelowAt: f.BelowSetting, Than: f.Than,
		Measure: f.Measure, BelowBy: f.BelowMeasure, Within: f.Within, Less: f.Less, Verdict: f.Verdict,
		Exploratory: f.Exploratory(), Points: number(100 * f.Effect.Mean), HalfWidth: number(100 * f.Effect.HalfWidth),
		P: number(f.P), QPaper: number(f.QPaper), QAll: number(f.QAll), Detectable: number(100 * f.Detectable()),
		Seeds: f.Effect.Seeds, Rule: f.Rule}
}

// Effect returns the points with their interval: "+1.2 ± 0.4", or "+40.0 ± 9.5% of the steps".
func (r Record) Effect() string {
	unit := ""
	if r.Measure == papers.Steps {
		unit = "% of the steps"
	} else if r.Measure != "" {
		unit = " hundredths"
	}
	switch {
	case r.Points == nil:
		return "no runs"
	case r.HalfWidth == nil:
		return fmt.Sprintf("%+.1f%s (one seed)", *r.Points, unit)
	}
	return fmt.Sprintf("%+.1f ± %.1f%s", *r.Points, *r.HalfWidth, unit)
}

// Outcome returns the verdict in words: "agrees (exploratory)".
func (r Record) Outcome() string { return r.Verdict.Outcome(r.Exploratory) }

// Doubt returns the larger q-value, and for undecided claims the detectable effect: "q = 0.012", "q = 0.34; 1.2 points
// would be found".
func (r Record) Doubt() string {
	if r.P == nil {
		return ""
	}
	text := fmt.Sprintf("q = %.2g", max(*r.QPaper, *r.QAll))
	if r.Verdict == papers.Inconclusive && r.Detectable != nil {
		text += fmt.Sprintf("; %.2g would be found", *r.Detectable)
	}
	return text
}

// Count has the numbers of verdicts on the claims of an experiment.
type Count struct {
	Experiment string

	Agrees, Disagrees, Inconclusive, NotRun int
	Exploratory                             int // of the decided ones
	Records                                 []Record
}

// Counts returns a count for each experiment, in order.
func (r Report) Counts() (counts []Count) {
	for _, record := range r.Experiments {
		at := slices.IndexFunc(counts, func(c Count) bool { return c.Experiment == record.Experiment })
		if at < 0 {
			at, counts = len(counts), append(counts, Count{Experiment: record.Experiment})
		}
		c := &counts[at]
		c.Records = append(c.Records, record)
		switch record.Verdict {
		case papers.Agrees:
			c.Agrees++
		case papers.Disagrees:
			c.Disagrees++
		case papers.NotRun:
			c.NotRun++
		default:
			c.Inconclusive++
		}
		if record.Exploratory {
			c.Exploratory++
		}
	}
	return counts
}

// TheoryCounts returns the number of theory claims with each verdict.
func (r Report) TheoryCounts() map[claims.Verdict]int {
	counts := map[claims.Verdict]int{}
	for _, c := range r.Theory {
		counts[c.Verdict]++
	}
	return counts
}

// writeLines writes a line for each claim, with tabs between experiment or ID, verdict, effect or number, and
// statement.
func (r Report) writeLines(out io.Writer) error {
	for _, c := range r.Theory {
		if _, err := fmt.Fprintln(out, c.Row()); err != nil {
			return err
		}
	}
	for _, e := range r.Experiments {
		_, err := fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s (%s)\n",
			e.Experiment, e.Outcome(), e.Effect(), e.Doubt(), e.Statement, e.Setting)
		if err != nil {
			return err
		}
	}
	return nil
}

// writeMarkdown writes the counts as a Markdown table.
func (r Report) writeMarkdown(out io.Writer) error {
	text := "| experiment | agrees | disagrees | inconclusive | not run | decided by three seeds or fewer |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: |\n"
	for _, c := range r.Counts() {
		text += fmt.Sprintf("| %s | %d | %d | %d | %d | %d |\n",
			c.Experiment, c.Agrees, c.Disagrees, c.Inconclusive, c.NotRun, c.Exploratory)
	}
	_, err := io.WriteString(out, text)
	return err
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page returns the report as a self-contained page.
func (r Report) page() ([]byte, error) {
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, r)
	return out.Bytes(), err
}
