package pipeline

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/train"
)

// What cannot be is known before anything is trained, and says what to do.
func TestDataIsCheckedFirst(t *testing.T) {
	images, _ := striped(10, 3)
	features := blobRows(10)
	changed := func(change func(*Images)) Images {
		d := images
		change(&d)
		return d
	}
	rows := func(x *mat.Dense) Features {
		return Features{Batches: twoBlobs{}, X: x, Labeled: features.Labeled}
	}
	same := mat.NewDense(10, 2, slices.Repeat([]float64{0.1}, 20))
	infinite := mat.DenseCopyOf(features.X)
	infinite.Set(3, 1, math.Inf(1))
	huge := mat.DenseCopyOf(features.X)
	huge.Set(3, 1, 1e40)
	tiny := mat.DenseCopyOf(features.X)
	tiny.Scale(1e-60, tiny)
	three := expect.Must(probe.New(3, 2))(t)
	tuned := Config{FineTune: &classify.FineTuneConfig{}}
	for says, tt := range map[string]struct {
		data   Data
		config Config
	}{
		"no data; … give Images or Features":                                                             {nil, Config{}},
		"no images given … set Images to those of a loader":                                              {Images{}, tuned},
		"the pointer is nil) … give those of a loader":                                                   {changed(func(d *Images) { d.Images = (*datasets.Images)(nil) }), Config{}},
		"10 examples and 3 entries in Labeled … give one for each, in the same order":                    {changed(func(d *Images) { d.Labeled = d.Labeled[:3] }), Config{}},
		"2 examples and 10 entries in Labeled … give one for each, in the same order":                    {changed(func(d *Images) { d.Index = []int{0, 1} }), Config{}},
		"example 1 is image 10; … 10 images are numbered":                                                {changed(func(d *Images) { d.Index = []int{0, 10} }), Config{}},
		"example 0 is image -1 … 10 images are numbered from 0 to 9":                                     {changed(func(d *Images) { d.Index = []int{-1, 1} }), Config{}},
		"0 labeled and 10 unlabeled examples … at least one of each is needed":                           {changed(func(d *Images) { d.Labeled = make([]bool, 10) }), Config{}},
		"all 10 images are the same, so that nothing tells them apart; … give images that differ":        {changed(func(d *Images) { d.Index = slices.Repeat([]int{3}, 10) }), Config{}},
		"but batches of images of 6×24×1 … both must be of one size":                                     {changed(func(d *Images) { d.Batches = flat{} }), Config{}},
		"there is no Space(7) … cluster EncoderOutputs or Projections":                                   {images, Config{Space: 7}},
		"feature 1 of row 3 is 1e+40, which is too large for float32 … scale the features down":          {rows(huge), Config{}},
		"the same in float32, in which encoders compute; … bring the features to mean 0":                 {rows(tiny), Config{}},
		"training the probe: probe: the probe has no weights; … make one with":                           {features, Config{Probe: probe.Config{Start: &probe.Probe{}}}},
		"training the probe: probe: Start has 3 outputs, … Binary makes 1 of 2":                          {features, Config{Probe: probe.Config{Start: three}}},
		"no rows of features given … set X to at least one":                                              {rows(nil), Config{}},
		"rows of 3 features, but batches of rows of 2 … both must have the same columns":                 {rows(mat.NewDense(10, 3, nil)), Config{}},
		"row 3 holds +Inf in column 1 … rows must be finite: did training diverge?":                      {rows(infinite), Config{}},
		"all 10 rows are the same, so that nothing tells them apart … give features that differ":         {rows(same), Config{}},
		"clustering: cluster: -1 random starts … Restarts must be 1 or more, or 0 for 1":                 {images, Config{Cluster: cluster.Config{Restarts: -1}}},
		"training the probe: probe: -1 epochs, 1024 rows a batch; … there must be 1":                     {images, Config{Probe: probe.Config{Epochs: -1}}},
		"training the probe: probe: learning rate -1 … the rate must be positive, and both finite":       {features, Config{Probe: probe.Config{Epochs: 1, LearningRate: -1}}},
		"training the probe: probe: risk: class prior … give the share of positives, known or estimated": {features, Config{Risk: risk.NNPU(1.5, risk.SigmoidLoss)}},
		"training the probe: probe: risk: class prior π = 0 is … give the share of positives":            {features, Config{Risk: risk.NNPU(0, risk.SigmoidLoss)}},
		"training the probe: probe: the risk, at … no risk":                                              {features, Config{Risk: func(_, _ *graph.Node) *graph.Node { panic("no risk") }}},
		"fine-tuning: classify: -1 epochs of batches … there must be 1 or more of both":                  {images, Config{FineTune: &classify.FineTuneConfig{Epochs: -1}}},
		"fine-tuning takes images; … leave FineTune nil fo":                                              {features, tuned},
		"no data, as the pointer is nil; … give Images or Features":                                      {(*Images)(nil), Config{}},
		"no data, as the pointer is … give Images or Features":                                           {(*Features)(nil), Config{}},
		"fine-tuning takes images; … leave FineTune nil for":                                             {&features, tuned},
		"classify: -1 epochs of batches … there must be 1 or more of both":                               {&images, Config{FineTune: &classify.FineTuneConfig{Epochs: -1}}},
		"-1 epochs of batches … there must be 1 or more of both":                                         {struct{ Images }{images}, Config{FineTune: &classify.FineTuneConfig{Epochs: -1}}},
	} {
		tt.config.Pretrain.Observer = train.OnStep(func(train.Progress) { t.Errorf("%s: trained", says) })
		refusal.Check(t, refusal.Err(Run(context.Background(), enginetest.Open(t), tt.data, tt.config)), says)
	}
}

