package pu

import (
	"github.com/puclab/puclab/pucl/contrast"
)

// The methods that pretrain an encoder; see package contrast.
type (
	Pretraining = contrast.Pretraining
	Algorithm1  = contrast.Algorithm1
	Mixture     = contrast.Mixture
	CrossFit    = contrast.CrossFit
	RiskProbe   = contrast.RiskProbe
)

// The spaces in which [Algorithm1] clusters examples.
const (
	EncoderOutputs = contrast.EncoderOutputs
	Projections    = contrast.Projections
)
