//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/theorylab/answers"
)

// The fields of a fragment after the theorem, in the order in which the page's link.js writes them.
var (
	circleFields = []string{"pos", "neg", "pi", "m", "u", "tau", "rho", "loss"}
	ownFields    = []string{"labeled", "unlabeled", "with", "repel", "mix", "weight"}
	planeFields  = []string{"lab", "hid", "neg", "start", "round"}
)

// parseLink returns the page's requests for a fragment. It accepts only the page's own form, with every field in order:
// the page fills in missing fields, so a misspelled link would show another case.
func parseLink(fragment string) (requests []answers.Request, err error) {
	var names []string
	given := map[string]string{}
	for field := range strings.SplitSeq(fragment, "&") {
		name, value, _ := strings.Cut(field, "=")
		names, given[name] = append(names, name), value
	}
	theorem, err := strconv.Atoi(given["t"])
	if err != nil || theorem < 1 || theorem > 4 {
		return nil, fmt.Errorf("no theorem t=%q", given["t"])
	}
	want := circleFields
	if theorem == 3 {
		want = planeFields
	} else if given["loss"] == "own" {
		want = slices.Concat(circleFields, ownFields)
	}
	if want = slices.Concat([]string{"t"}, want); !slices.Equal(names, want) {
		return nil, fmt.Errorf("fields %q, want %q", names, want)
	}
	if theorem == 3 {
		plane, err := parsePlane(given)
		return []answers.Request{{Ask: "seeding", Plane: &plane}}, err
	}
	circle, err := parseCircle(given)
	circle.Theorem = theorem
	return []answers.Request{{Ask: "numbers", Circle: &circle}, {Ask: "gradients", Circle: &circle}}, err
}

func parseCircle(given map[string]string) (c answers.Circle, err error) {
	for name, number := range map[string]*float64{"pi": &c.Prior, "tau": &c.Tau, "rho": &c.SameView} {
		if *number, err = strconv.ParseFloat(given[name], 64); err != nil {
			return c, err
		}
	}
	for name, number := range map[string]*int{"m": &c.Labeled, "u": &c.Unlabeled} {
		if *number, err = strconv.Atoi(given[name]); err != nil {
			return c, err
		}
	}
	for name, angles := range map[string]*[]float64{"pos": &c.Positive, "neg": &c.Negative} {
		for angle := range strings.SplitSeq(given[name], ",") {
			number, err := strconv.ParseFloat(angle, 64)
			if err != nil {
				return c, err
			}
			*angles = append(*angles, number)
		}
	}
	c.Loss = answers.Loss{Name: given["loss"], Labeled: given["labeled"], Unlabeled: given["unlabeled"], With: given["with"], Repel: given["repel"]}
	if given["loss"] == "own" {
		for name, number := range map[string]*float64{"mix": &c.Loss.Mix, "weight": &c.Loss.Weight} {
			if *number, err = strconv.ParseFloat(given[name], 64); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

func parsePlane(given map[string]string) (p answers.Plane, err error) {
	for name, points := range map[string]*[][2]int64{"lab": &p.Labeled, "hid": &p.Hidden, "neg": &p.Negative} {
		for point := range strings.SplitSeq(given[name], ";") {
			if point == "" {
				continue // a kind without points
			}
			var at [2]int64
			if _, err := fmt.Sscanf(point, "%d,%d", &at[0], &at[1]); err != nil || fmt.Sprintf("%d,%d", at[0], at[1]) != point {
				return p, fmt.Errorf("a point %q, want whole coordinates x,y", point)
			}
			*points = append(*points, at)
		}
	}
	for _, name := range []string{"start", "round"} {
		if _, err := strconv.Atoi(given[name]); err != nil {
			return p, err
		}
	}
	return p, nil
}

// checkLink returns an error for a fragment that the page cannot parse or answer.
func checkLink(lab *answers.Lab, fragment string) error {
	requests, err := parseLink(fragment)
	if err != nil {
		return err
	}
	for _, r := range requests {
		a := lab.Answer(r)
		if a.Error != "" {
			return fmt.Errorf("the lab answers: %s", a.Error)
		}
		start := fragment[max(0, strings.Index(fragment, "start=")):]
		if a.Seeding != nil && !startsThere(a.Seeding, start) {
			return fmt.Errorf("there is no %s", start)
		}
	}
	return nil
}

// startsThere reports whether a seeding has the start and the round in the end of a fragment; no start, −1, has round 0
// only.
func startsThere(s *answers.Seeding, end string) bool {
	var point, round int
	if _, err := fmt.Sscanf(end, "start=%d&round=%d", &point, &round); err != nil {
		return false
	}
	return point == -1 && round == 0 ||
		slices.ContainsFunc(s.Starts, func(start answers.Start) bool { return start.Point == point && round >= 0 && round < len(start.Rounds) })
}

// TestNotebookLinks checks that every link from a notebook leads to a valid case of the lab, and that every notebook
// with a link explains how to start the lab.
func TestNotebookLinks(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "*.ipynb"))
	expect.Require(t, err == nil && len(files) != 0, "%d notebooks, %v", len(files), err)
	lab := answers.New(enginetest.Open(t))
	defer lab.Close()
	link := regexp.MustCompile(`http://127\.0\.0\.1:\d+/#([^)\s"]*)`)
	for _, file := range files {
		for i, text := range markdownCells(t, file) {
			for _, found := range link.FindAllStringSubmatch(text, -1) {
				err := checkLink(lab, found[1])
				expect.That(t, err == nil, "%s, cell %d: %s: %v", file, i, found[0], err)
				if !strings.Contains(text, "go run ./notebooks theory-lab") {
					t.Errorf("%s, cell %d: it links to the lab and does not name the command that serves it, go run ./notebooks theory-lab", file, i)
				}
			}
		}
	}
}

// markdownCells returns the texts of a notebook's markdown cells, by cell index.
func markdownCells(t *testing.T, file string) map[int]string {
	t.Helper()
	data := expect.Must(os.ReadFile(file))(t)
	var nb struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
	}
	err := json.Unmarshal(data, &nb)
	expect.Require(t, err == nil, "%s: %v", file, err)
	texts := map[int]string{}
	for i, c := range nb.Cells {
		if c.Type == "markdown" {
			texts[i] = strings.Join(c.Source, "")
		}
	}
	return texts
}

