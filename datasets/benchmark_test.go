package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// The paper's appendix A.7.1 and figures verbatim, and its priors.
func TestBenchmarks(t *testing.T) {
	for _, tt := range []struct {
		name, set, positive, negative string
		prior, paper                  float64
	}{
		{"FMNIST-I", "Fashion-MNIST", "[1 4 7]", "[]", 0.3, 0.3},
		{"FMNIST-II", "Fashion-MNIST", "[0 2 3 5 6 8 9]", "[]", 0.7, 0.7},
		{"CIFAR-I", "CIFAR-10", "[0 1 8 9]", "[]", 0.4, 0.4},
		{"CIFAR-II", "CIFAR-10", "[2 3 4 5 6 7]", "[]", 0.6, 0.6},
		{"STL-I", "STL-10", "[0 2 3 8 9]", "[]", 0.5, 0.51},
		{"STL-II", "STL-10", "[1 4 5 6 7]", "[]", 0.5, 0.49},
		{"CIFAR-0", "CIFAR-10", "[5]", "[3]", 0.5, 0},
		{"CIFAR-easy", "CIFAR-10", "[3 5]", "[0 2]", 0.5, 0},
		{"CIFAR-medium", "CIFAR-10", "[0 3 5]", "[2]", 0.75, 0},
		{"CIFAR-hard", "CIFAR-10", "[0 3]", "[2 5]", 0.5, 0},
		{"Woof-vs-Nette", "Imagenette and Imagewoof", "[10 11 12 13 14 15 16 17 18 19]", "[]", 9025. / 18494, 0},
		{"Dogs-vs-Non-Dogs", "Imagenette and Imagewoof", "[1 10 11 12 13 14 15 16 17 18 19]", "[]", 9980. / 18494, 0},
	} {
		b := expect.Must(FindBenchmark(strings.ToUpper(tt.name)))(t)
		expect.That(t, b.Name == tt.name && b.Set == tt.set && fmt.Sprint(b.Positive) == tt.positive &&
			fmt.Sprint(b.Negative) == tt.negative, "%s: %s %s %v %v", tt.name, b.Name, b.Set, b.Positive, b.Negative)
		expect.That(t, math.Abs(b.Prior()-tt.prior) <= 1e-15 && b.PaperPrior == tt.paper,
			"%s: prior %v, paper's %v; want %v, %v", tt.name, b.Prior(), b.PaperPrior, tt.prior, tt.paper)
	}
	expect.Equal(t, len(Benchmarks()), 12, "benchmarks")
	expect.Error(t, expect.Err(FindBenchmark("CIFAR-III")), `"CIFAR-III"`, "FMNIST-I,", "CIFAR-0", "Dogs-vs-Non-Dogs")
}

// The paper's names of the classes of Figure 8 and of CIFAR-0.
func TestBenchmarkNames(t *testing.T) {
	for name, want := range map[string]string{
		"CIFAR-0":      "dog against cat",
		"CIFAR-easy":   "cat dog against airplane bird",
		"CIFAR-medium": "airplane cat dog against bird",
		"CIFAR-hard":   "airplane cat against bird dog",
		"CIFAR-I":      "airplane automobile ship truck against bird cat deer dog frog horse",
		"FMNIST-I":     "Trouser Coat Sneaker against T-shirt/top Pullover Dress Sandal Shirt Bag Ankle boot",
		"STL-II":       "bird deer dog horse monkey against airplane car cat ship truck",
	} {
		b := expect.Must(FindBenchmark(name))(t)
		expect.Equal(t, strings.Join(b.PositiveNames(), " ")+" against "+strings.Join(b.NegativeNames(), " "),
			want, "%s", name)
	}
}

// training returns classes of examples in the counts of the benchmark's training part.
func training(b Benchmark) []int {
	counts := b.set.counts
	if counts == nil { // ten of Imagenette and ten of Imagewoof; only the sums and the springers matter
		counts = slices.Repeat([]int{902}, 20)
		counts[1] = 955
		counts[0], counts[19] = 9469-955-8*902, 9025-9*902
	}
	var labels []int
	for class, n := range counts {
		labels = append(labels, slices.Repeat([]int{class}, n)...)
	}
	return labels
}

// The prior of a benchmark equals that of a split of as many images; a smaller set of the same classes also works.
func TestBenchmarkPriorIsThatOfTheSplit(t *testing.T) {
	for _, b := range Benchmarks() {
		cfg := expect.Must(b.Config(b.Classes))(t)
		cfg.Labeled, cfg.Draw = 100, Balanced
		s := expect.Must(NewSplit(training(b), b.Classes, cfg))(t)
		spread, err := NewSplit(b.Labels(), b.Classes, cfg) // without the counts of each class
		expect.Require(t, err == nil, "%s: %v", b.Name, err)
		for _, s := range []*Split{s, spread} {
			expect.That(t, s.Prior == b.Prior() && s.NumUnlabeled() == b.Positives+b.Negatives &&
				s.Config.Name == b.Name, "%s: split %v, benchmark %v", b.Name, s, b)
		}
	}
	stl := expect.Must(FindBenchmark("stl-i"))(t)
	cfg := expect.Must(stl.Config(stl.Classes))(t)
	cfg.Labeled = 3000
	_, err := NewSplit(training(stl), stl.Classes, cfg)
	expect.Error(t, err, "label 3000", "hold 2500", "largest possible")
}

