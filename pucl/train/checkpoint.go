package train

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/puclab/puclab/pucl/internal/files"
)

// checkpointFile is the one file in a checkpoint folder, and earlierFile what programs called it that told runs apart by a
// sentence and not by fields.
const (
	checkpointFile = "training.checkpoint"
	earlierFile    = "pretrain.checkpoint"
)

// checkpoint is where the state of a run lies between two calls of [Run].
type checkpoint struct {
	path     string // "" where no checkpoints are wanted
	identity []field
	step     int // steps done when the run was opened
	saved    int // steps done in the file; 0 where there is none yet
}

// checkpointHead comes before the variables in the file.
type checkpointHead struct {
	Identity []field
	Step     int
	History  History
	State    []byte // of the task, as gob wrote it
}

// openCheckpoint loads what the checkpoint folder holds. A checkpoint of another run is an error, since going on from it
// would mix two runs; so is a folder that cannot be written to, which is better known now than when there is something to
// lose.
func (r *run) openCheckpoint() (*checkpoint, error) {
	cp := &checkpoint{identity: r.identity()}
	folder := r.Settings.Checkpoint
	if folder == "" {
		return cp, nil
	}
	cp.path = filepath.Join(folder, checkpointFile)
	if err := prepareFolder(folder); err != nil {
		return nil, err
	}
	f, err := os.Open(cp.path)
	if errors.Is(err, fs.ErrNotExist) {
		return cp, refuseEarlier(folder)
	} else if err != nil {
		return nil, fmt.Errorf("train: opening the checkpoint: %w", err)
	}
	defer f.Close()
	in := bufio.NewReader(f) // an io.ByteReader, so that neither of the two decoders reads ahead
	var head checkpointHead
	if err := gob.NewDecoder(in).Decode(&head); err != nil {
		return nil, fmt.Errorf("train: %s is no checkpoint of this program, or damaged (%w); delete it to start again", cp.path, err)
	}
	if !slices.Equal(head.Identity, cp.identity) {
		return nil, fmt.Errorf("train: %s is the checkpoint of another run, and is left as it is; name another folder in "+
			"Checkpoint, ask for the same again, or delete the file to start anew%s", cp.path, differences(head.Identity, cp.identity))
	}
	if err = readVariables(in, r.Store); err == nil && r.State != nil {
		err = decodeState(head.State, r.State)
	}
	if err != nil {
		return nil, fmt.Errorf("train: %s is damaged (%w); delete it to start again", cp.path, err)
	}
	cp.step, cp.saved = head.Step, head.Step
	*r.history = head.History
	return cp, nil
}

// decodeState reads what gob wrote of a task's state. It sets all of *state: gob alone would leave what was zero when it was
// written at whatever the caller started with.
func decodeState(data []byte, state any) error {
	saved := reflect.New(reflect.TypeOf(state).Elem())
	if err := gob.NewDecoder(bytes.NewReader(data)).DecodeValue(saved); err != nil {
		return err
	}
	reflect.ValueOf(state).Elem().Set(saved.Elem())
	return nil
}

// refuseEarlier returns an error if an earlier program's checkpoint lies in the folder, which would be lost without a word.
func refuseEarlier(folder string) error {
	path := filepath.Join(folder, earlierFile)
	if _, err := os.Stat(path); err != nil {
		return nil // most likely it is not there; that the folder can be used is known
	}
	return fmt.Errorf("train: %s was written by an earlier version of this program, which told runs apart in another way; finish "+
		"that run with that version, name another folder in Checkpoint, or delete the file to start anew", path)
}

// prepareFolder makes the folder of a checkpoint, proves that it can be written to, and removes what a program that was
// killed while it wrote has left there. A folder is for one run at a time.
func prepareFolder(folder string) error {
	if err := tryWriting(folder); err != nil {
		return fmt.Errorf("train: the checkpoint folder %s cannot be written to (%w); make it writable or name another one in "+
			"Checkpoint: nothing was trained yet", folder, err)
	}
	left, err := filepath.Glob(filepath.Join(escapeGlob(folder), checkpointFile+".*.part"))
	if err != nil {
		return fmt.Errorf("train: looking into the checkpoint folder: %w", err)
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("train: tidying the checkpoint folder: %w", err)
		}
	}
	return nil
}

// tryWriting makes the folder where it is missing and a file in it, which goes with what else is left over.
func tryWriting(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, checkpointFile+".*.part")
	if err != nil {
		return err
	}
	return f.Close()
}

// escapeGlob returns a pattern that matches path alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// save writes the state after step steps, whole or not at all: what was saved before stays until the new state is on disk.
// Weights that are not finite are no state to go on from, and end the run with a [Diverged].
func (r *run) save(step int) error {
	if step == 0 {
		return nil
	}
	cp := r.checkpoint
	norms, err := r.layerNorms()
	if err != nil {
		return cp.notSaved(step, err)
	}
	for _, layer := range norms {
		if !allFinite(layer.Norm) {
			return r.diverged(r.history.last(), step-1)
		}
	}
	if cp.path == "" {
		return nil
	}
	if err := files.Write(cp.path, func(w io.Writer) error { return r.write(w, step) }); err != nil {
		return cp.notSaved(step, err)
	}
	cp.saved = step
	return nil
}

// write writes the state after step steps.
func (r *run) write(w io.Writer, step int) error {
	head := checkpointHead{Identity: r.checkpoint.identity, Step: step, History: *r.history}
	if r.State != nil {
		var state bytes.Buffer
		if err := gob.NewEncoder(&state).Encode(r.State); err != nil {
			return fmt.Errorf("the task's state: %w", err)
		}
		head.State = state.Bytes()
	}
	if err := gob.NewEncoder(w).Encode(head); err != nil {
		return err
	}
	return writeVariables(w, r.Store)
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
	return fmt.Errorf("train: the checkpoint after %d steps could not be saved to %s (%w); %s: make room or mend what is wrong, "+
		"and run the same again to go on from it", step, cp.path, err, before)
}

// keep saves the state after step steps because err ends the run, and says how to go on.
func (r *run) keep(step int, err error) error {
	if failed := r.save(step); failed != nil {
		return errors.Join(err, failed)
	}
	if path, saved := r.checkpoint.lastGood(); path != "" {
		return fmt.Errorf("%w; the state after %d steps is saved in %s: mend this and run the same again to go on from there", err, saved, path)
	}
	return err
}

// lastGood returns the file of the last state that was saved, "" for none, and the steps done by then.
func (cp *checkpoint) lastGood() (path string, steps int) {
	if cp.saved == 0 {
		return "", 0
	}
	return cp.path, cp.saved
}
