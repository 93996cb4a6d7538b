package train

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/internal/wholefile"
	"github.com/puclab/puclab/pucl/engine"
)

// checkpointFile is the newest checkpoint in a folder and beforeFile the one before it. earlierFile is what programs called
// theirs that told runs apart by a sentence and not by fields.
const (
	checkpointFile = "training.checkpoint"
	beforeFile     = "training.checkpoint.before"
	earlierFile    = "pretrain.checkpoint"
)

// checkpointKind is what a checkpoint says of itself.
var checkpointKind = container.Kind{Name: "checkpoint", Reader: "train.Run", Version: 1, Mend: "delete the folder to start anew"}

// checkpoint is where the state of a run lies between two calls of [Run].
type checkpoint struct {
	folder      string // "" where no checkpoints are wanted
	path        string // of the newest
	identity    []field
	environment engine.Environment
	step        int          // steps done when the run was opened
	good        string       // file of the state that was loaded or saved last; "" where there is none yet
	saved       int          // steps done in there
	holds       func() error // an error unless the folder is still this run's
}

// checkpointHead is the first section of the file; the task's state, as gob wrote it, and the variables are the others.
type checkpointHead struct {
	Identity    []field
	Environment engine.Environment
	Compute     string // in words, see Compute.String
	Step        int
	History     History
	Variables   []variable
}

