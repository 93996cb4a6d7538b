package train

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/filelock"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/pucl/engine"
)

// regressionRun returns settings of a short regression run with a checkpoint after every other step.
func regressionRun(folder string) Settings {
	return Settings{Steps: 6, LearningRate: 0.05, Checkpoint: folder, CheckpointEvery: 2}
}

// contents returns the names of the files in a folder with their bytes.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries := expect.Must(os.ReadDir(folder))(t)
	for _, e := range entries {
		all[e.Name()] = read(t, filepath.Join(folder, e.Name()))
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	data := expect.Must(os.ReadFile(path))(t)
	return string(data)
}

func write(t *testing.T, path, data string) {
	t.Helper()
	expect.NoError(t, os.WriteFile(path, []byte(data), 0o644))
}

// If the newest checkpoint is damaged or missing, the run resumes from the previous one, adds a note, and ends with the
// same numbers. The damaged file must not replace the good one.
func TestTheCheckpointBeforeIsTaken(t *testing.T) {
	eng := enginetest.Open(t)
	whole := regression()
	history := runTask(t, eng, whole, Settings{Steps: 6, LearningRate: 0.05})
	ctx, stop := stopAfter(5)
	settings := regressionRun(t.TempDir())
	settings.Observer = stop
	_, err := Run(ctx, eng, regression(), settings)
	expect.Require(t, errors.Is(err, context.Canceled), "%v", err)
	stopped := contents(t, settings.Checkpoint)
	for name, tt := range map[string]struct {
		harm func(data string) string
		want string
	}{
		"flipped":   {func(data string) string { return data[:700] + string(data[700]^1) + data[701:] }, "checksum"},
		"cut":       {func(data string) string { return data[:len(data)/2] }, "is cut short"},
		"zero half": {func(data string) string { return data[:len(data)/2] + strings.Repeat("\x00", len(data)-len(data)/2) }, "checksum"},
		"zero":      {func(data string) string { return strings.Repeat("\x00", len(data)) }, "no file of it at all"},
		"empty":     {func(string) string { return "" }, "no file of it at all"},
		"scrap":     {func(string) string { return "scrap" }, "no file of it at all"},
		"missing":   {nil, "no such file"},
	} {
		folder := t.TempDir()
		newest, before := filepath.Join(folder, checkpointFile), filepath.Join(folder, beforeFile)
		for file, data := range stopped {
			write(t, filepath.Join(folder, file), data)
		}
		settings := regressionRun(folder)
		kept := read(t, before)
		if tt.harm == nil {
			expect.NoError(t, os.Remove(newest))
		} else {
			write(t, newest, tt.harm(read(t, newest)))
		}
		task, first := regression(), Progress{}
		settings.Observer = &starts{&first}
		again := runTask(t, eng, task, settings)
		if first.Step != 4 || len(first.Notes) != 1 || !strings.Contains(first.Notes[0], newest) || !strings.Contains(first.Notes[0], tt.want) ||
			!strings.Contains(first.Notes[0], "going on from "+before+", after 4 steps") || !slices.Equal(first.Notes, again.Notes) {
			t.Errorf("%s: going on from step %d with the notes %q, kept as %q", name, first.Step, first.Notes, again.Notes)
		}
		if paths := differing(t, whole, task); paths != nil || !slices.Equal(again.Losses, history.Losses) {
			t.Errorf("%s: %v differ; losses %v, want %v", name, paths, again.Losses, history.Losses)
		}
		expect.That(t, read(t, before) == kept, "%s: the good checkpoint was replaced by the damaged one", name)
	}
}

// starts is an observer that keeps the Progress of Start.
type starts struct{ at *Progress }

func (s *starts) Start(p Progress)    { *s.at = p }
func (s *starts) Step(Progress)       {}
func (s *starts) End(Progress, error) {}

// If both checkpoints are damaged, or the only one is, the error names the files and the remedy, and nothing is
// changed.
func TestNoCheckpointIsGood(t *testing.T) {
	eng := enginetest.Open(t)
	folder := t.TempDir()
	newest, before := filepath.Join(folder, checkpointFile), filepath.Join(folder, beforeFile)
	runTask(t, eng, regression(), regressionRun(folder))
	write(t, newest, read(t, newest)[:500])
	write(t, before, read(t, before)[:400])
	was := contents(t, folder)
	_, err := Run(context.Background(), eng, regression(), regressionRun(folder))
	names(t, "both", err, newest+" is cut short", before+" is cut short", "delete the folder to start anew")
	expect.That(t, maps.Equal(was, contents(t, folder)), "damaged checkpoints were touched")
	for _, only := range []string{before, newest} {
		other := map[string]string{before: newest, newest: before}[only]
		expect.NoError(t, os.Rename(other, other+".away"))
		_, err = Run(context.Background(), eng, regression(), regressionRun(folder))
		names(t, only, err, "train: "+only+" is cut short", "delete the folder to start anew")
		expect.NoError(t, os.Rename(other+".away", other))
	}
}

