package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/train"
)

// samplingBias names the grid of the effects of sampling bias.
const samplingBias = "sampling-bias"

// OracleNegatives is the method that draws negatives of other classes only: pucl.TrueNegatives.
const OracleNegatives = "true negatives"

// TenClasses is the τ⁺ of ten classes of equal size.
const TenClasses = 0.1

// balanced is the correction that is measured along uncorrected runs.
var balanced = pucl.DCLConfig{TauPlus: TenClasses}

// CorrectionsOfTen are the τ⁺ of DCL above 0, which is ssCL, on ten classes: the true one, those in the code of DCL's
// authors and more.
func CorrectionsOfTen() []float64 { return []float64{0.05, TenClasses, 0.2, 0.3} }

// DCLWith names the method DCL with a τ⁺ and M other views that represent the class.
func DCLWith(tauPlus float64, positives int) string {
	return fmt.Sprintf("%s, M = %d", DCLAt(tauPlus), positives)
}

// BatchesOf names a setting with that batch size, if it is not the usual one.
func BatchesOf(task string, size int) string { return fmt.Sprintf("%s, batches of %d", task, size) }

// ViewsOf names a setting with that number of views of each image.
func ViewsOf(task string, views int) string { return fmt.Sprintf("%s, %d views", task, views) }

// UnlabeledTasks are the tasks of [SamplingBias] at a size: ten classes without labels.
func UnlabeledTasks(size experiment.Size) []string {
	switch size {
	case experiment.Smoke:
		return []string{"FMNIST built in"}
	case experiment.Laptop:
		return []string{"FMNIST", "CIFAR-10"}
	}
	return []string{"CIFAR-10, ResNet-50"}
}

// unlabeled returns the setting of one of [UnlabeledTasks]: all images of ten classes, none labeled, in unforced
// batches of 256.
//
// Size paper has the CIFAR-10 parameters of Chuang and others: Adam with a rate of 0.001, 400 epochs, τ = 0.5 and
// ResNet-50.
func unlabeled(size experiment.Size, task string) (setting, error) {
	var s setting
	switch {
	case size == experiment.Smoke:
		s = smoke()
		s.Bank = 500
	case size == experiment.Laptop && task == "CIFAR-10":
		s = laptopCIFAR("CIFAR-I", nil)
		s.Encoder = encoder.SmallCNN{Width: 16, Mean: 0.4734, Std: 0.2516}
		s.Pretrain.Steps, s.Bank, s.Seeds = 400, 5000, 3
	case size == experiment.Laptop:
		s = laptopFashion("FMNIST-I", 0, nil)
		s.Encoder = encoder.SmallCNN{Width: 16, Mean: 0.286, Std: 0.353}
		s.Pretrain.Steps, s.Bank, s.Seeds = 400, 5000, 3
	case size == experiment.Paper:
		s = paper("CIFAR-I", 0)
		s.Encoder = encoder.ResNet{Depth: 50, CIFAR: true, Pixels: cifarPixels()}
		s.Batch.Size = 256
		s.Pretrain = train.Config{Tau: 0.5, Recipe: augment.CIFAR(32), Steps: 400 * 45_000 / s.Batch.Size}
		s.Seeds = 3
	default:
		return s, size.Unknown()
	}
	s.Name, s.Data.Labeled, s.Data.Single, s.Batch.Share = task+", ten classes", 0, true, 0
	return s.withBenchmark()
}

// sized returns a setting with another batch size and the same number of images in all.
func (s setting) sized(batch int) setting {
	s.Pretrain.Steps = s.Pretrain.Steps * s.Batch.Size / batch
	s.Name, s.Batch.Size = BatchesOf(s.Name, batch), batch
	return s
}

// viewed returns a setting with that number of views of each image, and as many views in a batch as with two per image.
func (s setting) viewed(views int) setting {
	s.Name, s.Batch.Size, s.Pretrain.Views = ViewsOf(s.Name, views), 2*s.Batch.Size/views, views
	return s
}

// dclRun returns a run of DCL; M = 0 means all other views.
func (s setting) dclRun(method string, tauPlus float64, positives int, seed uint64) experiment.Run {
	config := pucl.DCLConfig{TauPlus: tauPlus, Positives: positives}
	return s.classed(method, pucl.DCL(config), config, seed)
}

// costs returns the runs of a setting with plain, corrected and true negatives.
func (s setting) costs(seed uint64) []experiment.Run {
	return []experiment.Run{
		s.classed("ssCL", pucl.SSCL(), balanced, seed), s.classed(OracleNegatives, pucl.TrueNegatives(0), balanced, seed),
		s.dclRun(DCLAt(TenClasses), TenClasses, 0, seed),
	}
}

// SamplingBias measures the cost of false negatives, after the figure on sampling bias of "Debiased Contrastive
// Learning". ssCL uses all other images as negatives, DCL corrects for negatives of the anchor's class, and true
// negatives requires the classes. DCL varies τ⁺ and M; all three vary the batch size at a constant number of images in
// all.
func SamplingBias(size experiment.Size) (experiment.Grid, error) {
	grid := experiment.Grid{Name: samplingBias, Size: size}
	var list []setting
	for _, task := range UnlabeledTasks(size) {
		s, err := unlabeled(size, task)
		if err != nil {
			return grid, err
		}
		list = append(list, s)
	}
	first := list[0]
	for seed := uint64(1); seed <= uint64(first.Seeds); seed++ {
		for _, s := range list {
			grid.Runs = append(grid.Runs, s.costs(seed)...)
		}
		if size == experiment.Smoke {
			continue
		}
		for _, tauPlus := range CorrectionsOfTen() {
			if tauPlus != TenClasses {
				grid.Runs = append(grid.Runs, first.dclRun(DCLAt(tauPlus), tauPlus, 0, seed))
			}
		}
		four := first.viewed(4)
		grid.Runs = append(grid.Runs, four.classed("ssCL", pucl.SSCL(), balanced, seed))
		for _, positives := range []int{1, 3} {
			grid.Runs = append(grid.Runs, four.dclRun(DCLWith(TenClasses, positives), TenClasses, positives, seed))
		}
		for _, batch := range batchSizes(first) {
			grid.Runs = append(grid.Runs, first.sized(batch).costs(seed)...)
		}
	}
	return grid, nil
}

// batchSizes are the batch sizes of [SamplingBias] in addition to the setting's.
func batchSizes(s setting) []int { return []int{s.Batch.Size / 4, s.Batch.Size * 2} }
