package theory

import (
	"math"
	"testing"
)

func TestDesignsAreValidated(t *testing.T) {
	for _, d := range []Design{
		{Labeled: 1},
		{Unlabeled: 1, Prior: 1, SameView: 1},
		{Labeled: 1, Unlabeled: 1, Prior: 0.5, Scheme: SingleDataset, LabelRate: 1},
		{Unlabeled: 2, Prior: 0.5, Scheme: SingleDataset},
		{Labeled: 2, Prior: 1, Scheme: SingleDataset, LabelRate: 1},
	} {
		if err := d.Validate(); err != nil {
			t.Errorf("%+v is refused: %v", d, err)
		}
	}
	for _, tt := range []struct {
		d     Design
		words []string
	}{
		{Design{Prior: 0.5}, []string{"0 labeled and 0 unlabeled"}},
		{Design{Labeled: -1, Unlabeled: 3}, []string{"-1 labeled"}},
		{Design{Labeled: 1, Prior: 1.1}, []string{"class prior π = 1.1"}},
		{Design{Labeled: 1, Prior: math.NaN()}, []string{"class prior π = NaN"}},
		{Design{Labeled: 1, SameView: -0.1}, []string{"identical views = -0.1"}},
		{Design{Labeled: 1, Scheme: SingleDataset, LabelRate: 2}, []string{"label rate c = 2"}},
		{Design{Labeled: 1, LabelRate: 0.5}, []string{"case-control", "SingleDataset"}},
		{Design{Labeled: 1, Prior: 0.5, Scheme: SingleDataset}, []string{"never labels"}},
		{Design{Labeled: 1, Unlabeled: 1, Prior: 1, Scheme: SingleDataset, LabelRate: 1}, []string{"labels everything"}},
		{Design{Labeled: 1, Scheme: 7}, []string{"Scheme(7)", "CaseControl"}},
	} {
		wantError(t, tt.words[0], tt.d.Validate(), tt.words...)
	}
}

// Of 1000 examples at π = 0.4 and c = 0.25, 400 are positive and 100 of them labeled: 300 of 900 unlabeled are positive.
func TestUnlabeledPrior(t *testing.T) {
	d := Design{Labeled: 1, Unlabeled: 9, Prior: 0.4}
	near(t, "case-control", d.UnlabeledPrior(), 0.4, 1e-15)
	d.Scheme, d.LabelRate = SingleDataset, 0.25
	near(t, "single data set", d.UnlabeledPrior(), 1.0/3, 1e-15)
	if d.Examples() != 10 || d.Rows() != 20 || d.Negatives() != 18 {
		t.Errorf("%d examples, %d rows, %d negatives", d.Examples(), d.Rows(), d.Negatives())
	}
}

// By hand: positive class on point 0 (¼) and 1 (¾), negative class on point 1; ρ = 0.2, π = ½.
func TestOutcomes(t *testing.T) {
	s := support{points: [][]float64{{1}, {2}}, positive: []mass{{0, 0.25}, {1, 0.75}}, negative: []mass{{1, 1}}}
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.5, SameView: 0.2}
	labeled, unlabeled := d.outcomes(s, Symmetry{Views: true})
	_, blind := d.outcomes(s, Symmetry{Views: true, Classes: true})
	for _, tt := range []struct {
		name string
		got  []outcome
		want []outcome
	}{
		{"labeled", labeled, []outcome{{1, 0, 0, 0.2*0.25 + 0.8*0.0625}, {1, 0, 1, 0.8 * 2 * 0.1875}, {1, 1, 1, 0.2*0.75 + 0.8*0.5625}}},
		{"unlabeled", unlabeled, []outcome{{1, 0, 0, 0.05}, {1, 0, 1, 0.15}, {1, 1, 1, 0.3}, {0, 1, 1, 0.5}}},
		{"unlabeled, whatever the class", blind, []outcome{{1, 0, 0, 0.05}, {1, 0, 1, 0.15}, {1, 1, 1, 0.8}}},
	} {
		if len(tt.got) != len(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
			continue
		}
		for i, o := range tt.got {
			want := tt.want[i]
			if !(math.Abs(o.p-want.p) <= 1e-15) || o.class != want.class || o.first != want.first || o.second != want.second {
				t.Errorf("%s: %v, want %v", tt.name, o, want)
			}
		}
	}
	if labeled, _ := d.outcomes(s, Symmetry{}); len(labeled) != 4 {
		t.Errorf("in order of views: %v", labeled)
	}
	d.SameView = IdenticalViews
	if labeled, _ := d.outcomes(s, Symmetry{}); len(labeled) != 2 {
		t.Errorf("identical views: %v", labeled)
	}
}
