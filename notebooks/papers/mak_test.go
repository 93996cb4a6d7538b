package papers

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/mak"
	"github.com/puclab/puclab/pucl/train"
)

// smallWorld returns a setting of the smoke size with even shorter runs.
func smallWorld(t *testing.T) openWorld {
	t.Helper()
	list := expect.Must(openWorlds(experiment.Smoke))(t)
	w := list[0]
	w.Encoder, w.Pretrain.Steps, w.Batch, w.ShotEpochs, w.ProbeEpochs = encoder.MLP{Hidden: []int{}, Dim: 8}, 4, 64, 1, 5
	w.Data.PerClass, w.Data.Outliers, w.Budget = 10, 60, 40
	return w
}

// The seed set has the specified long tail. The pool has its images of each class and its outliers, and no image of the
// seed set. The training data of evaluations are balanced.
func TestOpenWorldData(t *testing.T) {
	w := smallWorld(t)
	data := expect.Must(w.Data.open(3))(t)
	defer data.closed()
	counts := expect.Must(datasets.ExponentialCounts(10, 200, 100))(t)
	of := func(labels []int, classes int) []int {
		n := make([]int, classes)
		for _, class := range labels {
			n[class]++
		}
		return n
	}
	seed := of(data.seed.labels, 10)
	for rank, class := range data.tail.Ranks {
		expect.That(t, seed[class] == counts[rank],
			"rank %d, class %d: %d images, want %d", rank, class, seed[class], counts[rank])
	}
	expect.That(t, !slices.IsSorted(data.tail.Ranks), "the classes have the ranks of their numbers, whatever the seed")
	if got := of(data.pool.labels, 11); got[0] != 10 || got[9] != 10 || got[10] != 60 || data.pool.Len() != 160 {
		t.Errorf("the pool has %d images of the classes", got)
	}
	known := map[string]bool{}
	size := 28 * 28
	image := make([]uint8, size)
	for i := range data.seed.Len() {
		expect.NoError(t, data.seed.ReadImage(i, image))
		known[string(image)] = true
	}
	for i := range data.pool.Len() {
		err := data.pool.ReadImage(i, image)
		expect.That(t, err == nil && !known[string(image)], "image %d of the pool is in the seed set, %v", i, err)
	}
	if probe, shots := of(data.probe.labels, 10), of(data.shots.Labels, 10); slices.Min(probe) != 50 || slices.Max(probe) != 50 || slices.Min(shots) != 5 ||
		slices.Max(shots) != 5 || len(data.shots.Pixels) != 50*size {
		t.Errorf("a probe learns from %d, fine-tuning from %d", probe, shots)
	}
}

// Groups are means over their classes, Std is the population's of the three, All the mean over classes.
func TestByGroup(t *testing.T) {
	c := evaluate.Classes{Recall: []float64{0.9, 0.5, 0.7, 0.2}}
	got := byGroup(c, datasets.ShotsByCount([]int{500, 50, 101, 5}))
	for name, want := range map[Measure]float64{ManyAccuracy: 0.8, MediumAccuracy: 0.5, FewAccuracy: 0.2, AllAccuracy: 0.575, GroupStd: math.Sqrt(0.06)} {
		expect.That(t, math.Abs(got[string(name)]-want) <= 1e-12, "%s: %g, want %g", name, got[string(name)], want)
	}
	if got := byGroup(c, datasets.ShotsByCount([]int{500, 500, 500, 500})); len(got) != 2 || got[string(ManyAccuracy)] != got[string(AllAccuracy)] {
		t.Errorf("of one group: %v", got)
	}
}

// firstWorld is All by both protocols of a small run of MAK. It changes only with openWorldVersion.
var firstWorld = [2]float64{0.4755, 0.314}