// Invalid cases are rejected, and valid ones accepted.
func TestCheckLink(t *testing.T) {
	lab := answers.New(enginetest.Open(t))
	defer lab.Close()
	good := "t=1&pos=0,50&neg=180&pi=0.5&m=2&u=1&tau=1&rho=0&loss=SCL-PU"
	own := "t=2&pos=0&neg=180&pi=0.5&m=1&u=1&tau=1&rho=0&loss=own&labeled=LabeledMean&unlabeled=OwnViews&with=OwnViews&repel=LogPartition&mix=0.5&weight=1"
	plane := "t=3&lab=-10,0;10,0&hid=&neg=11,0&start=0&round=1"
	for _, fragment := range []string{good, own, plane, strings.Replace(plane, "start=0&round=1", "start=-1&round=0", 1)} {
		err := checkLink(lab, fragment)
		expect.That(t, err == nil, "%s: %v", fragment, err)
	}
	for _, tt := range []struct{ of, old, new string }{
		{good, "t=1", "t=5"}, {good, "t=1&", ""}, {good, "&tau=1", ""}, {good, "tau=1", "temp=1"}, {good, "loss=SCL-PU", "loss=SCLPU"},
		{good, "pi=0.5", "pi=1.5"}, {good, "pos=0,50", "pos="}, {good, "pos=0,50", "pos=0;50"}, {good, "m=2", "m=40"}, {good, "m=2", "m=two"},
		{good, "pi=0.5&m=2", "m=2&pi=0.5"}, {own, "with=OwnViews", "with=Own"}, {own, "mix=0.5", "mix=2"}, {own, "&weight=1", ""},
		{plane, "lab=-10,0;10,0", "lab="}, {plane, "11,0", "11.5,0"}, {plane, "start=0", "start=1"}, {plane, "round=1", "round=9"},
		{plane, "hid=&", ""},
	} {
		expect.That(t, checkLink(lab, strings.Replace(tt.of, tt.old, tt.new, 1)) != nil,
			"%s with %q for %q is taken", tt.of, tt.new, tt.old)
	}
}

// The fields equal the fields in the page's link.js.
func TestLinkFields(t *testing.T) {
	script := string(filled(t)["link.js"])
	for _, tt := range []struct {
		list  string
		names []string
	}{{"dials", circleFields[2:7]}, {"terms", ownFields[:4]}, {"shares", ownFields[4:]}, {"kinds", planeFields[:3]}} {
		_, rest, _ := strings.Cut(script, "const "+tt.list+" = {")
		text, _, ok := strings.Cut(rest, "}")
		var names []string
		for field := range strings.SplitSeq(text, ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(field), ":")
			names = append(names, name)
		}
		expect.That(t, ok && slices.Equal(names, tt.names), "link.js has the %s %q, want %q", tt.list, names, tt.names)
	}
}
