package experiment

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// answered returns answers of which as many are right as on the test examples of a point.
func answered(p Point) Answers {
	answers := make(Answers, p.Test.N())
	for i := range p.Test.TruePositive + p.Test.TrueNegative {
		answers[i*7%len(answers)] = true
	}
	return answers
}

// Answers are kept at the points that a rule chooses, loose and packed, are read on request alone, and go with their
// result.
func TestAnswers(t *testing.T) {
	w, run := newWorker(t, func() (*Outcome, error) {
		points := []Point{scored("", 1, 0.6), scored("", 2, 0.9), scored("", 3, 0.7), scored("", 4, 0.8)}
		for i := range points {
			points[i].Answers = answered(points[i])
		}
		return &Outcome{Points: append(points, Point{Values: map[string]float64{"a": 1}})}, nil
	})
	now := expect.Must(w.Do(t.Context(), Laptop, Standing{Run: run, State: Missing}))(t)
	check := func(what string, want ...int) {
		t.Helper()
		now, err := w.Store.Look(Laptop, run)
		points, answersErr := w.Store.Answers(Laptop, now)
		expect.Require(t, err == nil && answersErr == nil, "%v %v %v", what, err, answersErr)
		for i, p := range points {
			expect.That(t, now.Result.Points[i].Answers == nil, "%s: a look reads answers", what)
			kept := slices.Contains(want, i)
			expect.That(t, kept == (p.Answers != nil) && (!kept || slices.Equal(p.Answers, answered(p))),
				"%s: answers at point %d: %t, want %t", what, i, p.Answers != nil, kept)
		}
	}
	check("loose", 1, 3) // by the oracle and by the end
	expect.NoError(t, w.Store.Pack(Laptop, []Run{run}))
	check("packed", 1, 3)
	keep(t, w.Store, run, nil)
	check("of a result without")
	expect.NoError(t, w.Store.Pack(Laptop, []Run{run}))
	if _, err := os.Stat(w.Store.packFile(Laptop, run, answersEnding)); !os.IsNotExist(err) {
		t.Errorf("answers of no result are left: %v", err)
	}
	points := expect.Must(w.Store.Answers(Laptop, now))(t)
	expect.That(t, points[1].Answers == nil, "of a result that is gone:")
	wrong := scored("CE", 1, 0.9)
	wrong.Answers = answered(wrong)[1:]
	err := (&Outcome{Points: []Point{wrong}}).check()
	expect.That(t, strings.Contains(fmt.Sprint(err), "999 answers, 899 of them right"), "%v", err)
	for _, text := range []string{"", "3", "x:", "-1:", "3:AAA=", "9:AA==", "3:CA==", "1:A"} {
		err := new(Answers).UnmarshalText([]byte(text))
		expect.That(t, err != nil, "%q was read as answers", text)
	}
}
