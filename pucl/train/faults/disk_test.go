//go:build unix

package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// faultCount is the environment variable with the number of sizes of free space to test.
const faultCount = "PUCL_FAULT_COUNT"

func init() {
	faultModes["no room in a file"] = func(ctx context.Context, t *testing.T, eng *engine.Engine, b *datasets.Batches,
		c train.Config) {
		signal.Ignore(syscall.SIGXFSZ)
		fullDisk(ctx, t, eng, b, c, syscall.EFBIG, func(room int) func() error { return limitFiles(t, room) })
	}
	faultModes["no room on the disk"] = func(ctx context.Context, t *testing.T, eng *engine.Engine, b *datasets.Batches,
		c train.Config) {
		ballast := filepath.Join(filepath.Dir(c.Checkpoint), "ballast")
		fullDisk(ctx, t, eng, b, c, syscall.ENOSPC, func(room int) func() error { return fillDisk(t, ballast, room) })
	}
	faultModes["nothing may be written"] = nothingWritten
	faultModes["no room for another"] = savedOver
}

// limitFiles makes writes beyond room bytes of a file fail, as on a full disk, until undo is called.
func limitFiles(t *testing.T, room int) (undo func() error) {
	var old syscall.Rlimit
	expect.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	limit := old
	limit.Cur = uint64(room)
	expect.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	return func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old) }
}

// fillDisk fills the file system of path except for about room bytes, until undo is called.
func fillDisk(t *testing.T, path string, room int) (undo func() error) {
	f := expect.Must(os.Create(path))(t)
	defer f.Close()
	size := int64(0)
	for {
		n, err := f.Write(make([]byte, 4096))
		size += int64(n)
		if errors.Is(err, syscall.ENOSPC) {
			break
		}
		expect.NoError(t, err)
	}
	expect.NoError(t, f.Truncate(max(0, size-int64(room))))
	return func() error { return os.Remove(path) }
}

// fullDisk resumes one run after the other from its fourth step on a full disk, with free space from none to enough. It
// fails the test if a run loses state or its error does not name the cause. Folders are emptied between runs.
func fullDisk(ctx context.Context, t *testing.T, eng *engine.Engine, batches *datasets.Batches, config train.Config,
	cause error, fill func(room int) (undo func() error)) {
	count := expect.Must(strconv.Atoi(os.Getenv(faultCount)))(t)
	folder, base := config.Checkpoint, os.Getenv(faultResult)
	run := func(ctx context.Context, folder string, observer train.Observer) (string, error) {
		c := config
		c.Checkpoint, c.Observer = folder, observer
		return pretraining(ctx, eng, batches, c)
	}
	whole := expect.Must(run(ctx, "", nil))(t)
	stopping, stop := context.WithCancel(ctx)
	_, err := run(stopping, base, train.OnStep(func(p train.Progress) {
		if p.Step == 4 {
			stop()
		}
	}))
	expect.Require(t, errors.As(err, new(*train.Stopped)), "the first part of the run ended with %v", err)
	failed, most := 0, 3*int(expect.Must(os.Stat(filepath.Join(base, newest)))(t).Size())
	for i := range count + 1 {
		room := most * i / count
		expect.NoError(t, errors.Join(os.RemoveAll(folder), os.CopyFS(folder, os.DirFS(base))))
		undo := fill(room)
		got, failure := run(ctx, folder, nil)
		expect.NoError(t, undo())
		if failure != nil {
			failed++
			expect.Is(t, failure, cause, "room for %d bytes", room)
			expect.Contains(t, failure.Error(), folder, "make room")
			if strings.Contains(failure.Error(), "could not be saved") {
				expect.Contains(t, failure.Error(), "steps is still there, whole")
			}
			noParts(t, folder)
			from := -1
			got = expect.Must(run(ctx, folder, steps{func(p train.Progress) { from = p.Step }, func(train.Progress) {}}))(t)
			expect.That(t, from >= 4, "room for %d bytes: the run goes on from %d", room, from)
		}
		expect.Equal(t, got, whole, "room for %d bytes: the end", room)
	}
	expect.That(t, failed > 0 && failed <= count, "%d of %d runs found no room", failed, count+1)
	fmt.Println("found no room", failed)
}

// savedOver overwrites existing files with increasing free space, and fails the test unless they stay unchanged
// whenever the space is too small.
func savedOver(ctx context.Context, t *testing.T, eng *engine.Engine, batches *datasets.Batches, config train.Config) {
	signal.Ignore(syscall.SIGXFSZ)
	folder := config.Checkpoint
	config.Steps, config.Checkpoint = 1, ""
	m := expect.Must(train.Pretrain(ctx, eng, batches, config))(t)
	failed := 0
	for name, save := range map[string]func(path string) error{
		"model": m.Save, "classifier": classifier(t, eng, m).Save,
		"embedding": (&train.Embedding{H: mat.NewDense(40, 3, nil), Z: mat.NewDense(40, 2, nil)}).Save,
	} {
		path := filepath.Join(folder, name)
		expect.NoError(t, save(path))
		old := expect.Must(os.ReadFile(path))(t)
		for i := range 40 {
			room := i * len(old) / 38
			undo := limitFiles(t, room)
			failure := save(path)
			expect.NoError(t, undo())
			now := expect.Must(os.ReadFile(path))(t)
			expect.That(t, bytes.Equal(now, old) && (failure != nil) == (room < len(old)),
				"%s with room for %d of %d bytes: changed %t, %v", name, room, len(old), !bytes.Equal(now, old), failure)
			if failure != nil {
				failed++
				expect.Is(t, failure, syscall.EFBIG, "%s", name)
				expect.Contains(t, failure.Error(), path, "make room")
			}
		}
	}
	noParts(t, folder)
	expect.Equal(t, failed, 114, "savings of 120 that found no room")
	fmt.Println("found no room", failed)
}