// A folder belongs to one run at a time. A second run fails with the name of the holder and changes nothing, including
// the files that the first is writing. When the first ends in any way, the folder is free.
func TestFolderIsOwned(t *testing.T) {
	eng := enginetest.Open(t)
	folder := t.TempDir()
	part := filepath.Join(folder, checkpointFile+".1.part")
	settings := regressionRun(folder)
	refused := 0
	settings.Observer = OnStep(func(p Progress) {
		write(t, part, "what the first run writes")
		was := contents(t, folder)
		for _, seed := range []uint64{0, 1} { // the same run, and another one
			second := regression()
			second.Identity = struct{ Seed uint64 }{seed}
			_, err := Run(context.Background(), eng, second, regressionRun(folder))
			var inUse *InUse
			if !errors.As(err, &inUse) || inUse.Folder != folder {
				t.Errorf("step %d: the second run says %v", p.Step, err)
				continue
			}
			refused++
			names(t, "a second run", err, folder, "regression, process ", " on ", ", since 20", "name another folder")
		}
		if !maps.Equal(was, contents(t, folder)) {
			t.Errorf("step %d: the second run changed the folder from %v to %v", p.Step, was, contents(t, folder))
		}
		err := os.Remove(part)
		expect.That(t, err == nil, "%v", err)
	})
	runTask(t, eng, regression(), settings)
	expect.That(t, refused == 12, "%d runs were refused, want 12", refused)
	_, ok := contents(t, folder)[lockFile]
	expect.That(t, !ok, "the lock stays")
	settings.Observer = nil
	runTask(t, eng, regression(), settings)
}

// A checkpoint of another run is an error before any file in the folder is removed.
func TestRefusedFoldersAreNotTidied(t *testing.T) {
	eng := enginetest.Open(t)
	folder := t.TempDir()
	runTask(t, eng, regression(), regressionRun(folder))
	part := filepath.Join(folder, checkpointFile+".1.part")
	write(t, part, "something")
	was := contents(t, folder)
	other := regression()
	other.Name = "another"
	_, err := Run(context.Background(), eng, other, regressionRun(folder))
	names(t, "another run", err, "is the checkpoint of another run")
	if !maps.Equal(was, contents(t, folder)) {
		t.Errorf("the folder changed from %v to %v", was, contents(t, folder))
	}
	runTask(t, eng, regression(), regressionRun(folder))
	if _, err := os.Stat(part); !os.IsNotExist(err) {
		t.Errorf("what a killed run left is still there: %v", err)
	}
}

// On a system without locks a run continues and adds a note.
func TestFoldersWithoutLocks(t *testing.T) {
	defer func(real func(string, bool) (*os.File, error)) { tryLock = real }(tryLock)
	tryLock = func(path string, _ bool) (*os.File, error) {
		write(t, path, "")
		return nil, &os.PathError{Op: "lock", Path: path, Err: filelock.ErrNone}
	}
	folder := t.TempDir()
	history := runTask(t, enginetest.Open(t), regression(), regressionRun(folder))
	expect.That(t, len(history.Notes) == 1 && strings.Contains(history.Notes[0], "no file locks"),
		"notes %q", history.Notes)
	_, ok := contents(t, folder)[lockFile]
	expect.That(t, !ok, "a lock that locks nothing stays")
}

// resealed returns a file with the given sections and a correct checksum.
func resealed(t testing.TB, kind container.Kind, names []string, sections [][]byte) []byte {
	t.Helper()
	var all []container.Section
	for i, name := range names {
		all = append(all, container.Section{Name: name, Parts: container.Parts{sections[i]}})
	}
	file := expect.Must(kind.Encode(all...))(t)
	return slices.Concat(file...)
}

// checkpointSections are the sections of a checkpoint.
var checkpointSections = []string{"head", "state", "variables"}