// openCheckpoint makes the checkpoint folder this run's own and loads what it holds; release gives the folder back. A checkpoint
// of another run is an error, since going on from it would mix two runs; so is a folder that cannot be written to, which is
// better known now than when there is something to lose.
func (r *run) openCheckpoint(eng *engine.Engine) (release func(), err error) {
	cp := &checkpoint{folder: r.Settings.Checkpoint, identity: r.identity(), environment: eng.Environment()}
	r.checkpoint = cp
	if cp.folder == "" {
		return func() {}, nil
	}
	if cp.folder, err = filepath.Abs(cp.folder); err != nil { // it stays the same folder if the program changes its own
		return nil, cp.notWritable(err)
	}
	cp.path = filepath.Join(cp.folder, checkpointFile)
	if err := os.MkdirAll(cp.folder, 0o755); err != nil {
		return nil, cp.notWritable(err)
	}
	release, holds, note, err := ownFolder(cp.folder, r.Name)
	if inUse := (*InUse)(nil); errors.As(err, &inUse) {
		return nil, err
	} else if err != nil {
		return nil, cp.notWritable(err)
	}
	cp.holds = holds
	r.note(note)
	if err = r.load(); err == nil {
		err = cp.tidy()
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// load takes up the newest checkpoint, or the one before where the newest is damaged or missing. Where there is none it does
// nothing.
func (r *run) load() error {
	cp := r.checkpoint
	err := r.take(cp.path)
	if err == nil || !unreadable(err) {
		return named(err)
	}
	before := filepath.Join(cp.folder, beforeFile)
	switch failed := r.take(before); {
	case failed == nil:
		r.note(fmt.Sprintf("the newest checkpoint cannot be read (%v); going on from %s, after %d steps", err, before, cp.step))
	case errors.Is(failed, fs.ErrNotExist) && errors.Is(err, fs.ErrNotExist):
		return refuseEarlier(cp.folder)
	case errors.Is(failed, fs.ErrNotExist):
		return named(err)
	case errors.Is(err, fs.ErrNotExist):
		return named(failed)
	default:
		return fmt.Errorf("train: neither checkpoint can be read: %w; %w", err, failed)
	}
	return nil
}

// unreadable reports whether err comes of what lies at a path, rather than of whose it is.
func unreadable(err error) bool {
	damaged, system := (*container.Damaged)(nil), (*fs.PathError)(nil)
	return errors.As(err, &damaged) || errors.As(err, &system) && !errors.Is(err, fs.ErrPermission)
}

// take takes up the checkpoint at path. An error leaves the run as it is; one that is no [container.Damaged] holds for the
// checkpoint before as well.
func (r *run) take(path string) error {
	cp := r.checkpoint
	sections, err := checkpointKind.Read(path, "head", "state", "variables")
	if err != nil {
		return err
	}
	var head checkpointHead
	if err := strictjson.Unmarshal(sections[0], &head); err != nil {
		return fmt.Errorf("%s %w", path, checkpointKind.Damaged("has a damaged head (%v)", err))
	}
	if !slices.Equal(head.Identity, cp.identity) {
		return fmt.Errorf("%s is the checkpoint of another run, and is left as it is; name another folder in "+
			"Checkpoint, ask for the same again, or delete the folder to start anew%s", path, differences(head.Identity, cp.identity))
	}
	other := head.Environment.Differences(cp.environment)
	moved := len(other) > 0
	if here := r.Compute.String(); head.Compute != here {
		other = append(other, fmt.Sprintf("computed on: %s there, %s here", cmp.Or(head.Compute, "one device"), cmp.Or(here, "one device")))
	}
	if r.SameEnvironment && len(head.History.Earlier) > 0 {
		return fmt.Errorf("%s holds steps that were taken in another environment, and SameEnvironment asks for one and the same; start "+
			"anew in another folder, or leave SameEnvironment off, for the same numbers up to rounding", path)
	}
	if len(other) > 0 && r.SameEnvironment {
		return fmt.Errorf("%s was written in another environment, and SameEnvironment asks for the same one; go on there, or leave "+
			"SameEnvironment off, for the same numbers up to rounding\n  %s", path, strings.Join(other, "\n  "))
	}
	var state reflect.Value
	if err = head.check(r.Steps); err == nil && r.State != nil {
		state, err = decodeState(sections[1], r.State)
	}
	if err == nil {
		err = decodeVariables(r.Store, head.Variables, sections[2])
	}
	if err != nil {
		return fmt.Errorf("%s %w", path, checkpointKind.Damaged("does not hold together (%v)", err))
	}
	if r.State != nil {
		reflect.ValueOf(r.State).Elem().Set(state)
	}
	notes := r.history.Notes
	*r.history = head.History
	r.history.Notes = append(r.history.Notes, notes...)
	cp.step, cp.saved, cp.good = head.Step, head.Step, path
	if moved {
		r.history.Earlier = append(r.history.Earlier, head.Environment)
	}
	if len(other) > 0 {
		r.note(fmt.Sprintf("the first %d steps were taken in another environment, so that the numbers are those of one run up to "+
			"rounding (%s)", head.Step, strings.Join(other, "; ")))
	}
	return nil
}

// check returns an error unless the head can be that of a run of so many steps.
func (h *checkpointHead) check(steps int) error {
	if h.Step < 1 || h.Step > steps || h.History.steps() != h.Step {
		return fmt.Errorf("it is after step %d of %d, and its history may be of others", h.Step, steps)
	}
	return nil
}

// note keeps what the user of the run should know, unless it is "".
func (r *run) note(text string) {
	if text != "" {
		r.history.Notes = append(r.history.Notes, text)
		r.progress.Notes = append(r.progress.Notes, text)
	}
}

// decodeState reads what gob wrote of a task's state, all of it: gob alone would leave what was zero when it was written at
// whatever the caller started with.
func decodeState(data []byte, state any) (reflect.Value, error) {
	saved := reflect.New(reflect.TypeOf(state).Elem())
	err := container.DecodeGob(data, saved.Interface())
	return saved.Elem(), err
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

// tidy proves that the folder can be written to, and removes what a program that was killed while it wrote has left there.
func (cp *checkpoint) tidy() error {
	f, err := os.CreateTemp(cp.folder, checkpointFile+".*.part") // which goes with what else is left over
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return cp.notWritable(err)
	}
	left, err := fs.Glob(os.DirFS(cp.folder), checkpointFile+".*.part")
	if err != nil {
		return fmt.Errorf("train: looking into the checkpoint folder: %w", err)
	}
	for _, path := range left {
		if err := os.Remove(filepath.Join(cp.folder, path)); err != nil {
			return fmt.Errorf("train: tidying the checkpoint folder: %w", err)
		}
	}
	return nil
}

func (cp *checkpoint) notWritable(err error) error {
	return fmt.Errorf("train: the checkpoint folder %s cannot be written to (%w); make room there, make it writable or name another "+
		"one in Checkpoint: nothing was trained yet", cp.folder, err)
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
	if cp.folder == "" || cp.saved == step && cp.good == cp.path { // a run that is stopped is mostly saved by then
		return nil
	}
	if err := cp.holds(); err != nil {
		return cp.notSaved(step, err)
	}
	file, err := r.encode(step)
	if err == nil && cp.good == cp.path {
		err = wholefile.Replace(cp.path, filepath.Join(cp.folder, beforeFile), file.Write)
	} else if err == nil { // nothing good to keep at path: the checkpoint before, if there is one, is the good one
		err = wholefile.Write(cp.path, file.Write)
	}
	if err != nil {
		return cp.notSaved(step, err)
	}
	cp.saved, cp.good = step, cp.path
	return nil
}

// encode returns the file of the state after step steps.
func (r *run) encode(step int) (container.Parts, error) {
	var state bytes.Buffer
	if r.State != nil {
		if err := gob.NewEncoder(&state).Encode(r.State); err != nil {
			return nil, fmt.Errorf("the task's state: %w", err)
		}
	}
	variables, values, err := encodeVariables(r.Store)
	if err != nil {
		return nil, err
	}
	head, err := strictjson.Marshal(checkpointHead{r.checkpoint.identity, r.checkpoint.environment, r.Compute.String(), step, *r.history, variables})
	if err != nil {
		return nil, err
	}
	return checkpointKind.Encode(container.Section{Name: "head", Parts: container.Parts{head}},
		container.Section{Name: "state", Parts: container.Parts{state.Bytes()}}, container.Section{Name: "variables", Parts: values})
}

// notSaved says that a state could not be written, why, what is left and what to do.
func (cp *checkpoint) notSaved(step int, err error) error {
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		err = system // without the name of the variable that happened to be written
	}
	before := "no earlier one is there"
	if _, gone := os.Stat(cp.good); cp.saved > 0 && gone == nil {
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

// lastGood returns the file of the last state that was loaded or saved, "" for none, and the steps done by then.
func (cp *checkpoint) lastGood() (path string, steps int) { return cp.good, cp.saved }
