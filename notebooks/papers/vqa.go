package papers

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/puclab/puclab/datasets/vqa/rendered"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
	"github.com/puclab/puclab/pucl/vqa"
)

// answering names the grid of question answering, and what its claims are filed under.
const (
	answering           = "question-answering"
	experimentAnswering = "question answering"
)

// answeringVersion is the version of its runs; see experiment.Run.
const answeringVersion = 1

// AnswersAlone is the method that learns from answers with no alignment, beside which the others are seen to gain by theirs.
const AnswersAlone = "answers alone"

// What is measured of a run beside the share of hits: the scores of the VQA challenge, from 0 to 1.
const (
	ConsensusScore   = "consensus"
	LeaveOneOutScore = "leave one out"
)

// Answering is the configuration of a run that learns to answer questions about rendered images.
type Answering struct {
	Images, Tested int     // to learn from, and to be asked about after that
	Questions      int     // to each image
	Edge           int     // of an image in pixels
	Disagreement   float64 // of people
	FalseCaptions  float64 // share of the images to learn from whose caption is another's
	Objective      string  // of all six terms; "" for none
	Batch, Steps   int
	Rate           float64 // learning rate at its height
	Dim, Layers    int     // of the encoders; see [Answering.Model]
}

// answeringAmounts say how much is learned at each size, by how many seeds, and over which shares of false captions.
var answeringAmounts = map[experiment.Size]struct {
	Answering
	seeds  int
	shares []float64
}{
	experiment.Smoke:  {Answering{Images: 64, Tested: 32, Questions: 4, Edge: 32, Disagreement: 0.1, Batch: 16, Steps: 4, Rate: 1e-3, Dim: 16, Layers: 1}, 1, []float64{0.5}},
	experiment.Laptop: {Answering{Images: 4000, Tested: 1000, Questions: 4, Edge: 32, Disagreement: 0.1, Batch: 64, Steps: 3000, Rate: 1e-3, Dim: 64, Layers: 3}, 3, []float64{0, 0.25, 0.5}},
	experiment.Paper:  {Answering{Images: 50_000, Tested: 5000, Questions: 4, Edge: 48, Disagreement: 0.1, Batch: 256, Steps: 50_000, Rate: 5e-4, Dim: 256, Layers: 6}, 5, []float64{0, 0.1, 0.25, 0.5, 0.75}},
}

// LPosAt names the method L_Pos with a τ⁺.
func LPosAt(tauPlus float64) string { return fmt.Sprintf("L_Pos, τ⁺ = %g", tauPlus) }

// AnsweringTauPlus are the τ⁺ of L_Pos: two and four times the share of a batch of 64 that one image is, with which it would be N-pair
// where images are compared with texts.
func AnsweringTauPlus() []float64 { return []float64{2.0 / 64, 4.0 / 64} }

// FalseCaptions names the setting with that share of false captions.
func FalseCaptions(share float64) string {
	return fmt.Sprintf("rendered, %g%% false captions", 100*share)
}

// FalseShares lists the shares of false captions at a size.
func FalseShares(size experiment.Size) ([]float64, error) {
	a, err := ofSize(answeringAmounts, size)
	return slices.Clone(a.shares), err
}

// QuestionAnswering sets N-pair beside L_Pos in all six comparisons of a model that answers questions, over the share of images that
// come with the caption of another: the slides' experiment on VQA, on questions that are rendered, of which it is known which pairs of
// an image and a text are false. A model that learns from answers alone, to which captions make no difference, is beside them.
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
		Setting: FalseCaptions(c.FalseCaptions), Method: method, Seed: seed, Version: answeringVersion, Config: c,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return c.learn(ctx, eng, place, o, seed)
		},
	}
}

// Draw returns what a seed learns from and, with captions that are all right, what it is asked after that.
func (c Answering) Draw(seed uint64) (learn, test *rendered.Set, err error) {
	draw := rendered.Config{Images: c.Images, Questions: c.Questions, Edge: c.Edge, Disagreement: c.Disagreement,
		FalsePositives: c.FalseCaptions, Seed: 2 * seed}
	if learn, err = rendered.Make(draw); err != nil {
		return nil, nil, fmt.Errorf("papers: %w", err)
	}
	draw.Images, draw.FalsePositives, draw.Seed = c.Tested, 0, 2*seed+1
	if test, err = rendered.Make(draw); err != nil {
		return nil, nil, fmt.Errorf("papers: %w", err)
	}
	return learn, test, nil
}

// Model returns the configuration of the model.
func (c Answering) Model(o pucl.Objective, seed uint64) vqa.Config {
	m := vqa.Config{Align: o, AnswersOnly: o.Attract == nil, Batch: c.Batch, Seed: seed,
		Settings: train.Settings{Steps: c.Steps, LearningRate: c.Rate}}
	m.Image.Patch, m.Image.Heads, m.Image.Dim, m.Image.Layers, m.Image.Hidden = 8, 4, c.Dim, c.Layers, 2*c.Dim
	m.Text.Positions, m.Text.Segments, m.Text.Heads, m.Text.Dim, m.Text.Hidden = 32, 1, 4, c.Dim, 2*c.Dim
	m.Text.Layers, m.Text.Fusion = max(1, c.Layers-1), max(1, c.Layers-1)
	return m
}

