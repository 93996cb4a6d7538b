//go:build !js

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/theorylab/answers"
)

// filled returns the built files of the page, without the program.
func filled(t *testing.T) map[string][]byte {
	t.Helper()
	lab := answers.New(enginetest.Open(t))
	t.Cleanup(lab.Close)
	s := expect.Must(newStill(lab))(t)
	return expect.Must(pageFiles(s))(t)
}

// The still picture shows the measured numbers of the first case.
func TestStillPicture(t *testing.T) {
	index := string(filled(t)["index.html"])
	for _, want := range []string{
		`<td>1.8302</td><td>0.7320</td><td>1.0983</td>`, // loss, ideal and bias of the first case, as in answers/testdata
		`<td>0.0895</td><td>–</td><td>–</td>`, `<td>−0.4330</td>`,
		`<circle class="mark" r="7.5"/>`, `class="arrow ideal"`, `class="arrow loss"`,
	} {
		expect.That(t, strings.Contains(index, want), "the page lacks %s", want)
	}
	expect.Equal(t, strings.Count(index, `class="arrow `), 6, "arrows at three points")
}

// The ideal loss attracts the two positives, at 0° and 50°: a descent step moves the second one to the right and down.
func TestStillArrows(t *testing.T) {
	lab := answers.New(enginetest.Open(t))
	defer lab.Close()
	s := expect.Must(newStill(lab))(t)
	arrow := s.Arrows[3]
	expect.That(t, arrow.Ideal && arrow.Tip && arrow.X2 > arrow.X1+30 && arrow.Y2 > arrow.Y1+30, "arrow %+v", arrow)
	if x, y := s.Points[1].X, s.Points[1].Y; !s.Points[1].Positive || !(x > 64 && x < 65) || !(y < -76 && y > -77) {
		t.Errorf("point %+v, want one at 50° above", s.Points[1])
	}
}

// The page contains the cases.
func TestPageHoldsThePresets(t *testing.T) {
	index := filled(t)["index.html"]
	_, rest, _ := bytes.Cut(index, []byte(`<script type="application/json" id="presets">`))
	text, _, ok := bytes.Cut(rest, []byte("</script>"))
	expect.Require(t, ok, "no presets")
	var presets []answers.Preset
	expect.NoError(t, json.Unmarshal(text, &presets))
	want := expect.Must(json.Marshal(answers.Presets()))(t)
	expect.Equal(t, expect.Must(json.Marshal(presets))(t), want)
}

// Every file named in a file of the page exists or is made by the build, and none is on another host.
func TestPageIsWhole(t *testing.T) {
	files := filled(t)
	files["lab.wasm.gz"], files["wasm_exec.js"] = nil, nil
	named := regexp.MustCompile(`(?:from |import |src=|href=|fetch\(|new Worker\()"\.?/?([^"#:,]+\.[a-z.]+)"`)
	used := map[string]bool{"index.html": true}
	for name, text := range files {
		for _, match := range named.FindAllSubmatch(text, -1) {
			used[string(match[1])] = true
			_, ok := files[string(match[1])]
			expect.That(t, ok, "%s names %s, which is not there", name, match[1])
		}
		expect.That(t, !bytes.Contains(text, []byte("://")) ||
			bytes.Contains(text, []byte(`"http://www.w3.org/2000/svg"`)), "%s holds an address", name)
	}
	for name := range files {
		expect.That(t, used[name], "no file names %s", name)
	}
}

func TestAnswerLines(t *testing.T) {
	lab := answers.New(enginetest.Open(t))
	defer lab.Close()
	var out bytes.Buffer
	in := `{"id": 1, "ask": "seeding", "plane": {"labeled": [[-10, 0], [10, 0]], "negative": [[11, 0]]}}` + "\n{}\n"
	expect.NoError(t, answerLines(lab, strings.NewReader(in), &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	expect.That(t, len(lines) == 2 && strings.Contains(lines[0], `"ratio":{"value":202,"exact":"202"}`) &&
		strings.Contains(lines[1], "nothing is asked"), "answers %q", lines)
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{nil, {"-build", "x", "-answer"}, {"-answer", "more"}, {"-nosuch"}} {
		expect.That(t, run(context.Background(), args, strings.NewReader(""), new(bytes.Buffer)) != nil,
			"%q is taken", args)
	}
}
