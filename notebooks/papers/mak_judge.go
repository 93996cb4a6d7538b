package papers

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/mak"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// The heads of a run of [OpenWorld]: two evaluations of the encoder, and the selected images.
const (
	LinearSeparability = "linear separability" // a linear probe of frozen features, trained on a balanced set
	FewShots           = "few-shot"            // encoder and head, fine-tuned on a few images of each class
	Choosing           = "images chosen"       // not a classifier
)

// The values of the classifier heads: fractions of test images, as the mean over the classes of a group.
const (
	ManyAccuracy   Measure = "Many"   // of classes with more than 100 images in the seed set
	MediumAccuracy Measure = "Medium" // with 20 to 100
	FewAccuracy    Measure = "Few"    // with fewer than 20
	GroupStd       Measure = "Std"    // population standard deviation of the three: lower is more balanced
	AllAccuracy    Measure = "All"    // mean over all classes
)

// Measures lists the values of the classifier heads, in the order of the published tables.
func Measures() []Measure {
	return []Measure{ManyAccuracy, MediumAccuracy, FewAccuracy, GroupStd, AllAccuracy}
}

// The values of [Choosing] are the shares of the chosen images by the group of their class, and of outliers. If the
// rule uses them, they also include the mean ECLE and the mean D of all images of the pool by the rank of their class
// in the seed set.
const ofOutliers = "outliers"

// ShareOf names the share of a group, "many", "medium", "few" or "outliers".
func ShareOf(group string) string { return "share of " + group }

// ECLEOf names the mean ECLE of images of a rank, from 1 on, or of "outliers".
func ECLEOf(rank string) string { return "ECLE, " + rank }

// DistanceOf names the mean distance from the nearest prototype of images of a rank, from 1 on, or of "outliers".
func DistanceOf(rank string) string { return "D, " + rank }

// whatWasChosen evaluates a selection by the true classes, which the selection does not use.
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

// judge evaluates an encoder by both protocols, after the last epoch of each.
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

// byGroup returns the [Measures] of a classifier. A group without classes is omitted, and then there is no Std.
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
