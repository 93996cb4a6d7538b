package pucl

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/safetensors"
)

// Weights returns the values of the encoder's variables by the names and in the layouts of PyTorch, those of torchvision for
// encoder.ResNet and encoder.ViT. As the Tensors of a safetensors.File they can be written for other programs, or be
// PretrainConfig.Weights of another run.
func (m *Model) Weights() (map[string]safetensors.Tensor, error) {
	weights, err := encoder.StateDict(m.store, "/"+encoderScope)
	if err != nil {
		return nil, fmt.Errorf("pucl: %w", err)
	}
	return weights, nil
}

// startFrom gives the encoder the weights of the configuration, if there are any.
func (m *Model) startFrom(eng *engine.Engine, c PretrainConfig) error {
	if c.Weights == nil {
		return nil
	}
	if m.features > 0 {
		return errors.New("pucl: Weights start encoders of images; leave them nil for features")
	}
	if err := encoder.LoadStateDict(eng.Backend, m.store, "/"+encoderScope, c.Encoder, m.height, m.width, m.channels, c.Weights, c.LeaveOut...); err != nil {
		return fmt.Errorf("pucl: %w", err)
	}
	return nil
}
