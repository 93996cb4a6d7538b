package papers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/mak"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// The heads of a run of [OpenWorld]: how the encoder is judged, and what was chosen for it.
const (
	LinearSeparability = "linear separability" // a linear probe of frozen features, which learns from a balanced set
	FewShots           = "few-shot"            // encoder and head, fine-tuned on a few images of each class
	Choosing           = "images chosen"       // no classifier
)

// The values of the heads that classify: shares of test images, mean over the classes of a group.
const (
	ManyAccuracy   Measure = "Many"   // of classes with more than 100 images in the seed set
	MediumAccuracy Measure = "Medium" // with 20 to 100
	FewAccuracy    Measure = "Few"    // with fewer than 20
	GroupStd       Measure = "Std"    // population standard deviation of the three: lower is more balanced
	AllAccuracy    Measure = "All"    // mean over all classes
)

// Measures lists the values of the heads that classify, in the order of the published tables.
func Measures() []Measure {
	return []Measure{ManyAccuracy, MediumAccuracy, FewAccuracy, GroupStd, AllAccuracy}
}

// The values of [Choosing] are shares of the images chosen by the group of their class, and of outliers; and the mean ECLE and the mean D of all
// images of the pool by the rank of their class in the seed set, where the rule looks at them.
const ofOutliers = "outliers"

// ShareOf, ECLEOf and DistanceOf name values of [Choosing]: of a group, "many", "medium", "few" or "outliers"; and of a rank, from 1 on,
// or "outliers".
func ShareOf(group string) string { return "share of " + group }

// ECLEOf names the mean ECLE of images of a rank.
func ECLEOf(rank string) string { return "ECLE, " + rank }

// DistanceOf names the mean distance from the nearest prototype of images of a rank.
func DistanceOf(rank string) string { return "D, " + rank }

// run returns the run of a rule in a setting; nothing is added where there is no rule.
func (w openWorld) run(method string, rule mak.Rule, added bool, seed uint64) experiment.Run {
	config := OpenWorldConfig{
		OpenWorldData: w.Data, Tau: w.Pretrain.Tau, Encoder: encoder.Describe(w.Encoder), Views: w.Pretrain.Recipe.String(), Update: update(w.Pretrain),
		Batch: w.Batch, Steps: w.Pretrain.Steps, Epochs: w.Epochs, ProbeEpochs: w.ProbeEpochs, ShotEpochs: w.ShotEpochs,
	}
	if added {
		config.Rule, config.Budget, config.Passes, config.Compared = rule.String(), w.Budget, w.Passes, w.Compared
	}
	return experiment.Run{
		Setting: w.Name, Method: method, Seed: seed, Version: openWorldVersion, Config: config,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return w.train(ctx, eng, place, rule, added, seed)
		},
	}
}

// train does a run.
func (w openWorld) train(ctx context.Context, eng *engine.Engine, place experiment.Place, rule mak.Rule, added bool, seed uint64) (
	_ *experiment.Outcome, err error) {
	data, err := w.Data.open(seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, data.closed()) }()
	model, err := w.seedEncoder(ctx, eng, place, data, seed)
	if err != nil {
		return nil, err
	}
	var points []experiment.Point
	if added {
		chosen, err := w.choose(eng, model, data, rule, seed)
		if err != nil {
			return nil, err
		}
		if place.Keep != "" {
			if err := keepSelection(filepath.Join(place.Keep, "chosen.csv"), chosen); err != nil {
				return nil, err
			}
		}
		points = append(points, data.whatWasChosen(chosen))
		if model, err = w.pretrain(ctx, eng, place, "pretraining", union{data.seed.Source, subset{data.pool.Source, chosen.Images()}}, seed); err != nil {
			return nil, err
		}
	}
	judged, err := w.judge(ctx, eng, model, data, seed)
	if err != nil {
		return nil, err
	}
	record := model.Record
	record.Data = data.note + "; " + record.Data
	return &experiment.Outcome{Record: record, Points: append(points, judged...)}, nil
}

// keepSelection writes a selection to a file.
func keepSelection(path string, s *mak.Selection) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(s.WriteCSV(f), f.Close())
}

// seedEncoder returns an encoder of the seed set alone. All runs of a seed begin with it, so it is kept for the others.
func (w openWorld) seedEncoder(ctx context.Context, eng *engine.Engine, place experiment.Place, data *world, seed uint64) (*train.Model, error) {
	path, err := w.seedPath(eng, place, seed)
	if err != nil {
		return nil, err
	}
	if path != "" {
		if model, err := train.LoadModel(path, nil); err == nil { // an error is one of a file that is not there or not whole
			return model, nil
		}
	}
	model, err := w.pretrain(ctx, eng, place, "seed", data.seed.Source, seed)
	if err == nil && path != "" {
		err = model.Save(path)
	}
	return model, err
}