// flat are batches of images of another shape.
type flat struct{ stripes }

func (flat) ImageShape() (height, width, channels int) { return 6, 24, 1 }

// The error of every stage comes through with the name of the stage.
func TestErrorsNameTheStage(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	good, _ := striped(30, 6)
	second := func(_ any, err error) error { return err }
	m := expect.Must(train.Pretrain(ctx, eng, good.Batches, quick(1)))(t)
	change := func(change func(*Config)) Config {
		config := Config{Pretrain: quick(3), Probe: probe.Config{Epochs: 2}}
		change(&config)
		return config
	}
	run := func(data Data, c func(*Config)) error { return second(Run(ctx, eng, data, change(c))) }
	fit := func(data Data, c func(*Config)) error { return second(Fit(ctx, eng, m, data, change(c))) }
	broken, damaged := good, good
	broken.Batches = stripes{stripesOf(8, 2), 1}
	damaged.Images = memory{pixels: good.Images.(memory).pixels, bad: 5}
	same := func(*Config) {}
	for _, tt := range []struct {
		err    error
		prefix string
		cause  error // "" for none that can be compared
	}{
		{run(broken, same), "pipeline: pretraining: train: batch 1: ", errBroken},
		{run(good, func(c *Config) { c.Pretrain.Tau = -1 }), "pipeline: pretraining: train: temperature", nil},
		{run(Images{Images: good.Images, Labeled: good.Labeled}, same), "pipeline: pretraining: no Batches", nil},
		{fit(damaged, same), "pipeline: embedding: train: reading image 5: ", errBroken},
		{fit(good, func(c *Config) { c.Cluster.Restarts = -1 }), "pipeline: clustering: cluster: -1 random starts", nil},
		{fit(good, func(c *Config) { c.Probe.Epochs = -1 }), "pipeline: training the probe: probe: ", nil},
		{fit(good, func(c *Config) { c.FineTune = &classify.FineTuneConfig{Epochs: -1} }), "pipeline: fine-tuning: classify: -1 epochs", nil},
		{second(Run(ctx, nil, good, Config{})), "pipeline: pretraining: engine: no engine", nil},
		{second(Fit(ctx, eng, nil, good, Config{})), "pipeline: no model; ", nil},
		{second(Fit(ctx, eng, m, blobRows(10), Config{})), "pipeline: embedding: train: this model embeds images", nil},
	} {
		expect.That(t, tt.err != nil && strings.HasPrefix(tt.err.Error(), tt.prefix) && (tt.cause == nil ||
			errors.Is(tt.err, tt.cause)), "error %v does not begin with %q", tt.err, tt.prefix)
	}
	var d *train.Diverged
	if err := run(good, func(c *Config) { c.Pretrain.LearningRate = 1e39 }); !errors.As(err, &d) || !strings.HasPrefix(err.Error(), "pipeline: pretraining: ") {
		t.Error(err)
	}
	err := fit(good, func(c *Config) { c.FineTune = &classify.FineTuneConfig{Epochs: 1, LearningRate: 1e39} })
	expect.That(t, errors.As(err, &d) && strings.HasPrefix(err.Error(), "pipeline: fine-tuning: "), "%v", err)
}