// A run evaluates by both protocols, records its selection, and resumes to the same numbers. The encoder of the seed
// set is stored for other runs, and recomputed if the file is damaged. Without added images the encoder is evaluated
// unchanged.
func TestOpenWorldRun(t *testing.T) {
	expect.Slow(t)
	eng, w := enginetest.Open(t), smallWorld(t)
	run := w.run("MAK", mak.MAK, true, 1)
	place := experiment.Place{Folder: t.TempDir(), Shared: t.TempDir(), Keep: t.TempDir()}
	outcome := expect.Must(run.Train(t.Context(), eng, withObserver(place)))(t)
	for i, head := range []string{LinearSeparability, FewShots} {
		values := experiment.LastPoint(outcome.Points, head).Values
		if all := values[string(AllAccuracy)]; len(values) != 5 || math.Abs(all-firstWorld[i]) > 0.01 {
			t.Errorf("version %d, %s: %v, before All = %g: a change of numbers raises the version", openWorldVersion, head, values, firstWorld[i])
		}
	}
	values := experiment.LastPoint(outcome.Points, Choosing).Values
	sum := values[ShareOf("many")] + values[ShareOf("medium")] + values[ShareOf("few")] + values[ShareOf("outliers")]
	expect.That(t, math.Abs(sum-1) <= 1e-9 && values[ECLEOf("1")] > 0 && values[ECLEOf("outliers")] > 0 &&
		values[DistanceOf("10")] >= 0, "what was chosen: %v", values)
	lines := expect.Must(os.ReadFile(filepath.Join(place.Keep, "chosen.csv")))(t)
	expect.That(t, strings.Count(string(lines), "\n") == w.Budget+1, "the selection that is kept: %q", lines)
	checkResumes(t, eng, run, outcome, 3)
	kept, err := filepath.Glob(filepath.Join(place.Shared, "*.model"))
	expect.Require(t, err == nil && len(kept) == 1, "shared: %q, %v", kept, err)
	none, err := w.run(NothingAdded, 0, false, 1).Train(t.Context(), eng, withObserver(experiment.Place{Folder: t.TempDir(), Shared: place.Shared}))
	expect.That(t, err == nil && len(none.Points) == 2 && none.Points[0].Step == 4,
		"with nothing added: %+v, %v", none, err)
	expect.NoError(t, os.WriteFile(kept[0], []byte("damaged"), 0o644))
	data := expect.Must(w.Data.open(1))(t)
	defer data.closed()
	again, err := w.seedEncoder(t.Context(), eng, withObserver(experiment.Place{Folder: t.TempDir(), Shared: place.Shared}), data, 1)
	expect.NoError(t, err)
	mended := expect.Must(train.LoadModel(kept[0], nil))(t)
	expect.That(t, slices.Equal(mended.History.Losses, again.History.Losses), "the damaged file is not made anew")
}

// withObserver returns a place with a silent observer.
func withObserver(p experiment.Place) experiment.Place {
	p.Observer = train.OnStep(func(train.Progress) {})
	return p
}

// The encoder of the seed set is shared by all pools, rules and evaluations, and differs for another seed set or
// training.
func TestSeedEncoderIsShared(t *testing.T) {
	eng, w := enginetest.Open(t), smallWorld(t)
	name := func(w openWorld, seed uint64) string {
		return expect.Must(w.seedPath(eng, experiment.Place{Shared: "shared"}, seed))(t)
	}
	other, longer, steps := w, w, w
	other.Data.PerClass, other.Data.Outliers, other.Data.From, other.Data.Shots, other.Budget, other.ShotEpochs, other.Name = 5, 0, "", 3, 7, 2, "other"
	longer.Data.Most = 150
	steps.Pretrain.Steps = 5
	expect.That(t, name(other, 1) == name(w, 1), "another pool has another encoder of the seed set")
	names := []string{name(w, 1), name(w, 2), name(longer, 1), name(steps, 1)}
	slices.Sort(names)
	expect.That(t, len(slices.Compact(names)) == 4, "of another seed set: %q", names)
}

// In every published row Std is close to the standard deviation of the three groups, and All to their mean, weighted by
// their classes in ImageNet-100-LT: this detects copying errors.
func TestPublishedWorlds(t *testing.T) {
	var weight [3]float64
	for _, shots := range datasets.ShotsByCount(datasets.ImageNet100LTCounts()) {
		weight[shots] += 0.01
	}
	seen := map[[4]string]bool{}
	for _, p := range PublishedWorlds() {
		groups := evaluate.Classes{Recall: p.Mean[:3]}
		values := byGroup(groups, []datasets.Shots{datasets.Many, datasets.Medium, datasets.Few})
		all := weight[0]*p.Mean[0] + weight[1]*p.Mean[1] + weight[2]*p.Mean[2]
		expect.That(t, math.Abs(values[string(GroupStd)]-p.Mean[3]) <= 0.25 && math.Abs(all-p.Mean[4]) <= 0.45,
			"%s, %d, %s, %s: Std %.2f and All %.2f by the groups, %g and %g printed", p.Pool, p.Budget, p.Method,
			p.Protocol, values[string(GroupStd)], all, p.Mean[3], p.Mean[4])
		expect.That(t, slices.Max(p.Spread[:]) <= 1.7 && slices.Min(p.Spread[:]) > 0 &&
			slices.Contains(OpenWorldMethods(), p.Method), "%+v", p)
		key := [4]string{p.Pool, p.Method, p.Protocol, string(rune('0' + p.Budget/10_000))}
		expect.That(t, !seen[key], "%v is there twice", key)
		seen[key] = true
	}
	expect.That(t, len(seen) == 24, "%d rows", len(seen))
}