// seedPath returns the file of the encoder of the seed set, "" where none is kept: a name for all that its numbers follow from, and so one
// for all pools, rules and judges.
func (w openWorld) seedPath(eng *engine.Engine, place experiment.Place, seed uint64) (string, error) {
	if place.Shared == "" {
		return "", nil
	}
	alone := w
	alone.Data.PerClass, alone.Data.Outliers, alone.Data.From, alone.Data.Balanced, alone.Data.Shots = 0, 0, "", 0, 0
	alone.ProbeEpochs, alone.ShotEpochs = 0, 0
	identity, err := strictjson.Marshal(alone.run("", 0, false, seed).Config)
	environment := fmt.Sprintf("%+v, seed %d, version %d", eng.Environment(), seed, openWorldVersion)
	return filepath.Join(place.Shared, "seed-set-"+train.Digest(identity, []byte(environment))[:16]+".model"), err
}

// pretrain trains an encoder on images without labels.
func (w openWorld) pretrain(ctx context.Context, eng *engine.Engine, place experiment.Place, folder string, images datasets.Source, seed uint64) (*train.Model, error) {
	c := w.Pretrain
	c.Encoder, c.Seed, c.Observer = w.Encoder, seed, place.Observer
	if w.Epochs > 0 {
		c.Steps = w.Epochs * images.Len() / w.Batch
	}
	c.Checkpoint, c.CheckpointEvery = filepath.Join(place.Folder, folder), checkpointEvery
	n := images.Len()
	nobody := &datasets.Split{Index: rows.All(n), Of: n, Labeled: make([]bool, n), Positive: make([]bool, n)}
	batches, err := datasets.NewSourceBatches(images, nobody, datasets.BatchConfig{Size: w.Batch, Seed: seed})
	if err != nil {
		return nil, err
	}
	return train.Pretrain(ctx, eng, withoutLabels{batches}, c)
}

// withoutLabels are batches of images of which nothing is known.
type withoutLabels struct{ *datasets.Batches }

// String describes the batches for the record of a result.
func (u withoutLabels) String() string {
	return fmt.Sprintf("batches of %d unlabeled images", u.Size())
}

// union is the images of two sources, one after the other.
type union struct{ first, second datasets.Source }

func (u union) Len() int                             { return u.first.Len() + u.second.Len() }
func (u union) Shape() (height, width, channels int) { return u.first.Shape() }

func (u union) ReadImage(i int, dst []uint8) error {
	if n := u.first.Len(); i >= n {
		return u.second.ReadImage(i-n, dst)
	}
	return u.first.ReadImage(i, dst)
}

// choose chooses images of the pool.
func (w openWorld) choose(eng *engine.Engine, m *train.Model, data *world, rule mak.Rule, seed uint64) (*mak.Selection, error) {
	own, err := m.EmbedImages(eng, data.seed.Source)
	if err != nil {
		return nil, err
	}
	other, err := m.EmbedImages(eng, data.pool.Source)
	if err != nil {
		return nil, err
	}
	pool := mak.Pool{Features: other.H}
	if rule == mak.MAK || rule == mak.TailnessProximity || rule == mak.OnlyTailness {
		views, err := w.projections(eng, m, data.pool.Source, seed)
		if err != nil {
			return nil, err
		}
		tailness, err := mak.ECLE(eng, func(pass int) (first, second *mat.Dense, err error) { return views[2*pass], views[2*pass+1], nil },
			mak.ECLEConfig{Passes: w.Passes, Tau: w.Pretrain.Tau, Batch: w.Compared, Seed: seed})
		if err != nil {
			return nil, err
		}
		pool.ECLE = tailness.Mean
	}
	return mak.Select(own.H, pool, mak.Config{Budget: w.Budget, Rule: rule, Seed: seed, Engine: eng})
}

// eclestream keeps the draws of these views apart from others of the same seed.
const eclestream = 0xec1e

// viewBytes is how many bytes of views are made at once.
const viewBytes = 1 << 26

