//go:build !js

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/theorylab/answers"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// filled returns the files of the page as they are built, without the program.
func filled(t *testing.T) map[string][]byte {
	t.Helper()
	lab := answers.New(enginetest.Open(t))
	t.Cleanup(lab.Close)
	s, err := newStill(lab)
	if err != nil {
		t.Fatal(err)
	}
	files, err := pageFiles(s)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The still picture shows the first case as it is measured.
func TestStillPicture(t *testing.T) {
	index := string(filled(t)["index.html"])
	for _, want := range []string{
		`<td>1.8302</td><td>0.7320</td><td>1.0983</td>`, // loss, ideal and bias of the first case, as in answers/testdata
		`<td>0.0895</td><td>–</td><td>–</td>`, `<td>−0.4330</td>`,
		`<circle class="mark" r="7.5"/>`, `class="arrow ideal"`, `class="arrow loss"`,
	} {
		if !strings.Contains(index, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(index, `class="arrow `); n != 6 {
		t.Errorf("%d arrows at three points, want 6", n)
	}
}

// The ideal loss draws the two positives, at 0° and 50°, together: a step of descent takes the second one to the right and down.
func TestStillArrows(t *testing.T) {
	lab := answers.New(enginetest.Open(t))
	defer lab.Close()
	s, err := newStill(lab)
	if err != nil {
		t.Fatal(err)
	}
	arrow := s.Arrows[3]
	if !arrow.Ideal || !arrow.Tip || !(arrow.X2 > arrow.X1+30) || !(arrow.Y2 > arrow.Y1+30) {
		t.Errorf("arrow %+v", arrow)
	}
	if x, y := s.Points[1].X, s.Points[1].Y; !s.Points[1].Positive || !(x > 64 && x < 65) || !(y < -76 && y > -77) {
		t.Errorf("point %+v, want one at 50° above", s.Points[1])
	}
}

// The page reads the cases from itself.
func TestPageHoldsThePresets(t *testing.T) {
	index := filled(t)["index.html"]
	_, rest, _ := bytes.Cut(index, []byte(`<script type="application/json" id="presets">`))
	text, _, ok := bytes.Cut(rest, []byte("</script>"))
	if !ok {
		t.Fatal("no presets")
	}
	var presets []answers.Preset
	if err := json.Unmarshal(text, &presets); err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(answers.Presets())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(presets); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: %s", err, got)
	}
}

// Every file that a file of the page names is there, or made by the build; and none names another host.
func TestPageIsWhole(t *testing.T) {
	files := filled(t)
	files["lab.wasm.gz"], files["wasm_exec.js"] = nil, nil
	named := regexp.MustCompile(`(?:from |import |src=|href=|fetch\(|new Worker\()"\.?/?([^"#:,]+\.[a-z.]+)"`)
	used := map[string]bool{"index.html": true}
	for name, text := range files {
		for _, match := range named.FindAllSubmatch(text, -1) {
			used[string(match[1])] = true
			if _, ok := files[string(match[1])]; !ok {
				t.Errorf("%s names %s, which is not there", name, match[1])
			}
		}
		if bytes.Contains(text, []byte("://")) && !bytes.Contains(text, []byte(`"http://www.w3.org/2000/svg"`)) {
			t.Errorf("%s holds an address", name)
		}
	}
	for name := range files {
		if !used[name] {
			t.Errorf("no file names %s", name)
		}
	}
}

func TestAnswerLines(t *testing.T) {
	lab := answers.New(enginetest.Open(t))
	defer lab.Close()
	var out bytes.Buffer
	in := `{"id": 1, "ask": "seeding", "plane": {"labeled": [[-10, 0], [10, 0]], "negative": [[11, 0]]}}` + "\n{}\n"
	if err := answerLines(lab, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"ratio":{"value":202,"exact":"202"}`) ||
		!strings.Contains(lines[1], "nothing is asked") {
		t.Errorf("answers %q", lines)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{nil, {"-build", "x", "-answer"}, {"-answer", "more"}, {"-nosuch"}} {
		if err := run(context.Background(), args, strings.NewReader(""), new(bytes.Buffer)); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
