package papers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/mak"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// run returns the run of a rule in a setting; without added, it adds nothing.
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

// seedEncoder returns an encoder trained on the seed set alone. All runs of a seed start with it, so it is stored for
// the others.
func (w openWorld) seedEncoder(ctx context.Context, eng *engine.Engine, place experiment.Place, data *world, seed uint64) (*train.Model, error) {
	path, err := w.seedPath(eng, place, seed)
	if err != nil {
		return nil, err
	}
	if path != "" {
		// An error means that the file is missing or incomplete.
		if model, err := train.LoadModel(path, nil); err == nil {
			return model, nil
		}
	}
	model, err := w.pretrain(ctx, eng, place, "seed", data.seed.Source, seed)
	if err == nil && path != "" {
		err = model.Save(path)
	}
	return model, err
}

// seedPath returns the file of the encoder of the seed set, "" if none is stored. Its name identifies all inputs of the
// encoder, so it is the same for all pools, rules and evaluations.
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

// withoutLabels are batches of images without labels.
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
