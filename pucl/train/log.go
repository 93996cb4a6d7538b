package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/puclab/puclab/internal/runlog"
	"github.com/puclab/puclab/internal/wholefile"
	"github.com/puclab/puclab/pucl/engine"
)

// logColumns are the values of a step in the log.
var logColumns = []string{
	"loss", "learning_rate", "gradient_norm", "output_norm", "examples", "monitor/alignment", "monitor/uniformity",
	"monitor/effective_rank", "monitor/proxy_auc", "monitor/accuracy",
}

// runStatement is the content of runlog.RunFile.
type runStatement struct {
	Configuration []field // the whole identity of the run, defaults filled in
	Compute       string
	Environment   engine.Environment // of the last call
}

// openLog opens the log in the checkpoint folder, and truncates or completes it to the step that the run
// resumes from.
func (r *run) openLog() error {
	cp := r.checkpoint
	if cp.folder == "" {
		return nil
	}
	path := filepath.Join(cp.folder, runlog.RunFile)
	var there runStatement
	switch data, err := os.ReadFile(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("train: %w", err)
	default:
		if err := json.Unmarshal(data, &there); err != nil {
			return fmt.Errorf("train: %s is damaged (%w); delete it to write it anew", path, err)
		}
		if cp.step == 0 && !slices.Equal(there.Configuration, cp.identity) {
			return fmt.Errorf("train: %s is the log of another run, and is left as it is; name another folder in Checkpoint, or "+
				"delete the folder to start anew%s", cp.folder, differences(there.Configuration, cp.identity))
		}
	}
	data, err := json.MarshalIndent(runStatement{cp.identity, r.Compute.String(), cp.environment}, "", " ")
	if err == nil {
		err = wholefile.Write(path, wholefile.Bytes(append(data, '\n')))
	}
	if err != nil {
		return cp.notWritable(err)
	}
	opened, last, err := runlog.Open(cp.folder, logColumns, cp.step)
	if err != nil {
		return cp.notWritable(err)
	}
	r.log = opened
	for step := last + 1; step <= cp.step; step++ {
		if err := r.logStep(step); err != nil {
			return errors.Join(err, opened.Close())
		}
	}
	return nil
}

// logStep appends a step of the history to the log.
func (r *run) logStep(step int) error {
	if r.log == nil {
		return nil
	}
	h, nan := r.history, math.NaN()
	values := []float64{
		h.Losses[step-1], h.Rates[step-1], h.GradientNorms[step-1], h.ProjectionNorms[step-1], float64(h.Examples[step-1]),
		nan, nan, nan, nan, nan,
	}
	at := slices.IndexFunc(h.Readings, func(reading Reading) bool { return reading.Step == step })
	if at >= 0 {
		reading := h.Readings[at]
		copy(values[5:], []float64{
			reading.Projections.Alignment, reading.Projections.Uniformity, reading.Projections.EffectiveRank,
		})
		if reading.Monitor != nil {
			values[8] = reading.Monitor.ProxyAUC
		}
		if reading.Truth != nil {
			values[9] = reading.Truth.Accuracy()
		}
	}
	if err := r.log.Add(step, time.Now(), values); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// closeLog writes the rest of the log.
func (r *run) closeLog() error {
	if r.log == nil {
		return nil
	}
	return named(r.log.Close())
}
