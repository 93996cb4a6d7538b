package papers

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/pucl/vqa"
)

// answering names the grid of question answering, and the experiment of its claims.
const (
	answering           = "question-answering"
	experimentAnswering = "question answering"
)

// answeringVersion is the version of its runs; see experiment.Run.
const answeringVersion = 1

// AnswersAlone is the method that trains only on answers, without alignment, as the baseline.
const AnswersAlone = "answers alone"

// The measurements of a run in addition to the fraction of hits: the scores of the VQA challenge, from 0 to 1.
const (
	ConsensusScore   = "consensus"
	LeaveOneOutScore = "leave one out"
)

// Answering is the configuration of a run that trains a model to answer questions about images.
type Answering struct {
	Source         string  // of the questions: [Rendered], also meant by "", or [VQAv2]
	Images, Tested int     // training and test images; 0 means all of VQA v2
	Questions      int     // per rendered image
	Edge           int     // of an image in pixels
	Disagreement   float64 // of annotators, about rendered images
	FalseCaptions  float64 // fraction of the training images with another image's caption
	Objective      string  // of all six terms; "" for none
	Batch, Steps   int
	Rate           float64 // peak learning rate
	Dim, Layers    int     // of the encoders; 0 means ViT-B/16 and BERT-base with the weights of Hugging Face; see [Answering.Model]
}

// answeringAmounts are the amounts of training at each size, the seeds, and the fractions of false captions.
var answeringAmounts = map[experiment.Size]struct {
	Answering
	seeds  int
	shares []float64
}{
	experiment.Smoke:  {Answering{Source: Rendered, Images: 64, Tested: 32, Questions: 4, Edge: 32, Disagreement: 0.1, Batch: 16, Steps: 4, Rate: 1e-3, Dim: 16, Layers: 1}, 1, []float64{0.5}},
	experiment.Laptop: {Answering{Source: Rendered, Images: 4000, Tested: 1000, Questions: 4, Edge: 32, Disagreement: 0.1, Batch: 64, Steps: 3000, Rate: 1e-3, Dim: 64, Layers: 3}, 3, []float64{0, 0.25, 0.5}},
	// The slides state only data and model; batch, steps and rate are the smallest that approximate TCL's fine-tuning.
	experiment.Paper: {Answering{Source: VQAv2, Edge: 224, Batch: 64, Steps: 50_000, Rate: 2e-5}, 5, []float64{0, 0.25, 0.5}},
}

// LPosAt names the method L_Pos with a τ⁺.
func LPosAt(tauPlus float64) string { return fmt.Sprintf("L_Pos, τ⁺ = %g", tauPlus) }

// AnsweringTauPlus are the τ⁺ of L_Pos: two and four times the share of one image in a batch of 64; at that share L_Pos
// equals N-pair in comparisons of images with texts.
func AnsweringTauPlus() []float64 { return []float64{2.0 / 64, 4.0 / 64} }

// FalseCaptions names the setting with that fraction of false captions, of questions from a source.
func FalseCaptions(source string, share float64) string {
	return fmt.Sprintf("%s, %g%% false captions", source, 100*share)
}

// QuestionAnswering compares N-pair with L_Pos in all six comparisons of a question-answering model, over the fraction
// of images with another image's caption. It is the slides' experiment on VQA with rendered questions, for which the
// false pairs of an image and a text are known. A model trained on answers alone, which captions do not affect, is the
// baseline. At size paper it is VQA v2 itself, with captions of COCO, of which the same fractions are made false.
func QuestionAnswering(size experiment.Size) (experiment.Grid, error) {
	a, err := ofSize(answeringAmounts, size)
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: answering, Size: size}
	for seed := range uint64(a.seeds) {
		for _, share := range a.shares {
			c := a.Answering
			c.FalseCaptions = share
			grid.Runs = append(grid.Runs, c.run("N-pair", pucl.NPair(), seed+1))
			for _, tauPlus := range AnsweringTauPlus() {
				o := pucl.DebiasedPos(pucl.DebiasedPosConfig{TauPlus: tauPlus})
				o.Name = LPosAt(tauPlus)
				grid.Runs = append(grid.Runs, c.run(o.Name, o, seed+1))
			}
		}
		c := a.Answering
		c.FalseCaptions = a.shares[0]
		grid.Runs = append(grid.Runs, c.run(AnswersAlone, pucl.Objective{}, seed+1))
	}
	return grid, nil
}

