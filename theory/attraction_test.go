package theory

import (
	"fmt"
	"testing"

	"github.com/puclab/puclab/pucl"
)

// The closed form against loops over all sequences, for every shape of batch up to 3 + 3 examples.
func TestMeanAttractionAgainstLoops(t *testing.T) {
	const tau = 0.5
	groupings := map[string]Grouping{"ssCL": {}, "PUCL": {Labeled: true}, "SCL-PU": {Labeled: true, Unlabeled: true}}
	for m := range 4 {
		for u := range 4 {
			if m+u == 0 || m+u > 5 {
				continue
			}
			for _, same := range []float64{IndependentViews, 0.3, IdenticalViews} {
				for _, d := range []Design{
					{Labeled: m, Unlabeled: u, Prior: 0.35, SameView: same},
					{Labeled: m, Unlabeled: u, Prior: 0.35, SameView: same, Scheme: SingleDataset, LabelRate: 0.8},
				} {
					want := referenceStudy(quartet(), d, tau, []string{"ssCL", "PUCL", "SCL-PU"}, everyAnchor)
					for name, g := range groupings {
						got, err := MeanAttraction(quartet(), d, tau, g)
						if err != nil {
							t.Fatal(err)
						}
						near(t, fmt.Sprintf("%s: attraction of %+v", name, d), got, want[name].mean[0], 1e-12)
					}
				}
			}
		}
	}
}

// A term that only this test knows, grouping the unlabeled anchors alone, is measured by the Meter.
func TestMeanAttractionOfUnlabeledGroups(t *testing.T) {
	d := Design{Labeled: 2, Unlabeled: 2, Prior: 0.35, SameView: 0.3}
	o := pucl.Objective{Name: "unlabeled groups", Attract: pucl.ByLabel(pucl.OwnViews, pucl.UnlabeledMean), Repel: pucl.LogPartition}
	r, err := meterOf(t, o, 0.5).Exact(quartet(), d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := MeanAttraction(quartet(), d, 0.5, Grouping{Unlabeled: true})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "attraction", got, r.Attraction.Mean.Value, 1e-12)
}

func TestPositiveShare(t *testing.T) {
	near(t, "2 of 2, 3 of 6", Design{Labeled: 2, Unlabeled: 6, Prior: 0.5}.PositiveShare(), 5.0/8, 1e-15)
	near(t, "nothing unlabeled", Design{Labeled: 2, Scheme: SingleDataset, Prior: 1, LabelRate: 1}.PositiveShare(), 1, 0)
	// Of 10 examples of a single data set with π = 0.5 and c = 0.4, two are labeled in the mean, of the other eight three
	// are positive.
	near(t, "single data set", Design{Labeled: 2, Unlabeled: 8, Prior: 0.5, Scheme: SingleDataset, LabelRate: 0.4}.PositiveShare(), 0.5, 1e-15)
}

func TestMeanAttractionRefuses(t *testing.T) {
	_, err := MeanAttraction(Population{}, Design{Unlabeled: 1}, 1, Grouping{})
	wantError(t, "population", err, "at least one atom")
	_, err = MeanAttraction(quartet(), Design{}, 1, Grouping{})
	wantError(t, "design", err, "0 labeled")
	_, err = MeanAttraction(quartet(), Design{Unlabeled: 1}, 0, Grouping{})
	wantError(t, "temperature", err, "τ = 0")
}
