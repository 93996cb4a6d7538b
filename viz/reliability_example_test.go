package viz_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// A classifier whose probabilities can be believed, and one that is twice as sure as it should be.
func ExampleReliability() {
	rng := rand.New(rand.NewPCG(21, 22))
	const n = 1500
	curve := func(name string, sureness float64) viz.ReliabilityCurve {
		probabilities, truth := make([]float64, n), make([]bool, n)
		for i := range n {
			logit := 1.2 * rng.NormFloat64()
			truth[i] = rng.Float64() < 1/(1+math.Exp(-logit))
			probabilities[i] = 1 / (1 + math.Exp(-sureness*logit))
		}
		bins, err := evaluate.MeasureReliability(probabilities, truth, 10)
		if err != nil {
			log.Fatal(err)
		}
		k := viz.ReliabilityCurve{Name: fmt.Sprintf("%s, error %.3f", name, bins.CalibrationError()), Probabilities: probabilities}
		for _, b := range bins {
			low, high, err := evaluate.Wilson(b.Positive, int(math.Round(n*b.Share)), 0.95)
			if err != nil {
				log.Fatal(err)
			}
			k.Bins = append(k.Bins, viz.ReliabilityBin{Mean: b.Mean, Positive: b.Positive, Low: low, High: high})
		}
		return k
	}
	f, err := viz.Reliability(viz.Figure{Title: "Which probabilities can be believed"}, curve("calibrated", 1), curve("too sure", 2))
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(f, "testdata/reliability.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}
