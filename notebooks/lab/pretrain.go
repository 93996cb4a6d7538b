package lab

import (
	"os"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// Pretrain trains a model, shows its progress and stores it under name, for [Bench.Model]. An interrupted cell resumes
// from its checkpoint when it is run again; the checkpoint is deleted once the model is stored. Pretrain sets
// Checkpoint and Observer of config.
func (b *Bench) Pretrain(eng *engine.Engine, name string, batches train.Batches, config train.Config) (*train.Model, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	config.Checkpoint, config.Observer = b.Path(name+".run"), Progress(nil, name)
	model, err := train.Pretrain(Interruptible(), eng, batches, config)
	if err != nil {
		return nil, err
	}
	if err := b.SaveModel(name, model); err != nil {
		return nil, err
	}
	return model, os.RemoveAll(config.Checkpoint)
}

// LastReading returns the monitor's last measurement of a model, the zero Reading if there is no monitor or no model.
func LastReading(model *train.Model) train.Reading {
	if model == nil || len(model.History.Readings) == 0 {
		return train.Reading{}
	}
	return model.History.Readings[len(model.History.Readings)-1]
}