// projections returns the projections of the 2M views of every image, view by view.
func (w openWorld) projections(eng *engine.Engine, m *train.Model, images datasets.Source, seed uint64) ([]*mat.Dense, error) {
	in, count := shape(images), 2*w.Passes
	recipe, _ := w.Pretrain.Recipe.Split()
	rngs, out := make([]*rand.Rand, count), make([]*mat.Dense, count)
	for v := range rngs {
		rngs[v] = rand.New(rand.NewPCG(seed, eclestream<<16+uint64(v)))
	}
	together := max(1, viewBytes/(count*in.Height*in.Width*in.Channels))
	for first := 0; first < images.Len(); first += together {
		n := min(together, images.Len()-first)
		index := make([]int, n)
		for i := range index {
			index[i] = first + i
		}
		pixels, err := read(images, index)
		if err != nil {
			return nil, err
		}
		var numbers []float32
		for _, rng := range rngs {
			more, err := recipe.Draw(rng, in, n)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, more...)
		}
		views, _, err := recipe.Bytes(eng, bytes.Repeat(pixels, count), in, numbers)
		if err != nil {
			return nil, err
		}
		e, err := m.Embed(eng, views)
		if err != nil {
			return nil, err
		}
		_, d := e.Z.Dims()
		for v := range out {
			if out[v] == nil {
				out[v] = mat.NewDense(images.Len(), d, nil)
			}
			out[v].Slice(first, first+n, 0, d).(*mat.Dense).Copy(e.Z.Slice(v*n, (v+1)*n, 0, d))
		}
	}
	return out, nil
}

// whatWasChosen measures a selection by the true classes, which the selection has not seen.
func (data *world) whatWasChosen(s *mak.Selection) experiment.Point {
	groups, rank := datasets.ShotsByCount(data.tail.Counts), make([]int, len(data.tail.Ranks))
	for r, class := range data.tail.Ranks {
		rank[class] = r
	}
	values := map[string]float64{}
	for _, group := range []string{datasets.Many.String(), datasets.Medium.String(), datasets.Few.String(), ofOutliers} {
		values[ShareOf(group)] = 0
	}
	for _, image := range s.Images() {
		group := ofOutliers
		if class := data.pool.labels[image]; class < len(groups) {
			group = groups[class].String()
		}
		values[ShareOf(group)] += 1 / float64(len(s.Chosen))
	}
	ecle, distance, _ := s.Scores()
	for name, scores := range map[string][]float64{"ECLE": ecle, "D": distance} {
		if math.IsNaN(scores[0]) {
			continue
		}
		of := map[string][]float64{}
		for image, class := range data.pool.labels {
			key := ofOutliers
			if class < len(rank) {
				key = fmt.Sprint(rank[class] + 1)
			}
			of[key] = append(of[key], scores[image])
		}
		for key, v := range of {
			if name == "ECLE" {
				values[ECLEOf(key)] = stat.Mean(v, nil)
			} else {
				values[DistanceOf(key)] = stat.Mean(v, nil)
			}
		}
	}
	return experiment.Point{Head: Choosing, Values: values}
}

// judge judges an encoder by both protocols, after the last epoch of each.
func (w openWorld) judge(ctx context.Context, eng *engine.Engine, m *train.Model, data *world, seed uint64) ([]experiment.Point, error) {
	learn, err := m.EmbedImages(eng, data.probe.Source)
	if err != nil {
		return nil, err
	}
	test, err := m.EmbedImages(eng, data.test.Source)
	if err != nil {
		return nil, err
	}
	classes := len(data.tail.Counts)
	linear, err := probe.Fit(eng, rows.Unit(learn.H), data.probe.labels, classes, probe.Config{Epochs: w.ProbeEpochs, Seed: seed})
	if err != nil {
		return nil, err
	}
	separable, err := linear.ScoreClasses(rows.Unit(test.H), data.test.labels)
	if err != nil {
		return nil, err
	}
	tuned, err := classify.FineTune(ctx, eng, m, data.shots, classes, classify.FineTuneConfig{Epochs: w.ShotEpochs, Seed: seed})
	if err != nil {
		return nil, err
	}
	embedded, err := tuned.Model.EmbedImages(eng, data.test.Source)
	if err != nil {
		return nil, err
	}
	few, err := tuned.Probe.ScoreClasses(rows.Unit(embedded.H), data.test.labels)
	if err != nil {
		return nil, err
	}
	groups, steps := datasets.ShotsByCount(data.tail.Counts), len(m.History.Losses)
	return []experiment.Point{
		{Head: LinearSeparability, Step: steps, Values: byGroup(separable, groups)},
		{Head: FewShots, Step: steps, Values: byGroup(few, groups)},
	}, nil
}

// byGroup returns the [Measures] of a classifier. A group of no class is left out, and then there is no Std.
func byGroup(c evaluate.Classes, groups []datasets.Shots) map[string]float64 {
	values := map[string]float64{string(AllAccuracy): stat.Mean(c.Recall, nil)}
	var means []float64
	for shots, name := range []Measure{ManyAccuracy, MediumAccuracy, FewAccuracy} {
		var of []float64
		for class, recall := range c.Recall {
			if groups[class] == datasets.Shots(shots) {
				of = append(of, recall)
			}
		}
		if len(of) > 0 {
			values[string(name)] = stat.Mean(of, nil)
			means = append(means, values[string(name)])
		}
	}
	if len(means) == 3 {
		_, values[string(GroupStd)] = stat.PopMeanStdDev(means, nil)
	}
	return values
}
