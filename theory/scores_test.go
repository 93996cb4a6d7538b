package theory

import (
	"math"
	"testing"

	"github.com/puclab/puclab/pucl"
)

func TestAnchorLossesAgainstLoops(t *testing.T) {
	const tau = 0.7
	batches := [][][]float64{
		{{1, 0}, {0, 2}, {-1, 1}, {3, 1}, {0.5, 1}, {-2, -1}},
		{{1, 1}, {1, 2}, {1, 3}, {-1, 0}, {0, 1}, {2, -1}},
	}
	labeled, class := []bool{true, false, true}, []int32{1, 0, 1}
	for _, o := range []pucl.Objective{pucl.SSCL(), pucl.PUCL(), pucl.SCLPU(), pucl.SCL()} {
		losses, err := AnchorLosses(openEngine(t), o, batches, labeled, class, tau)
		if err != nil {
			t.Fatal(err)
		}
		for k, z := range batches {
			for i := range z {
				partition, attraction, count := 0.0, 0.0, 0.0
				for j := range z {
					if j == i {
						continue
					}
					s := cosine(z[i], z[j]) / tau
					partition += math.Exp(s)
					if rules[o.Name](i, j, 3, func(row int) bool { return labeled[row%3] },
						func(row int) bool { return class[row%3] == 1 }) {
						attraction += s
						count++
					}
				}
				near(t, o.Name, losses[k][i], math.Log(partition)-attraction/count, 1e-12)
			}
		}
	}
}

// A row of zeros has similarity 0 to all: log 3 for itself, in a batch of four rows.
func TestAnchorLossesOfARowOfZeros(t *testing.T) {
	losses, err := AnchorLosses(openEngine(t), pucl.SSCL(), [][][]float64{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}}, make([]bool, 2),
		nil, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "loss", losses[0][0], math.Log(3), 1e-14)
}

func TestAnchorLossesRefusals(t *testing.T) {
	eng, good, none := openEngine(t), [][][]float64{{{1}, {1}}}, make([]bool, 1)
	for _, c := range []struct {
		name    string
		batches [][][]float64
		labeled []bool
		class   []int32
		tau     float64
		words   []string
	}{
		{"no batches", nil, none, nil, 1, []string{"0 batches"}},
		{"no examples", good, nil, nil, 1, []string{"0 examples"}},
		{"rows", [][][]float64{{{1}, {1}}, {{1}}}, none, nil, 1, []string{"batch 1", "1 rows"}},
		{"coordinates", [][][]float64{{{1}, {1, 2}}}, none, nil, 1, []string{"row 1 of batch 0", "2 coordinates"}},
		{"no coordinates", [][][]float64{{{}, {}}}, none, nil, 1, []string{"0 coordinates"}},
		{"classes", good, none, []int32{1, 2}, 1, []string{"2 classes"}},
		{"temperature", good, none, nil, -1, []string{"τ = -1"}},
	} {
		_, err := AnchorLosses(eng, pucl.SSCL(), c.batches, c.labeled, c.class, c.tau)
		wantError(t, c.name, err, c.words...)
	}
	_, err := AnchorLosses(nil, pucl.SSCL(), good, none, nil, 1)
	wantError(t, "engine", err, "no engine")
	_, err = AnchorLosses(eng, pucl.Objective{Name: "half"}, good, none, nil, 1)
	wantError(t, "objective", err, "half")
	_, err = AnchorLosses(eng, pucl.NPair(), good, none, nil, 1)
	if err != nil {
		t.Errorf("one example: %v", err)
	}
	_, err = AnchorLosses(eng, pucl.DCL(pucl.DCLConfig{}), good, none, nil, 1)
	wantError(t, "a batch of one", err, "2 examples or more")
}