// noParts fails the test if unfinished files remain in a folder.
func noParts(t *testing.T, folder string) {
	t.Helper()
	expect.Equal(t, parts(t, folder), nil, "unfinished files")
}

// On a full disk, for every size of free space, a run ends with an error that names cause and remedy. The previous
// checkpoint stays, and the run resumes from it once there is space.
func TestFaultFullDisk(t *testing.T) {
	t.Parallel()
	for mode, count := range map[string]int{"no room in a file": 20, "no room on the disk": 12, "no room for another": 1} {
		t.Run(mode, func(t *testing.T) {
			disk := t.TempDir()
			if mode == "no room on the disk" {
				mountDisk(t, disk, "size=512k")
			}
			t.Parallel()
			// The test does not depend on the engine.
			r := faultRun{backend: "go", folder: filepath.Join(disk, "run"), result: t.TempDir(), env: []string{
				faultMode + "=" + mode, faultCount + "=" + strconv.Itoa(faults(t, count))}}
			p := r.start(t)
			var seen tally
			if failure, _ := p.end(t); failure != "" {
				t.Error(failure)
				seen.add("lost, or said badly")
			}
			seen.add(fmt.Sprintf("runs that found no room and lost nothing: %d", p.last("found no room")))
			seen.row(t, "disk full, "+mode)
		})
	}
}

// mountDisk mounts a small disk at dir, or skips the test if that is not permitted.
func mountDisk(t *testing.T, dir, options string) {
	t.Helper()
	if text, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no disk can be mounted here (%v: %s)", err, strings.TrimSpace(string(text)))
	}
	t.Cleanup(func() {
		text, err := exec.Command("umount", dir).CombinedOutput()
		expect.That(t, err == nil, "%v: %s", err, text)
	})
}

// nothingWritten starts a run as a user without write permission for the folder, and fails unless the run ends with an
// error at once.
func nothingWritten(ctx context.Context, t *testing.T, eng *engine.Engine, batches *datasets.Batches,
	config train.Config) {
	if os.Getuid() == 0 { // root ignores permissions
		const nobody = 65534
		expect.NoError(t, errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)))
	}
	config.Observer = steps{func(train.Progress) { fmt.Println("trains") }, func(train.Progress) {}}
	ended(expect.Err(train.Pretrain(ctx, eng, batches, config)))
}

// On a read-only folder nothing is trained, the error comes at once, and existing files stay.
func TestFaultReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, up := range []string{dir, filepath.Dir(dir)} { // for the user that the run switches to
		expect.NoError(t, os.Chmod(up, 0o755))
	}
	kept := faultRun{backend: "go", folder: filepath.Join(dir, "kept"), result: filepath.Join(dir, "result")}
	kept.must(t)
	for path, mode := range map[string]fs.FileMode{"empty": 0o555, "kept": 0o555, "disk": 0o777} {
		path = filepath.Join(dir, path)
		expect.NoError(t, os.MkdirAll(path, 0o755))
		expect.NoError(t, os.Chmod(path, mode))
	}
	defer os.Chmod(kept.folder, 0o755)
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("a file"), 0o444))
	listing := func() (all string) {
		expect.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				var data []byte
				data, err = os.ReadFile(filepath.Join(dir, path))
				all += fmt.Sprintf("%s %x\n", path, data)
			}
			return err
		}))
		return all
	}
	was := listing()
	var seen tally
	for _, tt := range []struct{ folder, cause string }{
		{"empty", "permission denied"},
		{"empty/to be made", "permission denied"},
		{"kept", "permission denied"},
		{"file", "not a directory"},
		{"file/below", "not a directory"},
		{"disk/run", "read-only file system"},
	} {
		t.Run(tt.folder, func(t *testing.T) {
			if disk := filepath.Join(dir, "disk"); strings.HasPrefix(tt.folder, "disk") {
				mountDisk(t, disk, "size=64k,ro")
			}
			r := kept
			r.folder, r.env = filepath.Join(dir, tt.folder), []string{faultMode + "=nothing may be written"}
			p := r.start(t)
			failure, _ := p.end(t)
			expect.Contains(t, failure, tt.cause, r.folder, "make it writable or name another")
			for _, line := range p.said {
				expect.That(t, line != "trains", "it trains")
			}
			seen.add("refused at once")
		})
	}
	now := listing()
	expect.That(t, now == was, "the files were\n%s\nand are\n%s", was, now)
	seen.row(t, "read-only folders")
}
