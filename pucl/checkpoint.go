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
	"strings"

	"github.com/puclab/puclab/pucl/engine"
)

// checkpointFile is the one file in a checkpoint folder.
const checkpointFile = "pretrain.checkpoint"

// checkpoint is the state of a training run between two calls of Pretrain.
type checkpoint struct {
	path  string // "" where no checkpoints are wanted
	run   string // what must be the same to go on from a checkpoint
	step  int    // steps done when the run was opened
	saved int    // steps done in the file; 0 where there is none yet

	config PretrainConfig
}

// checkpointHead comes before the variables in the file.
type checkpointHead struct {
	Run     string
	Step    int
	Losses  []float64
	History History // empty in files of programs that kept none
}

// openCheckpoint loads what the configuration's folder holds into m. A checkpoint of another run is an error, since going on
// from it would mix two runs without a word; so is a folder that cannot be written to, which is better known now than when
// there is something to lose.
func openCheckpoint(m *Model, eng *engine.Engine, c PretrainConfig) (*checkpoint, error) {
	cp := &checkpoint{run: m.Record.Settings + "; " + m.Record.Data, config: c}
	if c.Checkpoint == "" {
		return cp, nil
	}
	value, err := c.Objective.signature(eng)
	if err != nil {
		return nil, err
	}
	cp.run += value
	cp.path = filepath.Join(c.Checkpoint, checkpointFile)
	if err := prepareFolder(c.Checkpoint); err != nil {
		return nil, err
	}
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
		return nil, fmt.Errorf("pucl: %s is no checkpoint of this program, or damaged (%w); delete it to start again", cp.path, err)
	}
	if head.Run != cp.run {
		return nil, fmt.Errorf("pucl: %s is the checkpoint of another run, and is left as it is; name another folder in "+
			"PretrainConfig.Checkpoint, ask for the same again, or delete the file to start anew%s", cp.path, whatDiffers(head.Run, cp.run))
	}
	if err := readVariables(r, m.store); err != nil {
		return nil, fmt.Errorf("pucl: %s is damaged (%w); delete it to start again", cp.path, err)
	}
	cp.step, cp.saved = head.Step, head.Step
	m.Losses, m.History = head.Losses, head.History
	m.History.fit(len(m.Losses))
	return cp, nil
}

// prepareFolder makes the folder of a checkpoint, proves that it can be written to, and removes what a program that was
// killed while it wrote has left there. A folder is for one run at a time.
func prepareFolder(folder string) error {
	if err := probe(folder); err != nil {
		return fmt.Errorf("pucl: the checkpoint folder %s cannot be written to (%w); make it writable or name another one in "+
			"PretrainConfig.Checkpoint: nothing was trained yet", folder, err)
	}
	left, err := filepath.Glob(filepath.Join(escapeGlob(folder), checkpointFile+".*.part"))
	if err != nil {
		return fmt.Errorf("pucl: looking into the checkpoint folder: %w", err)
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("pucl: tidying the checkpoint folder: %w", err)
		}
	}
	return nil
}

// probe makes the folder where it is missing and a file in it, which goes with what else is left over.
func probe(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, checkpointFile+".*.part")
	if err != nil {
		return err
	}
	return f.Close()
}

// escapeGlob is path as a pattern that matches it alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// whatDiffers lists what a checkpoint's run and the run that was asked for do not have in common, a line each.
func whatDiffers(there, asked string) string {
	a, b := strings.Split(there, "; "), strings.Split(asked, "; ")
	if len(a) != len(b) {
		return fmt.Sprintf("\n  there: %s\n  asked: %s", there, asked)
	}
	var out strings.Builder
	for i := range a {
		if a[i] != b[i] {
			fmt.Fprintf(&out, "\n  there: %s\n  asked: %s", a[i], b[i])
		}
	}
	return out.String()
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

// save writes the state after step steps, whole or not at all: what was saved before stays until the new state is on disk.
// Weights that are not finite are no state to go on from; they are refused.
func (cp *checkpoint) save(m *Model, step int) error {
	if step == 0 {
		return nil
	}
	norms, err := layerNorms(m.store)
	if err != nil {
		return cp.notSaved(step, err)
	}
	for _, layer := range norms {
		if !allFinite(layer.Norm) {
			return m.diverged(m.lastTaken(), step-1, cp)
		}
	}
	if cp.path == "" {
		return nil
	}
	err = writeFile(cp.path, func(w io.Writer) error {
		if err := gob.NewEncoder(w).Encode(checkpointHead{cp.run, step, m.Losses, m.History}); err != nil {
			return err
		}
		return writeVariables(w, m.store)
	})
	if err != nil {
		return cp.notSaved(step, err)
	}
	cp.saved = step
	return nil
}

// notSaved says that a state could not be written, why, what is left and what to do.
func (cp *checkpoint) notSaved(step int, err error) error {
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		err = system // without the name of the variable that happened to be written
	}
	before := "no earlier one is there"
	if cp.saved > 0 {
		before = fmt.Sprintf("that after %d steps is still there, whole", cp.saved)
	}
	return fmt.Errorf("pucl: the checkpoint after %d steps could not be saved to %s (%w); %s: make room or mend what is wrong, "+
		"and run the same again to go on from it", step, cp.path, err, before)
}

// keep saves the state after step steps because err ends the run, and says how to go on.
func (cp *checkpoint) keep(m *Model, step int, err error) error {
	if failed := cp.save(m, step); failed != nil {
		return errors.Join(err, failed)
	}
	if path, saved := cp.lastGood(); path != "" {
		return fmt.Errorf("%w; the state after %d steps is saved in %s: mend this and run the same again to go on from there", err, saved, path)
	}
	return err
}

// lastGood is the file of the last state that was saved, "" for none, and the steps done by then.
func (cp *checkpoint) lastGood() (path string, steps int) {
	if cp.saved == 0 {
		return "", 0
	}
	return cp.path, cp.saved
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
func describe(batches Batches) string {
	height, width, channels := batches.ImageShape()
	return fmt.Sprintf("images %d×%d×%d", height, width, channels) + ownWords(batches)
}

// ownWords is what batches say of themselves, if anything, after a comma.
func ownWords(batches any) string {
	if s, ok := batches.(fmt.Stringer); ok {
		return ", " + s.String()
	}
	return ""
}
