package papers

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/stl10"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
)

// builtIn is data available on every machine.
var builtIn = Data{Benchmark: "FMNIST-I", Files: BuiltIn, Labeled: 200, HeldOut: 0.1}

// Data are split according to the protocol.
func TestProtocol(t *testing.T) {
	o := expect.Must(builtIn.open(3))(t)
	expect.Equal(t, [2]int{o.train.NumLabeled(), o.train.NumUnlabeled()},
		[2]int{200, 7200}, "labeled and unlabeled to learn from")
	expect.Equal(t, [2]int{o.held.NumLabeled(), o.held.NumUnlabeled()},
		[2]int{20, 800}, "labeled and unlabeled held out")
	positives := 0
	for _, positive := range o.truth {
		if positive {
			positives++
		}
	}
	for what, prior := range map[string]float64{
		"to learn from": o.train.Prior, "held out": o.held.Prior, "to test on": float64(positives) / float64(o.test.Len()),
	} {
		expect.That(t, math.Abs(prior-0.3) <= 1e-12, "a share of %g is positive %s", prior, what)
	}
	// No image is in two parts, and the labeled ones are also among the unlabeled.
	seen := map[string]string{}
	for name, source := range map[string]datasets.Source{"train": o.train.images, "held": o.held.images, "test": o.test} {
		pixels := make([]uint8, 784)
		for i := range source.Len() {
			expect.NoError(t, source.ReadImage(i, pixels))
			other := seen[string(pixels)]
			expect.Require(t, other == "" || other == name, "image %d of %s is in %s too", i, name, other)
			seen[string(pixels)] = name
		}
	}
	unlabeled := o.train.Index[200:]
	expect.That(t, slices.Contains(unlabeled, o.train.Index[0]), "a labeled image is not among the unlabeled")
}

// The seed determines all draws.
func TestSeeds(t *testing.T) {
	var heldOut, labeled []string
	for _, seed := range []uint64{1, 1, 2} {
		o := expect.Must(builtIn.open(seed))(t)
		held := expect.Must(read(o.held.images, rows.All(o.held.images.Len())))(t)
		image := expect.Must(read(o.train.images, o.train.Index[:1]))(t)
		heldOut, labeled = append(heldOut, string(held)), append(labeled, string(image))
	}
	expect.That(t, heldOut[0] == heldOut[1] && labeled[0] == labeled[1], "seed 1 gives other data the second time")
	expect.That(t, heldOut[0] != heldOut[2] && labeled[0] != labeled[2], "seeds 1 and 2 give the same data")
}

// A subset reads the images that it names.
func TestRows(t *testing.T) {
	images := &datasets.Images{
		Height: 1, Width: 1, Channels: 1, Classes: []string{"a", "b"}, Pixels: []uint8{10, 11, 12}, Labels: []int{0, 1, 0},
	}
	part := set{images, images.Labels, images.Classes}.rows([]int{2, 1})
	pixels, err := read(part, []int{1, 0, 1})
	if err != nil || !bytes.Equal(pixels, []byte{11, 12, 11}) || part.Len() != 2 || !slices.Equal(part.labels, []int{0, 1}) {
		t.Errorf("%d images, labels %d, pixels %d, %v", part.Len(), part.labels, pixels, err)
	}
}

// Missing data are reported with a remedy.
func TestMissingFiles(t *testing.T) {
	t.Setenv(datasets.EnvDataDir, t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, tt := range []struct {
		data Data
		want string
	}{
		{Data{Benchmark: "FMNIST-I", Files: Official}, "setup -data"},
		{Data{Benchmark: "CIFAR-I", Files: Official}, "setup -data=cifar-10"},
		{Data{Benchmark: "CIFAR-I", Files: JPEGCopies}, "do the runs of size paper"},
		{Data{Benchmark: "STL-II", Files: Official}, "setup -data=stl10"},
	} {
		_, err := tt.data.open(1)
		expect.That(t, errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), tt.want),
			"%v: %v, want %q in it", tt.data, err, tt.want)
	}
}

// If the JPEG copies of CIFAR-10 are on this machine, they are the copies of the committed results.
func TestJPEGCopies(t *testing.T) {
	data := Data{Benchmark: "CIFAR-I", Files: JPEGCopies, Labeled: 1000, HeldOut: 0.1}
	o, err := data.open(1)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("CIFAR-10 is not on this machine")
	}
	if err != nil && strings.Contains(err.Error(), "there are the runs of size paper") {
		t.Skip("CIFAR-10 is on this machine in other files: ", err)
	}
	expect.NoError(t, err)
	expect.Equal(t, [4]int{o.train.NumLabeled(), o.train.NumUnlabeled(), o.held.Len(), o.test.Len()},
		[4]int{1000, 45_000, 5100, 10_000}, "labeled, unlabeled, held out and to test on")
	expect.That(t, o.train.Prior == 0.4 && o.note == "CIFAR-10 (JPEG copies)", "π = %g, %s", o.train.Prior, o.note)
}

