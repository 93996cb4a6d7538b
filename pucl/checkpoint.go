package pucl

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/pucl/engine"
)

// checkpointFile is the one file in a checkpoint folder.
const checkpointFile = "pretrain.checkpoint"

// checkpoint is the state of a training run between two calls of Pretrain.
type checkpoint struct {
	path string // "" where no checkpoints are wanted
	run  string // what must be the same to go on from a checkpoint
	step int    // steps done when the run was opened
}

// checkpointHead comes before the variables in the file.
type checkpointHead struct {
	Run    string
	Step   int
	Losses []float64
}

// openCheckpoint loads what the configuration's folder holds into m. A checkpoint of another run is an error, since going on
// from it would mix two runs without a word.
func openCheckpoint(m *Model, eng *engine.Engine, objective Objective, folder string) (*checkpoint, error) {
	cp := &checkpoint{run: m.Record.Settings + "; " + m.Record.Data}
	if folder == "" {
		return cp, nil
	}
	value, err := objective.signature(eng)
	if err != nil {
		return nil, err
	}
	cp.run += value
	cp.path = filepath.Join(folder, checkpointFile)
	f, err := os.Open(cp.path)
	if errors.Is(err, fs.ErrNotExist) {
		return cp, nil
	} else if err != nil {
		return nil, fmt.Errorf("pucl: opening the checkpoint: %w", err)
	}
	defer f.Close()
	r := bufio.NewReader(f) // an io.ByteReader, so that neither of the two decoders reads ahead
	var head checkpointHead
	if err := gob.NewDecoder(r).Decode(&head); err != nil {
		return nil, fmt.Errorf("pucl: %s is no checkpoint of this program (%w); delete it to start again", cp.path, err)
	}
	if head.Run != cp.run {
		return nil, fmt.Errorf("pucl: %s is the checkpoint of another run; name another folder, or delete it to start again\n  there: %s\n  asked: %s",
			cp.path, head.Run, cp.run)
	}
	if err := readVariables(r, m.store); err != nil {
		return nil, fmt.Errorf("pucl: reading %s: %w; delete it to start again", cp.path, err)
	}
	cp.step, m.Losses = head.Step, head.Losses
	return cp, nil
}

// signature is the objective's loss on a small batch, in words. Functions cannot be compared, but an objective that was
// changed under its old name mostly has another loss.
func (o Objective) signature(eng *engine.Engine) (string, error) {
	z := [][]float64{{1, 0, 0}, {0.6, 0.8, 0}, {0, 0.6, 0.8}, {0.8, 0, 0.6}, {0.5, 0.5, 0.7}, {0.1, 0.9, -0.4}, {-0.3, 0.2, 0.9}, {0.7, -0.6, 0.3}}
	value, err := o.Value(eng, z, []bool{true, true, false, false}, 0.5)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("; loss of a small batch %.6g", value), nil
}

// save writes the state after step steps.
func (cp *checkpoint) save(m *Model, step int) error {
	if cp.path == "" {
		return nil
	}
	err := writeFile(cp.path, func(w io.Writer) error {
		if err := gob.NewEncoder(w).Encode(checkpointHead{cp.run, step, m.Losses}); err != nil {
			return err
		}
		return writeVariables(w, m.store)
	})
	if err != nil {
		return fmt.Errorf("pucl: saving the checkpoint: %w", err)
	}
	return nil
}

// describe names everything in c that the numbers depend on; views says how they differ.
func (c PretrainConfig) describe(views string) string {
	network := fmt.Sprintf("%T%+v", c.Encoder, c.Encoder)
	if s, ok := c.Encoder.(fmt.Stringer); ok {
		network = s.String()
	}
	if c.Weights != nil {
		network += fmt.Sprintf(" from %d given tensors", len(c.Weights))
	}
	training := fmt.Sprintf("Adam at %g, warm-up %d", c.LearningRate, c.Warmup)
	if c.Optimizer != nil || c.Schedule != nil {
		update := "Adam"
		if c.Optimizer != nil {
			update = c.Optimizer.String()
		}
		training = fmt.Sprintf("%s, rate up to %g, %s", update, c.LearningRate, c.schedule())
	}
	if numbers := c.Compute.numbers(); numbers != "" {
		training += ", " + numbers
	}
	return fmt.Sprintf("%s, τ %g, %d steps, %s; views: %s; encoder: %s; projection %d-d; seed %d",
		c.Objective.Name, c.Tau, c.Steps, training, views, network, c.Projection, c.Seed)
}

// describe says what the batches are, in their own words where they have some.
func describe(batches StreamedBatches) string {
	height, width, channels := batches.ImageShape()
	return fmt.Sprintf("images %d×%d×%d", height, width, channels) + ownWords(batches)
}

// ownWords is what batches say of themselves, if anything, after a comma.
func ownWords(batches any) string {
	if b, ok := batches.(alwaysRead); ok {
		batches = b.Batches
	}
	if s, ok := batches.(fmt.Stringer); ok {
		return ", " + s.String()
	}
	return ""
}