// Labels spreads each side evenly over its classes.
func TestBenchmarkLabels(t *testing.T) {
	b := expect.Must(FindBenchmark("CIFAR-hard"))(t)
	counts := make([]int, len(b.Classes))
	for _, class := range b.Labels() {
		counts[class]++
	}
	expect.Equal(t, counts, []int{5000, 0, 5000, 5000, 0, 5000, 0, 0, 0, 0}, "images by class")
}

func TestBenchmarkConfig(t *testing.T) {
	cifar0 := expect.Must(FindBenchmark("CIFAR-0"))(t)
	cfg, err := cifar0.Config([]string{"Cat", "ship", "DOG"})
	expect.That(t, err == nil && fmt.Sprint(cfg.Positive, cfg.Negative) == "[2] [0]", "%+v, %v", cfg, err)
	expect.Error(t, expect.Err(cifar0.Config([]string{"cat", "ship"})), "CIFAR-0", `"dog"`, "cat, ship")
	expect.Error(t, expect.Err(cifar0.Config([]string{"cat", "dog", "cat"})), `"cat"`, "twice", "0 and 2")

	woof := expect.Must(FindBenchmark("Woof-vs-Nette"))(t)
	folders := slices.Sorted(slices.Values(woofAndNetteSet.folders)) // numbered as in one folder of all classes
	cfg = expect.Must(woof.Config(folders))(t)
	for _, class := range cfg.Positive { // Imagewoof's classes are dogs
		if folder := folders[class]; folder < "n02086" || folder > "n02116" || folder == "n02102040" {
			t.Errorf("class %d is %s", class, folder)
		}
	}
	expect.That(t, len(cfg.Positive) == 10 && cfg.Negative == nil, "%+v", cfg)
	expect.Error(t, expect.Err(woof.Config(folders[:19])), "Woof-vs-Nette needs")
	_, err = woof.Config(append(slices.Clone(folders), "n00000000"))
	expect.Error(t, err, "n00000000", "not known to be negative")
	expect.Error(t, expect.Err(Benchmark{Name: "mine"}.Config(folders)), "mine", "FindBenchmark")
}

func TestBenchmarksAreCopies(t *testing.T) {
	Benchmarks()[0].Positive[0] = 9
	Benchmarks()[0].Classes[0] = "x"
	b := Benchmarks()[0]
	expect.That(t, b.Positive[0] == 1 && b.Classes[0] == "T-shirt/top", "a caller can change the benchmarks")
}

// Every split of every figure can be drawn and has the quantities that the caption fixes.
func TestFigureExperiments(t *testing.T) {
	for _, figure := range []string{"1", "4", "5", "6", "8", "9", "11"} {
		experiments := expect.Must(FigureExperiments(figure))(t)
		for _, e := range experiments {
			b := expect.Must(FindBenchmark(e.Benchmark))(t)
			configs := expect.Must(e.Configs(b.Classes, 3))(t)
			expect.Equal(t, len(configs), max(1, len(e.Priors))*len(e.Points), "%v", e)
			labels := training(b)
			for i, cfg := range configs {
				s, err := NewSplit(labels, b.Classes, cfg)
				if err != nil {
					t.Errorf("%v: %v", e, err)
					continue
				}
				point := e.Points[i%len(e.Points)]
				switch {
				case e.Setting == SingleDataset && s.Len() != b.Positives+b.Negatives:
					t.Errorf("%v: N = %d is not all %d", s, s.Len(), b.Positives+b.Negatives)
				case e.Setting == CaseControl && figure == "5" && s.NumUnlabeled() != b.Positives+b.Negatives:
					t.Errorf("%v: n_U is not fixed to all", s)
				case (figure == "4" || figure == "11") && s.NumUnlabeled() != 10_000:
					t.Errorf("%v: n_U is not 10,000", s)
				case len(e.Priors) > 0 && s.Prior != e.Priors[i/len(e.Points)]:
					t.Errorf("%v: π is not %v", s, e.Priors[i/len(e.Points)])
				case point.Labeled > 0 && s.NumLabeled() != point.Labeled:
					t.Errorf("%v: n_P is not %d", s, point.Labeled)
				case point.Labeled == 0 && s.Gamma() != point.Gamma:
					t.Errorf("%v: γ is not %v", s, point.Gamma)
				}
				expect.That(t, s.Config.Seed == 3, "%v: seed", s)
			}
		}
	}
	a := expect.Must(FigureExperiments("4b"))(t)
	expect.That(t, len(a) == 1 && len(a[0].Priors) >= 3 && len(a[0].Points) == 1, "figure 4b: %v", a)
	five := expect.Must(FigureExperiments("5"))(t)
	expect.That(t, len(five) == 4, "figure 5: %v", five)
	expect.Error(t, expect.Err(FigureExperiments("7")), `"7"`, "4a", "9b", "11")
	expect.Error(t, expect.Err(Experiment{Benchmark: "none"}.Configs(nil, 0)), `"none"`)
}