// In STL-10 most images have unknown classes: they are unlabeled, and the prior is the paper's estimate.
func TestUnknownClasses(t *testing.T) {
	classes := append(stl10.Classes(), stl10.UnlabeledClass)
	var labels []int
	for i := range 110 {
		labels = append(labels, i%11)
	}
	images := &datasets.Images{Height: 1, Width: 1, Channels: 1, Classes: classes, Pixels: make([]uint8, 110), Labels: labels}
	data := Data{Benchmark: "STL-I", Files: Official, Labeled: 20, HeldOut: 0.1}
	b := expect.Must(datasets.FindBenchmark(data.Benchmark))(t)
	p := expect.Must(data.split(b, set{images, labels, classes}, 20, 1))(t)
	unknown := 0
	for _, u := range p.Unknown {
		if u {
			unknown++
		}
	}
	expect.That(t, p.NumLabeled() == 20 && p.NumUnlabeled() == 110 && unknown == 10 && p.Prior == 0.51,
		"%d labeled, %d unlabeled, %d of them unknown, π = %g", p.NumLabeled(), p.NumUnlabeled(), unknown, p.Prior)
}

// Every point of a figure is a setting of the grid. Runs at the usual rate are those of the baselines' grid, and all
// others name their rate.
func TestCorruption(t *testing.T) {
	grid := expect.Must(Corruption(experiment.Laptop))(t)
	whole := expect.Must(BaselinesOnTables(experiment.Laptop))(t)
	byPath := map[string]experiment.Run{}
	for _, run := range whole.Runs {
		byPath[run.Path()] = run
	}
	rates, shared := map[string]float64{}, 0
	for _, run := range grid.Runs {
		rates[run.Setting] = run.Config.(TableContrastive).Corrupted
		other, ok := byPath[run.Path()]
		if !ok {
			continue
		}
		shared++
		mine, err := run.Identity()
		theirs, otherErr := other.Identity()
		expect.That(t, err == nil && otherErr == nil && len(mine.Differences(theirs)) == 0,
			"%s is another run among the baselines: %v, %v, %v", run, mine.Differences(theirs), err, otherErr)
	}
	expect.That(t, len(grid.Runs) == 150 && shared == 30,
		"%d runs, %d of them shared; want 150 and 30", len(grid.Runs), shared)
	for _, set := range uciSets() {
		sweep := expect.Must(OverCorruption(set.name))(t)
		for _, rate := range CorruptionRates() {
			if got, ok := rates[sweep.Setting(rate)]; !ok || got != rate {
				t.Errorf("%s: runs at a corruption rate of %v, want %v", sweep.Setting(rate), got, rate)
			}
		}
	}
	const want = `there are no rows of "mushrom" (did you mean "mushroom"?)`
	expect.Error(t, expect.Err(OverCorruption("mushrom")), want)
}

// The rate is selected by seed among the ends of runs, by the maximum of the rule's criterion; a seed that lacks a rate
// does not count.
func TestChosenRates(t *testing.T) {
	cells := &experiment.Cells{}
	for seed := range uint64(3) {
		for i, rate := range CorruptionRates() {
			set := uciSets()[1]
			if set.corruption = rate; seed == 2 && rate == 0.8 {
				continue
			}
			of := func(step, right int, auc, agree float64) experiment.Point {
				return experiment.Point{
					Step: step, Head: PUPL, Values: map[string]float64{experiment.ViewsAgree: agree}, PU: &evaluate.PU{ProxyAUC: auc},
					Test: &evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalsePositive: 100 - right}},
				}
			}
			end := of(2, 10*i+int(seed), float64(i%3), 0)
			if rate == 0.6 { // in the middle of the run all values are better
				cells.Standings = append(cells.Standings, standing(set, seed, of(1, 99, 9, 9), end))
				continue
			}
			end.Values[experiment.ViewsAgree] = -float64(i)
			cells.Standings = append(cells.Standings, standing(set, seed, end))
		}
	}
	chosen := uciSets()[1].overRates(cells, PUPL)
	for rule, want := range map[experiment.Rule]float64{experiment.ProxyAUC: 0.205, experiment.Agreement: 0.005, experiment.Oracle: 0.405} {
		if got := chosen.At("mushroom, 1000 labeled", "PUCL", PUPL, rule).Accuracy; got.Seeds != 2 || math.Abs(got.Mean-want) > 1e-12 {
			t.Errorf("%s chooses an accuracy of %v, want %g of 2 seeds", rule, got, want)
		}
	}
	text := expect.Must(DrawChosenRates(cells, PUPL).Text())(t)
	for _, want := range []string{"always 0.6", "mushroom", "31.0 ± 2.5", "40.5"} {
		expect.That(t, strings.Contains(text, want), "no %q in\n%s", want, text)
	}
}

// standing returns a done run of PUCL on a table.
func standing(set uciSet, seed uint64, points ...experiment.Point) experiment.Standing {
	return experiment.Standing{Run: set.contrastive(pucl.PUCL(), experiment.Laptop, seed), State: experiment.Done, Result: &experiment.Result{Points: points}}
}
