//go:build unix

package train

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
)

// TestFolderStays checks that a relative checkpoint folder does not move when the program changes its working
// directory.
func TestFolderStays(t *testing.T) {
	eng := enginetest.Open(t)
	first, second := t.TempDir(), t.TempDir()
	t.Chdir(first)
	settings := regressionRun("run")
	settings.Observer = OnStep(func(p Progress) {
		if p.Step == 1 {
			t.Chdir(second)
		}
	})
	runTask(t, eng, regression(), settings)
	expect.NoError(t, expect.Err(os.Stat(filepath.Join(first, "run", checkpointFile))))
	left := contents(t, second)
	expect.That(t, len(left) == 0, "the other folder holds %d files", len(left))
}

// TestFolderTaken checks that a run whose lock was removed stops writing, since another run may hold the folder by
// then.
func TestFolderTaken(t *testing.T) {
	eng, folder := enginetest.Open(t), t.TempDir()
	lock := filepath.Join(folder, lockFile)
	settings := regressionRun(folder)
	settings.Observer = OnStep(func(p Progress) {
		if p.Step != 3 {
			return
		}
		err := os.Remove(lock)
		expect.That(t, err == nil, "%v", err)
		write(t, lock, "another run's")
	})
	_, err := Run(context.Background(), eng, regression(), settings)
	names(t, "a lock that is gone", err, lock, "removed or moved", "after 2 steps is still there")
	left := contents(t, folder)
	expect.That(t, left[lockFile] == "another run's", "the other run's lock is gone")
}

// TestNoFileThere checks that the previous checkpoint is loaded if a folder or a pipe has the newest checkpoint's name,
// and that a lock that is a link is not followed.
func TestNoFileThere(t *testing.T) {
	eng := enginetest.Open(t)
	for name, put := range map[string]func(path string) error{
		"folder": func(path string) error { return os.Mkdir(path, 0o755) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, checkpointFile)
		runTask(t, eng, regression(), regressionRun(folder))
		expect.NoError(t, os.Remove(path))
		expect.NoError(t, put(path))
		task := regression()
		r := run{Task: task, Settings: regressionRun(folder).WithDefaults(), history: &History{}}
		release, err := r.openCheckpoint(eng)
		expect.Require(t, err == nil, "%s: %v", name, err)
		release()
		if r.checkpoint.step != 4 || len(r.history.Notes) != 1 || !strings.Contains(r.history.Notes[0], "after 4 steps") {
			t.Errorf("%s: at step %d, notes %q", name, r.checkpoint.step, r.history.Notes)
		}
	}
	folder := t.TempDir()
	thesis := filepath.Join(t.TempDir(), "thesis")
	write(t, thesis, "years of work")
	expect.NoError(t, os.Symlink(thesis, filepath.Join(folder, lockFile)))
	_, err := Run(context.Background(), eng, regression(), regressionRun(folder))
	expect.That(t, err != nil, "a lock that is a link was taken")
	if data, err := os.ReadFile(thesis); err != nil || string(data) != "years of work" {
		t.Errorf("the file behind the link holds %q, %v", data, err)
	}
}