// Questions returns the data of a set as the model takes them.
func Questions(s *rendered.Set) (vqa.Data, error) {
	tokenizer, err := vqa.NewTokenizer(slices.Concat(vqa.Special(), rendered.Words()))
	if err != nil {
		return vqa.Data{}, fmt.Errorf("papers: %w", err)
	}
	data := vqa.Data{Images: s, Captions: s.Captions, Answers: rendered.Answers(), Tokenizer: tokenizer}
	for _, e := range s.Examples {
		data.Questions = append(data.Questions, vqa.Question{Image: int(e.ImageID), Text: e.Text, Answers: slices.Clone(e.Answers[:])})
	}
	return data, nil
}

// learn does a run and judges it at its end.
func (c Answering) learn(ctx context.Context, eng *engine.Engine, place experiment.Place, o pucl.Objective, seed uint64) (*experiment.Outcome, error) {
	learn, test, err := c.Draw(seed)
	if err != nil {
		return nil, err
	}
	data, err := Questions(learn)
	if err != nil {
		return nil, err
	}
	config := c.Model(o, seed)
	config.Settings.Observer = place.Observer
	config.Settings.Checkpoint, config.Settings.CheckpointEvery = filepath.Join(place.Folder, "answering"), checkpointEvery
	m, err := vqa.Train(ctx, eng, data, config)
	if err != nil {
		return nil, err
	}
	asked, err := Questions(test)
	if err != nil {
		return nil, err
	}
	answers, err := m.Answer(eng, test, asked.Questions)
	if err != nil {
		return nil, err
	}
	point, err := judgeAnswers(test, answers)
	point.Step = c.Steps
	m.Record.Data = "rendered questions; " + m.Record.Data
	return &experiment.Outcome{Record: m.Record, Points: []experiment.Point{point}}, err
}

// judgeAnswers returns the point of answers to the questions of a set, in their order. A question is hit where anybody gave the answer: as
// a confusion, the hits are true positives and the misses false negatives, so that its accuracy is the slides' one.
func judgeAnswers(s *rendered.Set, answers []string) (experiment.Point, error) {
	given := map[int64]string{}
	for i, e := range s.Examples {
		given[e.ID] = answers[i]
	}
	score, err := s.Score(given)
	if err != nil {
		return experiment.Point{}, fmt.Errorf("papers: %w", err)
	}
	n := len(s.Examples)
	hits := int(math.Round(score.Hit * float64(n)))
	return experiment.Point{
		Test:   &evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: hits, FalseNegative: n - hits}, AUC: math.NaN()},
		Values: map[string]float64{ConsensusScore: score.Consensus, LeaveOneOutScore: score.LeaveOneOut},
	}, nil
}

// AnsweringSweep returns the figure of the share of hits over the share of false captions at a size.
func AnsweringSweep(size experiment.Size) (Sweep, error) {
	shares, err := FalseShares(size)
	s := Sweep{Title: "Answers that somebody gave", XLabel: "share of false captions", X: shares, Grid: answering,
		Rows: []Row{{Method: "N-pair"}}, Setting: FalseCaptions}
	for _, tauPlus := range AnsweringTauPlus() {
		s.Rows = append(s.Rows, Row{Method: LPosAt(tauPlus)})
	}
	return s, err
}

// claimsAnswering returns what the slides report of VQA, at every share of false captions, and what would explain it.
func claimsAnswering() (list []Claim) {
	const source = "Nikitina, slides on distribution bias, VQA: 0.67 and 0.69"
	seen := map[string]bool{}
	for _, size := range []experiment.Size{experiment.Laptop, experiment.Paper} {
		shares := answeringAmounts[size].shares
		for _, tauPlus := range AnsweringTauPlus() {
			add := func(statement, source, setting, than string) {
				c := Claim{Experiment: experimentAnswering, Statement: statement, Source: source, Setting: setting, Than: than,
					Above: Row{Method: LPosAt(tauPlus)}, Below: Row{Method: "N-pair"}}
				if key := fmt.Sprint(c); !seen[key] {
					seen[key], list = true, append(list, c)
				}
			}
			for _, share := range shares {
				add("questions are answered better with L_Pos than with N-pair", source, FalseCaptions(share), "")
			}
			add("L_Pos gains more where captions are false", "this library", FalseCaptions(shares[len(shares)-1]), FalseCaptions(shares[0]))
		}
	}
	return append(list, Claim{Experiment: experimentAnswering, Statement: "alignment with right captions helps to answer", Source: "this library",
		Setting: FalseCaptions(0), Above: Row{Method: "N-pair"}, Below: Row{Method: AnswersAlone}})
}
