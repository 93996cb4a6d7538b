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
	"github.com/puclab/puclab/internal/runlog"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/internal/wholefile"
	"github.com/puclab/puclab/pucl/engine"
)

// checkpointFile is the newest checkpoint in a folder and beforeFile the one before it. earlierFile is the checkpoint
// name of earlier program versions, which identified runs by a sentence and not by fields.
const (
	checkpointFile = "training.checkpoint"
	beforeFile     = "training.checkpoint.before"
	earlierFile    = "pretrain.checkpoint"
)

// checkpointKind is the kind in the header of a checkpoint file.
var checkpointKind = container.Kind{Name: "checkpoint", Reader: "train.Run", Version: 1, Mend: "delete the folder to start anew"}

// checkpoint locates the state of a run between two calls of [Run].
type checkpoint struct {
	folder      string // "" for no checkpoints
	path        string // of the newest checkpoint
	identity    []field
	environment engine.Environment
	step        int          // steps done when the run was opened
	good        string       // file of the state that was last loaded or saved; "" before the first
	saved       int          // steps done in good
	holds       func() error // returns an error unless the folder still belongs to this run
}

// checkpointHead is the first section of the file; the other sections are the task's state in gob encoding and the
// variables.
type checkpointHead struct {
	Identity    []field
	Environment engine.Environment
	Compute     string // in words, see Compute.String
	Step        int
	History     History
	Variables   []variable
}

// openCheckpoint acquires the checkpoint folder for this run and loads its checkpoint; release frees the folder. A
// checkpoint of another run is an error, since resuming would mix two runs. A read-only folder is an error too,
// detected before any work can be lost.
func (r *run) openCheckpoint(eng *engine.Engine) (release func(), err error) {
	cp := &checkpoint{folder: r.Settings.Checkpoint, identity: r.identity(), environment: eng.Environment()}
	r.checkpoint = cp
	if cp.folder == "" {
		return func() {}, nil
	}
	if cp.folder, err = filepath.Abs(cp.folder); err != nil { // stays valid if the program changes its working directory
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

// load loads the newest checkpoint, or the previous one if the newest is damaged or missing. Without a checkpoint it
// does nothing.
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

// unreadable reports whether err is caused by the file at a path, and not by its owner.
func unreadable(err error) bool {
	damaged, system := (*container.Damaged)(nil), (*fs.PathError)(nil)
	return errors.As(err, &damaged) || errors.As(err, &system) && !errors.Is(err, fs.ErrPermission)
}

// take loads the checkpoint at path. An error leaves the run unchanged; an error that is not unreadable applies to the
// previous checkpoint as well.
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

// check returns an error if the head is inconsistent with a run of the given number of steps.
func (h *checkpointHead) check(steps int) error {
	if h.Step < 1 || h.Step > steps || h.History.steps() != h.Step {
		return fmt.Errorf("it is after step %d of %d, and its history may be of others", h.Step, steps)
	}
	return nil
}

// note records a note for the user of the run, unless it is "".
func (r *run) note(text string) {
	if text != "" {
		r.history.Notes = append(r.history.Notes, text)
		r.progress.Notes = append(r.progress.Notes, text)
	}
}

// decodeState decodes a task's state from gob into a zero value: gob omits zero fields, so decoding into the caller's
// value would keep its initial fields.
func decodeState(data []byte, state any) (reflect.Value, error) {
	saved := reflect.New(reflect.TypeOf(state).Elem())
	err := container.DecodeGob(data, saved.Interface())
	return saved.Elem(), err
}

// refuseEarlier returns an error if the folder holds an earlier program's checkpoint, which would otherwise be lost
// silently.
func refuseEarlier(folder string) error {
	path := filepath.Join(folder, earlierFile)
	if _, err := os.Stat(path); err != nil {
		return nil // most likely it does not exist; the folder itself was checked before
	}
	return fmt.Errorf("train: %s was written by an earlier version of this program, which told runs apart in another way; finish "+
		"that run with that version, name another folder in Checkpoint, or delete the file to start anew", path)
}

// tidy checks that the folder is writable, and removes partial files of a program that was killed while writing.
func (cp *checkpoint) tidy() error {
	f, err := os.CreateTemp(cp.folder, checkpointFile+".*.part") // removed below with other leftover files
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return cp.notWritable(err)
	}
	for _, name := range []string{checkpointFile, runlog.RunFile} {
		left, err := fs.Glob(os.DirFS(cp.folder), name+".*.part")
		if err != nil {
			return fmt.Errorf("train: looking into the checkpoint folder: %w", err)
		}
		for _, path := range left {
			if err := os.Remove(filepath.Join(cp.folder, path)); err != nil {
				return fmt.Errorf("train: tidying the checkpoint folder: %w", err)
			}
		}
	}
	return nil
}

func (cp *checkpoint) notWritable(err error) error {
	return fmt.Errorf("train: the checkpoint folder %s cannot be written to (%w); make room there, make it writable or name another "+
		"one in Checkpoint: nothing was trained yet", cp.folder, err)
}

// save writes the state after step steps atomically: the previous file stays until the new state is on disk. Weights
// that are not finite end the run with a [Diverged].
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
	if cp.folder == "" || cp.saved == step && cp.good == cp.path { // a stopped run has usually been saved by then
		return nil
	}
	if err := cp.holds(); err != nil {
		return cp.notSaved(step, err)
	}
	file, err := r.encode(step)
	if err == nil && cp.good == cp.path {
		err = wholefile.Replace(cp.path, filepath.Join(cp.folder, beforeFile), file.Write)
	} else if err == nil { // the file at path is not good: keep the checkpoint before as the good one, if it exists
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

// notSaved returns the error of a failed save: the step, the cause, the remaining state and the remedy.
func (cp *checkpoint) notSaved(step int, err error) error {
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		err = system // omits the name of the variable being written
	}
	before := "no earlier one is there"
	if _, gone := os.Stat(cp.good); cp.saved > 0 && gone == nil {
		before = fmt.Sprintf("that after %d steps is still there, whole", cp.saved)
	}
	return fmt.Errorf("train: the checkpoint after %d steps could not be saved to %s (%w); %s: make room or mend what is wrong, "+
		"and run the same again to go on from it", step, cp.path, err, before)
}

// keep saves the state after step steps because err ends the run, and returns err with instructions to resume.
func (r *run) keep(step int, err error) error {
	if failed := r.save(step); failed != nil {
		return errors.Join(err, failed)
	}
	if path, saved := r.checkpoint.lastGood(); path != "" {
		return fmt.Errorf("%w; the state after %d steps is saved in %s: mend this and run the same again to go on from there", err, saved, path)
	}
	return err
}

// lastGood returns the file of the state that was last loaded or saved, "" for none, and its number of steps.
func (cp *checkpoint) lastGood() (path string, steps int) { return cp.good, cp.saved }
