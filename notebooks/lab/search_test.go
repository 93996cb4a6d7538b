package lab

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// farthest asks how far the first positive point is to the right of the origin, and fails where it was asked so often.
func farthest(cases int) theory.Question {
	return theory.Question{Name: "farthest", Ask: func(p theory.Population, _ theory.Design) (theory.Number, error) {
		if cases--; cases < 0 {
			return theory.Number{}, errors.New("theory: out of paper")
		}
		return theory.Number{Value: p.Positive[0].Z[0]}, nil
	}}
}

// A search tells its cases while it runs and how many there were, and finds what it finds without the line.
func TestSearch(t *testing.T) {
	var b bytes.Buffer
	told := 0
	s := theory.Search{Parts: 1, Random: 20, Climbs: -1, Progress: func(theory.SearchProgress) { told++ }}
	found, err := search(&b, s, farthest(1000))
	if err != nil {
		t.Fatal(err)
	}
	if found.Worst.Value.Value != 1 || told != found.Cases+1 {
		t.Errorf("it found %v; of %d cases it told %d times", found, found.Cases, told)
	}
	if !regexp.MustCompile(`^farthest: case 0\n(.*\n)*farthest: [0-9,]+ cases in .*\n$`).MatchString(b.String()) {
		t.Errorf("it says\n%s", b.String())
	}
}

// A search that fails says how far it came, and one that never begins says nothing.
func TestSearchStopped(t *testing.T) {
	var b bytes.Buffer
	if _, err := search(&b, theory.Search{Parts: 1, Random: 20, Climbs: -1}, farthest(5)); err == nil {
		t.Error("no error")
	}
	if !regexp.MustCompile(`\nfarthest: 5 cases in .*, stopped\n$`).MatchString(b.String()) {
		t.Errorf("it says\n%s", b.String())
	}
	b.Reset()
	if _, err := search(&b, theory.Search{}, theory.Question{}); err == nil || b.Len() > 0 {
		t.Errorf("without a question: %v, it says\n%s", err, b.String())
	}
}

// An examination tells at which objective it is, and how many cases there were in all.
func TestExamine(t *testing.T) {
	var b bytes.Buffer
	told := map[string]int{}
	page, err := examine(&b, Must(engine.Open()), pucl.PUCL(), theory.ExamineConfig{
		Search:   &theory.Search{Atoms: 1, Random: -1, Climbs: -1},
		Progress: func(objective string, at theory.SearchProgress) { told[objective] = at.Done },
	})
	if err != nil {
		t.Fatal(err)
	}
	ours, ssCL := page.Objective.Worst.Cases, page.References[0].Worst.Cases
	if told["PUCL"] != ours || told["ssCL"] != ssCL || ours == 0 {
		t.Errorf("of %d and %d cases it told %v", ours, ssCL, told)
	}
	if want := fmt.Sprintf(`^worst cases: case 0, at PUCL\n(.*\n)*worst cases: %d cases in .*\n$`, ours+ssCL); !regexp.MustCompile(want).MatchString(b.String()) {
		t.Errorf("it says\n%s", b.String())
	}
}