// run returns the run of a seed.
func (c Answering) run(method string, o pucl.Objective, seed uint64) experiment.Run {
	c.Objective = o.Name
	return experiment.Run{
		Setting: FalseCaptions(c.Source, c.FalseCaptions), Method: method, Seed: seed, Version: answeringVersion, Config: c,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return c.learn(ctx, eng, place, o, seed)
		},
	}
}

// Model returns the configuration of the model, without initial weights.
func (c Answering) Model(o pucl.Objective, seed uint64) vqa.Config {
	m := vqa.Config{}
	if c.Dim == 0 {
		m = vqa.Base()
	}
	m.Align, m.AnswersOnly, m.Batch, m.Seed = o, o.Attract == nil, c.Batch, seed
	m.Settings = train.Settings{Steps: c.Steps, LearningRate: c.Rate}
	if c.Dim == 0 {
		return m
	}
	m.Image.Patch, m.Image.Heads, m.Image.Dim, m.Image.Layers, m.Image.Hidden = 8, 4, c.Dim, c.Layers, 2*c.Dim
	m.Text.Positions, m.Text.Segments, m.Text.Heads, m.Text.Dim, m.Text.Hidden = 32, 1, 4, c.Dim, 2*c.Dim
	m.Text.Layers, m.Text.Fusion = max(1, c.Layers-1), max(1, c.Layers-1)
	return m
}

// learn does a run and evaluates it at its end.
func (c Answering) learn(ctx context.Context, eng *engine.Engine, place experiment.Place, o pucl.Objective, seed uint64) (*experiment.Outcome, error) {
	learn, test, err := c.Draw(seed)
	if err != nil {
		return nil, err
	}
	config := c.Model(o, seed)
	if c.Dim == 0 {
		if config.Start.Image, config.Start.Text, err = baseWeights(); err != nil {
			return nil, err
		}
	}
	config.Settings.Observer = place.Observer
	config.Settings.Checkpoint, config.Settings.CheckpointEvery = filepath.Join(place.Folder, "answering"), checkpointEvery
	m, err := vqa.Train(ctx, eng, learn.Data, config)
	if err != nil {
		return nil, err
	}
	answers, err := m.Answer(eng, test.Images, test.Questions)
	if err != nil {
		return nil, err
	}
	point, err := test.judge(answers)
	if err != nil {
		return nil, err
	}
	point.Step = c.Steps
	m.Record.Data = c.Source + "; " + m.Record.Data
	return &experiment.Outcome{Record: m.Record, Points: []experiment.Point{point}}, nil
}

// AnsweringSweep returns the figure of the fraction of hits over the fraction of false captions at a size.
func AnsweringSweep(size experiment.Size) (Sweep, error) {
	a, err := ofSize(answeringAmounts, size)
	s := Sweep{Title: "Answers that somebody gave", XLabel: "share of false captions", X: slices.Clone(a.shares), Grid: answering,
		Rows: []Row{{Method: "N-pair"}}, Setting: func(share float64) string { return FalseCaptions(a.Source, share) }}
	for _, tauPlus := range AnsweringTauPlus() {
		s.Rows = append(s.Rows, Row{Method: LPosAt(tauPlus)})
	}
	return s, err
}

// claimsAnswering returns the slides' results on VQA, at every fraction of false captions, and their possible
// explanation.
func claimsAnswering() (list []Claim) {
	const slides = "Nikitina, slides on distribution bias, VQA: 0.67 and 0.69"
	seen := map[string]bool{}
	add := func(c Claim) {
		c.Experiment = experimentAnswering
		if key := fmt.Sprint(c); !seen[key] {
			seen[key], list = true, append(list, c)
		}
	}
	for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
		a := answeringAmounts[size]
		at := func(share float64) string { return FalseCaptions(a.Source, share) }
		for _, tauPlus := range AnsweringTauPlus() {
			name := LPosAt(tauPlus)
			c := Claim{Above: Row{Method: name}, Below: Row{Method: "N-pair"}}
			c.Statement, c.Source = "questions are answered better with "+name+", than with N-pair", slides
			for _, share := range a.shares {
				c.Setting = at(share)
				add(c)
			}
			c.Statement, c.Source = name+", gains more where captions are false", "this library"
			c.Setting, c.Than = at(a.shares[len(a.shares)-1]), at(a.shares[0])
			add(c)
		}
		add(Claim{Statement: "alignment with right captions helps to answer", Source: "this library", Setting: at(0),
			Above: Row{Method: "N-pair"}, Below: Row{Method: AnswersAlone}})
	}
	return list
}
