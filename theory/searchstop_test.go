package theory

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl"
)

func TestSearchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var asked []float64
	s := Search{Progress: func(p SearchProgress) {
		if p.Done == 30 {
			cancel()
		}
	}}
	r, err := s.Run(ctx, hill(&asked))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	wantError(t, "cancelled", err, "after 30 of ")
	if r.Cases != 30 || len(asked) != 30 || r.Worst.Value.Value != slices.Max(asked) || !reflect.DeepEqual(r.Worst, r.Simple) || !r.Found {
		t.Errorf("after cancelling: %s; 30 cases had up to %g", r, slices.Max(asked))
	}
	r, err = s.Run(ctx, hill(nil))
	if !errors.Is(err, context.Canceled) || r.Cases != 0 || r.Found {
		t.Errorf("cancelled beforehand: %s, %v", r, err)
	}
	if !strings.Contains(r.String(), "no case was measured") {
		t.Error(r)
	}
	// Stopped while climbing and while simplifying, too.
	for _, stage := range []string{"random", "climb", "simplify"} {
		ctx, cancel := context.WithCancel(context.Background())
		s := Search{Progress: func(p SearchProgress) {
			if p.Stage == stage {
				cancel()
			}
		}}
		if r, err := s.Run(ctx, hill(nil)); !errors.Is(err, context.Canceled) || r.Simple.Value != r.Worst.Value {
			t.Errorf("stopped in stage %s: %s, %v", stage, r, err)
		}
	}
	// A case that cannot be measured ends the search, with what was found and the case in words.
	broken := hill(nil)
	count := 0
	broken.Ask = func(p Population, d Design) (Number, error) {
		if count++; count == 8 {
			return Exactly(math.Inf(1)), nil
		}
		return hill(nil).Ask(p, d)
	}
	r, err = Search{}.Run(context.Background(), broken)
	wantError(t, "infinite answer", err, "case 8, positive 1 at (1, 0)", "must be finite")
	if r.Cases != 7 || r.Worst.Value.Value == 0 {
		t.Error(r)
	}
	lost := pucl.Objective{Name: "lost", Attract: func(b *pucl.Block) *Node { return Log(pucl.OwnViews(b)) }, Repel: pucl.LogPartition}
	m, err := NewMeter(openEngine(t), lost, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = Search{}.Run(context.Background(), LossBias(m, nil))
	wantError(t, "objective without a value", err, `attraction of objective "lost" is`, "case ")
}

func TestSearchRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		s     Search
		words []string
	}{
		{"no points", Search{Points: [][]float64{}}, []string{"empty list of Points", "Circle(4)"}},
		{"no coordinates", Search{Points: [][]float64{{}}}, []string{"no coordinates"}},
		{"origin", Search{Points: [][]float64{{1, 0}, {0, 0}}}, []string{"point 1", "origin"}},
		{"two spaces", Search{Points: [][]float64{{1, 0}, {0, 0, 1}}}, []string{"point 1", "one space"}},
		{"no designs", Search{Designs: []Design{}}, []string{"empty list of Designs"}},
		{"bad design", Search{Designs: []Design{{Unlabeled: 2}, {Unlabeled: 2, Prior: 2}}}, []string{"π = 2", "design 1"}},
		{"no atoms", Search{Atoms: -1}, []string{"Atoms = -1", "at least 1"}},
		{"many atoms", Search{Atoms: 1000}, []string{"Atoms = 1000", "may have 100"}},
		{"no steps", Search{Steps: -1}, []string{"Steps = -1", "Climbs"}},
		{"share", Search{Keep: 1.5}, []string{"Keep = 1.5", "share"}},
		{"tolerance", Search{Tolerance: math.NaN()}, []string{"Tolerance = NaN"}},
		{"limit", Search{MaxCases: -4}, []string{"MaxCases = -4"}},
		{"nothing to try", Search{Parts: -1, Random: -1}, []string{"neither a grid nor random cases"}},
		{"too many", Search{MaxCases: 1000}, []string{"15 designs", "300 random cases", "3 climbs of 100 steps", "MaxCases = 1000"}},
		// C(16,1) + C(16,2)·3 + C(16,3)·3 = 2056 classes.
		{"grid too large", Search{Points: Corners(4), Atoms: 3}, []string{"2.06e+03 classes", "4.23e+06 populations", "fewer Points"}},
	} {
		_, err := tt.s.Plan()
		wantError(t, tt.name, err, append(tt.words, "theory:")...)
		asked := []float64{}
		if _, other := tt.s.Run(context.Background(), hill(&asked)); other == nil || other.Error() != err.Error() || len(asked) > 0 {
			t.Errorf("%s: Run says %v after %d cases, Plan says %v", tt.name, other, len(asked), err)
		}
	}
	_, err := Search{}.Run(context.Background(), Question{})
	wantError(t, "no question", err, "without Ask", "LossBias")
	for _, q := range []Question{LossBias(nil, nil), AttractionBias(nil, &Draws{}), GradientBias(nil), ExtraGradientBias(nil, nil), ExtraVariance(meterOf(t, pucl.SSCL(), 0.5), nil, nil)} {
		_, err := Search{}.Run(context.Background(), q)
		wantError(t, q.Name, err, "without a meter", "NewMeter")
	}
}
