package main

import (
	"context"
	"errors"

	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/notebooks/experiment"
)

// slurm does the plan on a cluster.
func (o options) slurm(context.Context, *experiment.Store, string, *experiment.Plan, *liveline.Line, catalog) error {
	return errors.New("-on slurm is not built in yet")
}
