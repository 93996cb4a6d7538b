package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/notebooks/papers"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/theory/claims"
)

// The table of docs/verdicts.md counts the verdicts of the committed runs. `go run ./notebooks report -markdown` prints
// it.
func TestVerdictsPage(t *testing.T) {
	expect.Slow(t)
	var out, messages bytes.Buffer
	expect.NoError(t, run([]string{"-markdown"}, &out, &messages))
	page := expect.Must(os.ReadFile(filepath.Join("..", "..", "docs", "verdicts.md")))(t)
	expect.That(t, strings.Contains(string(page), out.String()), "docs/verdicts.md lacks the table\n%s", out.String())
}

// TestAgainstTheFiles decides one claim independently from the files of the runs, with loops.
func TestAgainstTheFiles(t *testing.T) {
	expect.Slow(t)
	report := expect.Must(experiments("", experiment.Laptop))(t)
	looked := 0
	for _, r := range report.Experiments {
		if r.Experiment != "table 1" || r.Setting != "FMNIST-I, 1000 labeled" || !strings.Contains(r.Statement, "above ssCL") {
			continue
		}
		looked++
		var differences []float64
		for seed := range uint64(5) {
			above := lastAccuracy(t, "fmnist-i-1000-labeled", seed+1, r.Above)
			below := lastAccuracy(t, "fmnist-i-1000-labeled", seed+1, r.Below)
			differences = append(differences, 100*(above-below))
		}
		mean, squares := 0.0, 0.0
		for _, d := range differences {
			mean += d / 5
		}
		for _, d := range differences {
			squares += (d - mean) * (d - mean)
		}
		half := 2.7764451 * math.Sqrt(squares/4/5) // Student's t with 4 degrees of freedom
		expect.That(t, r.Seeds == 5 && math.Abs(*r.Points-mean) <= 1e-9 && math.Abs(*r.HalfWidth-half) <= 1e-6,
			"%s with %d seeds, by loops %+.4f ± %.4f", r.Effect(), r.Seeds, mean, half)
		p := *r.P
		expect.That(t, (p < 0.05) == (math.Abs(mean) > half) && *r.QAll >= p && *r.QPaper >= p, "p %g, q %g and %g", p, *r.QPaper, *r.QAll)
		want := papers.Inconclusive
		if decided := max(*r.QPaper, *r.QAll) < 0.05; decided && mean > 0 {
			want = papers.Agrees
		} else if decided {
			want = papers.Disagrees
		}
		expect.That(t, r.Verdict == want, "verdict %q, want %q", r.Verdict, want)
	}
	expect.That(t, looked == 1, "looked at %d claims", looked)
}

// lastAccuracy reads the accuracy on test images after the last step, by the head of a row such as "PUCL, PUPL (CE)".
func lastAccuracy(t *testing.T, setting string, seed uint64, row string) float64 {
	t.Helper()
	pack := expect.Must(os.Open(filepath.Join("..", "results", "laptop", setting+".jsonl.gz")))(t)
	defer pack.Close()
	lines := expect.Must(gzip.NewReader(pack))(t)
	method, head, _ := strings.Cut(row, ", ")
	var run struct {
		Method string
		Seed   uint64
		Points []struct {
			Head string
			Step int
			Test struct {
				Confusion struct{ TruePositive, FalseNegative, FalsePositive, TrueNegative float64 }
			}
		}
	}
	for decoder := json.NewDecoder(lines); run.Method != method || run.Seed != seed; {
		run.Points = nil
		expect.NoError(t, decoder.Decode(&run))
	}
	last, accuracy := -1, math.NaN()
	for _, p := range run.Points {
		if p.Head == head && p.Step > last {
			c := p.Test.Confusion
			last, accuracy = p.Step, (c.TruePositive+c.TrueNegative)/(c.TruePositive+c.FalseNegative+c.FalsePositive+c.TrueNegative)
		}
	}
	return accuracy
}

func TestPageAndLines(t *testing.T) {
	claim := expect.Must(claims.NoiseRate().Check(enginetest.Open(t)))(t)
	finding := papers.Finding{Claim: papers.Claim{Experiment: "table 9", Setting: "here", Statement: "a < b & c", Source: "somewhere",
		Above: papers.Row{Method: "a"}, Below: papers.Row{Method: "b", Head: "c"}}, Rule: experiment.Last, Verdict: papers.Agrees,
		P: 0.01, QPaper: 0.02, QAll: 0.015}
	var records []Record
	for _, effect := range []evaluate.Summary{
		{Mean: 0.012, HalfWidth: 0.004, Seeds: 5}, {Mean: -0.1, HalfWidth: math.NaN(), Seeds: 1}, {Mean: math.NaN(), HalfWidth: math.NaN()},
	} {
		finding.Effect = effect
		if effect.Seeds < 2 {
			finding.P, finding.QPaper, finding.QAll = math.NaN(), math.NaN(), math.NaN()
		}
		records = append(records, recordOf(finding))
	}
	finding.Measure, finding.BelowSetting = papers.Steps, "there"
	finding.Effect = evaluate.Summary{Mean: 0.4, HalfWidth: 0.095, Seeds: 3}
	finding.P, finding.QPaper, finding.QAll = 0.1, 0.2, 0.1
	records = append(records, recordOf(finding))
	r := Report{Size: experiment.Laptop, Experiments: records, Theory: []claims.Claim{claim},
		Index: []papers.IndexRow{{Place: papers.Place{Name: "Figure 99", Notebook: "figure-99"}, Checked: "noise-rate: conditional"}}}
	page := expect.Must(r.page())(t)
	for _, want := range []string{"a &lt; b &amp; c", "&#43;1.2 ± 0.4", "-10.0 (one seed)", "no runs", "&#43;40.0 ± 9.5% of the steps", "noise-rate", "Figure 99", "not yet", "1 conditional.", "size laptop", "q = 0.02", "agrees (exploratory)"} {
		expect.That(t, strings.Contains(string(page), want), "the page lacks %q", want)
	}
	var lines bytes.Buffer
	expect.NoError(t, r.writeLines(&lines))
	want := claim.Row() + "\ntable 9\tagrees\t+1.2 ± 0.4\tq = 0.02\ta < b & c (here)\n"
	expect.That(t, strings.HasPrefix(lines.String(), want), "lines %q", lines.String())
	expect.Must(json.Marshal(r))(t) // NaN would fail
}

func TestRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		`report: it takes flags alone, not "table-1"`:                        {"table-1"},
		"-json and -markdown exclude each other":                             {"-json", "-markdown"},
		"-index excludes -json and -markdown":                                {"-json", "-index"},
		`experiment: there is no size "huge"; choose smoke, laptop or paper`: {"-size", "huge"},
	} {
		var out, messages bytes.Buffer
		err := run(args, &out, &messages)
		expect.That(t, err != nil && err.Error() == want && out.Len() == 0, "%q: %v, %q", args, err, out.String())
	}
}