// stopAt stops a run after a step, or, of step 0, when it has ended.
type stopAt struct {
	step int
	stop func()
}

func (s stopAt) Start(train.Progress) {}
func (s stopAt) Step(p train.Progress) {
	if p.Step == s.step {
		s.stop()
	}
}
func (s stopAt) End(train.Progress, error) {
	if s.step == 0 {
		s.stop()
	}
}

// A context that is done ends pretraining, fine-tuning and what lies between; asked for again with folders for checkpoints, the
// run goes on and ends as one that was never stopped.
func TestContextStops(t *testing.T) {
	eng := enginetest.Open(t)
	data, _ := striped(30, 6)
	config := func(folder string) Config {
		c := Config{Pretrain: quick(4), Cluster: cluster.Config{Seed: 3}, Probe: probe.Config{Epochs: 3},
			FineTune: &classify.FineTuneConfig{Epochs: 2, BatchSize: 15}}
		if folder != "" {
			c.Pretrain.Checkpoint, c.FineTune.Checkpoint = folder+"/pretraining", folder+"/tuning"
		}
		return c
	}
	folder := t.TempDir()
	enough := errors.New("the user had enough")
	for _, tt := range []struct {
		name   string
		where  func(c *Config, stop func())
		prefix string
		steps  int // of a training that is stopped
	}{
		{"before", func(_ *Config, stop func()) { stop() }, "pipeline: stopped before pretraining (the user had enough): context canceled", 0},
		{"pretraining", func(c *Config, stop func()) { c.Pretrain.Observer = stopAt{2, stop} }, "pipeline: pretraining: ", 2},
		{"between", func(c *Config, stop func()) { c.Pretrain.Observer = stopAt{0, stop} }, "pipeline: stopped before embedding (the user", 0},
		{"fine-tuning", func(c *Config, stop func()) { c.FineTune.Observer = stopAt{3, stop} }, "pipeline: fine-tuning: ", 3},
	} {
		ctx, stop := context.WithCancelCause(context.Background())
		c := config(folder)
		tt.where(&c, func() { stop(enough) })
		r, err := Run(ctx, eng, data, c)
		expect.That(t, r == nil && errors.Is(err, context.Canceled) && errors.Is(err, enough) &&
			strings.HasPrefix(err.Error(), tt.prefix), "%s: %v, %v", tt.name, r, err)
		if stopped := (*train.Stopped)(nil); errors.As(err, &stopped) != (tt.steps > 0) || tt.steps > 0 && stopped.Step != tt.steps {
			t.Errorf("%s: %+v", tt.name, err)
		}
	}
	whole := expect.Must(Run(context.Background(), eng, data, config("")))(t)
	resumed := expect.Must(Run(context.Background(), eng, data, config(folder)))(t)
	sameModels(t, resumed.Classifier.Model, whole.Classifier.Model)
	expect.That(t, reflect.DeepEqual(resumed.Classifier.Probe, whole.Classifier.Probe) &&
		reflect.DeepEqual(resumed.Probe, whole.Probe), "the run that was stopped ends in another classifier")
}

func TestNoContext(t *testing.T) {
	eng, good := enginetest.Open(t), blobRows(10)
	var never context.Context
	for _, err := range []error{refusal.Err(Run(never, eng, good, Config{})), refusal.Err(Fit(never, eng, &train.Model{}, good, Config{})),
		refusal.Err(CrossFit(never, eng, good, CrossFitConfig{}))} {
		refusal.Check(t, err, "no context … give context.Background()")
	}
}