// worldCells returns two seeds of some runs of the laptop grid.
func worldCells(t *testing.T) *experiment.Cells {
	t.Helper()
	grid := expect.Must(OpenWorld(experiment.Laptop))(t)
	cells := &experiment.Cells{}
	for _, run := range grid.Runs {
		s := experiment.Standing{Run: run, State: experiment.Missing}
		if run.Seed < 3 && run.Setting == PoolOf("FMNIST", MixedPool) {
			lead := map[string]float64{NothingAdded: 0, "random": 0.02, "MAK": 0.05}[run.Method] + float64(run.Seed)/1000
			values := map[string]float64{"Many": 0.8 + lead, "Medium": 0.7 + lead, "Few": 0.6 + lead, "Std": 0.08 - lead, "All": 0.72 + lead}
			s.State, s.Result = experiment.Done, &experiment.Result{Points: []experiment.Point{{Head: LinearSeparability, Values: values}}}
			if run.Method == "MAK" {
				s.Result.Points = append(s.Result.Points, experiment.Point{Head: Choosing, Values: map[string]float64{
					ShareOf("many"): 0.1, ShareOf("medium"): 0.2, ShareOf("few"): 0.3, ShareOf("outliers"): 0.4,
					ECLEOf("1"): 1 + lead, ECLEOf("10"): 2, ECLEOf("outliers"): 3, DistanceOf("1"): 0.5}})
			}
		}
		cells.Standings = append(cells.Standings, s)
	}
	return cells
}

// Tables, bars and curves contain the numbers of the runs and the published numbers.
func TestDrawOpenWorld(t *testing.T) {
	cells, setting := worldCells(t), PoolOf("FMNIST", MixedPool)
	table := DrawOpenWorld(cells, setting, LinearSeparability, ImageNetPool, 10_000)
	holds(t, table, "MAK", "85.2 ± 0.6", "77.2 ± 0.6")
	holds(t, table, "MAK, published", "76.1 ± 0.6", "72.7 ± 0.4")
	holds(t, table, "none, published", "71.2 ± 0.8", "67.3 ± 0.7")
	if table := DrawOpenWorld(cells, setting, FewShots, "", 0); len(table.Rows) != 7 || !table.Cells[0][0].Missing {
		t.Errorf("%+v", table)
	}
	pools := DrawPools(cells, "FMNIST", LinearSeparability)
	holds(t, pools, "mixed pool, random", "74.2 ± 0.6", "2.0")
	holds(t, pools, "outlier pool, random", "n/a")
	parts, bars, words := ChosenOf(cells, setting)
	expect.That(t, len(parts) == 4 && len(bars) == 1 && math.Abs(bars[0].Parts[2]-30) <= 1e-9 &&
		words == "MAK: 10% many, 20% medium, 30% few, 40% outliers", "%v, %+v, %q", parts, bars, words)
	curve, outliers, err := ScoresBySize(cells, setting, "MAK", "ECLE", ECLEOf)
	expect.That(t, err == nil && slices.Equal(curve.X, []float64{10, 1000}) && math.Abs(curve.Y[1]-1.0515) <= 1e-9 &&
		len(outliers) == 1 && outliers[0].Y == 3, "%+v, %v, %v", curve, outliers, err)
	if _, _, err := ScoresBySize(cells, "nowhere", "MAK", "ECLE", ECLEOf); err == nil {
		t.Error("the scores of no run")
	}
	verdicts := DrawVerdicts(verdictsOf(openWorldGrid, cells), openWorldGrid, experimentMAK)
	holds(t, verdicts, setting+": linear separability: MAK's images are better than random ones", "77.15 ± 0.64", "74.15 ± 0.64", "3.00", "agrees")
	holds(t, verdicts, setting+": linear separability: MAK balances: random images leave a larger Std", "5.85 ± 0.64", "3.00", "agrees")
}

// ImageNet-100 is numbered by rank, the other classes follow, and missing data are reported.
func TestImageNet100(t *testing.T) {
	names := strings.Fields(imageNet100)
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	expect.Require(t, len(sorted) == 100, "%d classes", len(sorted))
	classes := append([]string{"n00000001"}, slices.Sorted(slices.Values(names))...)
	all := set{Source: &datasets.Images{Height: 1, Width: 1, Channels: 1}, classes: classes}
	for class := range classes {
		all.labels = append(all.labels, class, class)
	}
	learn, others, err := ofImageNet100(all)
	expect.Require(t, err == nil && len(learn.labels) == 200 && len(others.labels) == 2 && others.labels[0] == 100 &&
		len(learn.classes) == 100, "%v, %v, %v", learn.labels, others.labels, err)
	for i, row := range learn.Source.(subset).index {
		expect.That(t, classes[all.labels[row]] == names[learn.labels[i]], "row %d of %s has rank %d, which is %s", row,
			classes[all.labels[row]], learn.labels[i], names[learn.labels[i]])
	}
	all.classes = classes[:50]
	all.labels = all.labels[:100]
	_, _, err = ofImageNet100(all)
	refusal.Check(t, err, "ImageNet lacks the class … give all classes of ImageNet-100")
	t.Setenv(datasets.EnvDataDir, t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err = OpenWorldData{Set: imageNet}.open(1)
	refusal.Check(t, err, "ImageNet is not on this machine … a sub-folder for each class")
	_, err = OpenWorldData{Set: "Fashion-MNIST", Files: BuiltIn, Most: 10_000, Imbalance: 100}.open(1)
	refusal.Check(t, err, "the open world of Fashion-MNIST: … so that is the largest possible number")
}
