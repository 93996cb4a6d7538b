package papers

import (
	"math"
	"reflect"
	"testing"

	"github.com/puclab/puclab/datasets/vqa/rendered"
	"github.com/puclab/puclab/notebooks/experiment"
)

// All methods of a setting and seed learn from one set but for captions, and are asked the same questions, which nobody learned from.
func TestAnsweringDraws(t *testing.T) {
	c := answeringAmounts[experiment.Smoke].Answering
	learn, test, err := c.Draw(1)
	if err != nil {
		t.Fatal(err)
	}
	c.FalseCaptions = 0.5
	other, again, err := c.Draw(1)
	if err != nil {
		t.Fatal(err)
	}
	drawn := func(a *Asked) *rendered.Set { return a.Images.(*rendered.Set) }
	if !reflect.DeepEqual(drawn(learn).Pixels, drawn(other).Pixels) || !reflect.DeepEqual(drawn(test), drawn(again)) ||
		!reflect.DeepEqual(learn.Questions, other.Questions) || reflect.DeepEqual(learn.Captions, other.Captions) {
		t.Error("a share of false captions changes more than captions, or none")
	}
	size := 3 * c.Edge * c.Edge
	if reflect.DeepEqual(drawn(learn).Pixels[:size], drawn(test).Pixels[:size]) {
		t.Error("the first image is learned from and asked about")
	}
	for i, of := range drawn(test).CaptionOf {
		if of != i {
			t.Errorf("test image %d has the caption of %d", i, of)
		}
	}
}

// What people said is right, in the order of the questions; what nobody says is wrong.
func TestJudgeAnswers(t *testing.T) {
	_, test, err := answeringAmounts[experiment.Smoke].Draw(2)
	if err != nil {
		t.Fatal(err)
	}
	answers := make([]string, len(test.Examples))
	for i, e := range test.Examples {
		answers[i] = "nothing of the kind"
		if i%4 > 0 {
			answers[i] = e.Answers[9]
		}
	}
	point, err := test.judge(answers)
	if err != nil {
		t.Fatal(err)
	}
	if got := point.Test.Accuracy(); math.Abs(got-0.75) > 1e-12 || point.Test.N() != len(answers) {
		t.Errorf("accuracy %g of %d, want 0.75", got, point.Test.N())
	}
	if v := point.Values[ConsensusScore]; !(v > 0.5 && v <= 0.75) {
		t.Errorf("consensus %g", v)
	}
}

// N-pair and every L_Pos are paired in every setting by their seeds, and what learns from answers alone runs once a seed.
func TestAnsweringGrid(t *testing.T) {
	grid, err := QuestionAnswering(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[string]int{}
	for _, run := range grid.Runs {
		seeds[run.Setting+" / "+run.Method]++
	}
	shares := answeringAmounts[experiment.Laptop].shares
	if len(seeds) != len(shares)*(1+len(AnsweringTauPlus()))+1 {
		t.Errorf("%d rows, error %v: %v", len(seeds), err, seeds)
	}
	for row, n := range seeds {
		if n != 3 {
			t.Errorf("%s has %d seeds, want 3", row, n)
		}
	}
}