// A run that resumes in another environment notes the differences and records the earlier environment, or fails if
// SameEnvironment is set.
func TestOtherEnvironment(t *testing.T) {
	eng := enginetest.Open(t)
	folder := t.TempDir()
	ctx, stop := stopAfter(3)
	settings := regressionRun(folder)
	settings.Observer = stop
	if _, err := Run(ctx, eng, regression(), settings); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	settings.Observer, settings.SameEnvironment = nil, true
	path := filepath.Join(folder, checkpointFile)
	sections := expect.Must(checkpointKind.Read(path, checkpointSections...))(t)
	var head checkpointHead
	expect.NoError(t, strictjson.Unmarshal(sections[0], &head))
	other := eng.Environment()
	other.Engine, other.Threads = "another engine", 77
	head.Environment, head.Compute = other, "2 devices"
	sections[0] = expect.Must(strictjson.Marshal(head))(t)
	write(t, path, string(resealed(t, checkpointKind, checkpointSections, sections)))
	was := contents(t, folder)
	names(t, "another environment", expect.Err(Run(context.Background(), eng, regression(), settings)), path,
		"another environment", "another engine", "77", "2 devices there, one device here", "leave SameEnvironment off")
	expect.That(t, maps.Equal(was, contents(t, folder)), "the folder was changed")
	settings.SameEnvironment = false
	history := runTask(t, eng, regression(), settings)
	expect.That(t, len(history.Notes) == 1 && strings.Contains(history.Notes[0], "another engine") &&
		strings.Contains(history.Notes[0], "the first 3 steps"), "notes %q", history.Notes)
	expect.That(t, len(history.Earlier) == 1 && len(history.Earlier[0].Differences(other)) == 0,
		"environments before: %+v", history.Earlier)
	record := Record{Environment: eng.Environment(), Earlier: history.Earlier}
	text := record.String()
	expect.That(t, strings.Contains(text, "another engine there"), "the record says %q", text)
	// Its later checkpoints are of this environment, but its first steps are not.
	if history = runTask(t, eng, regression(), settings); len(history.Notes) != 1 || len(history.Earlier) != 1 {
		t.Errorf("notes %q, environments before %v", history.Notes, history.Earlier)
	}
	settings.SameEnvironment = true
	_, err := Run(context.Background(), eng, regression(), settings)
	names(t, "steps of another environment", err, path, "steps that were taken in another environment", "leave SameEnvironment off")
}

// smallCheckpoint returns the bytes of a checkpoint of a task.
func smallCheckpoint(t testing.TB, eng *engine.Engine, task Task) []byte {
	t.Helper()
	folder := t.TempDir()
	expect.NoError(t, expect.Err(Run(context.Background(), eng, task, regressionRun(folder))))
	return expect.Must(os.ReadFile(filepath.Join(folder, checkpointFile)))(t)
}

// loadCheckpoint loads the checkpoint at a path as a new run of a task does.
func loadCheckpoint(eng *engine.Engine, path string, task Task) (*run, error) {
	r := &run{Task: task, Settings: regressionRun(filepath.Dir(path)).WithDefaults(), history: &History{}}
	r.checkpoint = &checkpoint{identity: r.identity(), environment: eng.Environment()}
	return r, r.take(path)
}

// Every bit flip and every truncation of a checkpoint must cause an error, and an error must leave the run unchanged.
func TestEveryChangeOfACheckpointIsFound(t *testing.T) {
	eng := enginetest.Open(t)
	task, _ := tallied()
	good := smallCheckpoint(t, eng, task)
	path := filepath.Join(t.TempDir(), "checkpoint")
	refuse := func(what string, at int, data []byte) {
		t.Helper()
		expect.NoError(t, os.WriteFile(path, data, 0o644))
		task, state := tallied()
		r, err := loadCheckpoint(eng, path, task)
		var damaged *container.Damaged
		expect.That(t, errors.As(err, &damaged) && strings.Contains(err.Error(), path),
			"%s %d of %d: %v", what, at, len(good), err)
		expect.That(t, r.checkpoint.step == 0 && len(r.history.Losses) == 0 && len(state.Seen) == 0,
			"%s %d of %d: the run is at step %d, with %+v", what, at, len(good), r.checkpoint.step, state)
	}
	expect.NoError(t, os.WriteFile(path, good, 0o644))
	task, state := tallied()
	r, err := loadCheckpoint(eng, path, task)
	expect.Require(t, err == nil && r.checkpoint.step == 6 && len(state.Seen) == 6, "the good one: %v", err)
	// All of them in memory, and some by file and run, which takes longer.
	check := func(what string, at int, data []byte) {
		t.Helper()
		_, err := checkpointKind.Decode(data, checkpointSections...)
		expect.That(t, err != nil, "%s %d of %d: it was read", what, at, len(good))
		if at%101 == 0 {
			refuse(what, at, data)
		}
	}
	at := 0
	for what, data := range damagetest.Of(good, 8*len(good)) {
		check(what, at, data)
		at++
	}
	for cut := range good {
		if zeros := append(bytes.Clone(good[:cut]), make([]byte, len(good)-cut)...); !bytes.Equal(zeros, good) {
			check("zeros from", cut, zeros)
		}
	}
	refuse("more than", len(good), append(bytes.Clone(good), 0))
}
