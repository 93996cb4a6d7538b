package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/train"
)

// debiasedPos names the grid of SimCLR with false positives.
const debiasedPos = "debiased-pos"

// The methods of [FalsePositives] and [Recovery]. DebiasedPos has several readings (interpretations), see [readings].
const (
	NPair     = "N-pair"
	LNeg      = "L_Neg"        // pucl.DCL with the share of a class
	LPosShare = "L_Pos, share" // pucl.DebiasedPos with τ⁺ the share of a class, as the slides define it
	// LPosRate has the τ⁺ of pucl.TauPlusForRate, given the rate of false positives; it is ssCL if that is 0.
	LPosRate  = "L_Pos, rate"
	LPosPairs = "L_Pos, pairs" // with the observed positive for the mixture, given the rate
	// LPosClasses has τ⁺ the share of a class and negatives of other classes only: a reference, not a method.
	LPosClasses = "L_Pos, classes known"
)

// sharePerClass is the τ⁺ of ten classes of equal size.
const sharePerClass = 0.1

// reading is one interpretation of a loss of the slides for training.
type reading struct {
	method    string
	objective pucl.Objective
	positives *pucl.DebiasedPosConfig // nil for losses other than L_Pos
}

// debiasedPositives returns L_Pos in one reading. The name of the objective includes its parameter.
func debiasedPositives(method string, c pucl.DebiasedPosConfig) reading {
	o := pucl.DebiasedPos(c)
	o.Name = fmt.Sprintf("%s, τ⁺ = %.6g", method, c.TauPlus)
	return reading{method, o, &c}
}

// readings returns the losses of the slides for a rate ρ of false positives and batches of the given size.
//
// The slides do not define τ⁺ and τ⁻ in training, nor the samples of p and p⁻. Their definition makes τ⁺ the share of a
// class. The observed positives are also a mixture, in which the share of false ones is ρ; this mixture is the one that
// false positives concern. Given ρ, the loss may subtract the share of the negatives from the observed positive
// (pairs), or from all rows (rate). Without false positives, pairs and rate both equal ssCL, and pairs is omitted.
func readings(rate float64, batch int) []reading {
	dcl := pucl.DCL(pucl.DCLConfig{TauPlus: sharePerClass})
	dcl.Name = fmt.Sprintf("%s, τ⁺ = %g", LNeg, sharePerClass)
	list := []reading{
		{NPair, pucl.NPair(), nil},
		{LNeg, dcl, nil},
		debiasedPositives(LPosRate, pucl.DebiasedPosConfig{TauPlus: pucl.TauPlusForRate(rate, batch, 2)}),
		debiasedPositives(LPosShare, pucl.DebiasedPosConfig{TauPlus: sharePerClass}),
	}
	if rate > 0 {
		list = append(list, debiasedPositives(LPosPairs, pucl.DebiasedPosConfig{TauPlus: 1 - rate, Mixture: pucl.ObservedPositives}))
	}
	return append(list, debiasedPositives(LPosClasses, pucl.DebiasedPosConfig{TauPlus: sharePerClass, Negatives: pucl.OtherClasses}))
}

// FalsePositiveRates are the ρ of [FalsePositives], including 0.
func FalsePositiveRates() []float64 { return []float64{0, 0.2, 0.4} }

// FalsePositiveTask is the task of [FalsePositives] at a size: images of ten classes without labels.
func FalsePositiveTask(size experiment.Size) string {
	return map[experiment.Size]string{experiment.Smoke: "FMNIST built in", experiment.Laptop: "FMNIST", experiment.Paper: "CIFAR-10"}[size]
}

// FalsePositivesAt names the setting of a task with that rate of false positives.
func FalsePositivesAt(task string, rate float64) string {
	return fmt.Sprintf("%s, ρ = %g", task, rate)
}

// FalsePositives is the classification experiment of the slides on SimCLR: the N-pair loss, L_Neg and the readings of
// L_Pos. In a fraction ρ of the pairs the second view is of an image of another class. A linear probe evaluates
// accuracy and top-k.
func FalsePositives(size experiment.Size) (experiment.Grid, error) {
	grid := experiment.Grid{Name: debiasedPos, Size: size}
	s, err := ofPairs(size)
	if err != nil {
		return grid, err
	}
	rates := []float64{0.4, 0, 0.2}
	if size == experiment.Smoke {
		rates = rates[:1]
	}
	for seed := uint64(1); seed <= uint64(s.Seeds); seed++ {
		for _, rate := range rates {
			for _, r := range readings(rate, s.Batch.Size) {
				grid.Runs = append(grid.Runs, s.pairs(r, FalsePositivesAt(FalsePositiveTask(size), rate), rate, seed))
			}
		}
	}
	return grid, nil
}

// ofPairs returns the common setting of all runs of a size: SimCLR on all images of ten classes. At size laptop it is
// the network of the paper's code, with few steps; at size paper it is that of Chuang and others for CIFAR-10,
// ResNet-50, for 400 epochs.
func ofPairs(size experiment.Size) (setting, error) {
	var s setting
	switch size {
	case experiment.Smoke:
		s = smoke()
		s.Pretrain.Steps, s.Batch.Size, s.Bank = 4, 64, 200
	case experiment.Laptop:
		s = laptopFashion("FMNIST-I", 0, nil)
		s.Encoder = encoder.LeNet{Pixels: encoder.Pixels{Mean: []float64{0.5}, Std: []float64{0.5}}}
		s.Pretrain.Steps, s.Batch.Size, s.Bank, s.Seeds = 3000, 128, 5000, 3
	case experiment.Paper:
		s = paper("CIFAR-I", 0)
		s.Encoder = encoder.ResNet{Depth: 50, CIFAR: true, Pixels: cifarPixels()}
		s.Batch.Size, s.Seeds = 256, 3
		s.Pretrain = train.Config{Tau: 0.5, Recipe: augment.CIFAR(32), Steps: 400 * 45_000 / s.Batch.Size}
	default:
		return s, size.Unknown()
	}
	s.Data.Labeled, s.Data.Single, s.Batch.Share = 0, true, 0
	return s.withBenchmark()
}
