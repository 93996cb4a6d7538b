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

// faultCount is the environment variable with the number of sizes that a full disk is tried at.
const faultCount = "PUCL_FAULT_COUNT"

func init() {
	faultModes["no room in a file"] = func(ctx context.Context, eng *engine.Engine, batches *datasets.Batches, config train.Config) error {
		signal.Ignore(syscall.SIGXFSZ)
		return fullDisk(ctx, eng, batches, config, syscall.EFBIG, limitFiles)
	}
	faultModes["no room on the disk"] = func(ctx context.Context, eng *engine.Engine, batches *datasets.Batches, config train.Config) error {
		ballast := filepath.Join(filepath.Dir(config.Checkpoint), "ballast")
		fill := func(room int) (func() error, error) { return fillDisk(ballast, room) }
		return fullDisk(ctx, eng, batches, config, syscall.ENOSPC, fill)
	}
	faultModes["nothing may be written"] = nothingWritten
	faultModes["no room for another"] = savedOver
}

// limitFiles makes writes beyond so many bytes of a file fail, as a full disk does, until it is undone.
func limitFiles(room int) (undo func() error, err error) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return nil, err
	}
	limit := old
	limit.Cur = uint64(room)
	return func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old) }, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}

// fillDisk fills the file system of path but for about so many bytes, until it is undone.
func fillDisk(path string, room int) (undo func() error, err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int64(0)
	for {
		n, err := f.Write(make([]byte, 4096))
		size += int64(n)
		if errors.Is(err, syscall.ENOSPC) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	return func() error { return os.Remove(path) }, f.Truncate(max(0, size-int64(room)))
}

// fullDisk has one run after the other find a full disk when it goes on from its fourth step, at sizes from none to enough, and
// returns an error for the first one that loses something or does not say what is wrong. Folders are emptied between runs.
func fullDisk(ctx context.Context, eng *engine.Engine, batches *datasets.Batches, config train.Config, cause error,
	fill func(room int) (undo func() error, err error)) error {
	count, err := strconv.Atoi(os.Getenv(faultCount))
	if err != nil {
		return err
	}
	folder := config.Checkpoint
	run := func(ctx context.Context, folder string, observer train.Observer) (string, error) {
		c := config
		c.Checkpoint, c.Observer = folder, observer
		m, err := train.Pretrain(ctx, eng, batches, c)
		if err != nil {
			return "", err
		}
		return resultOf(m)
	}
	whole, err := run(ctx, "", nil)
	if err != nil {
		return err
	}
	stopping, stop := context.WithCancel(ctx)
	base := os.Getenv(faultResult) // elsewhere
	_, err = run(stopping, base, train.OnStep(func(p train.Progress) {
		if p.Step == 4 {
			stop()
		}
	}))
	if !errors.As(err, new(*train.Stopped)) {
		return fmt.Errorf("the first part of the run ended with %w", err)
	}
	info, err := os.Stat(filepath.Join(base, newest))
	if err != nil {
		return err
	}
	failed, most := 0, int(info.Size())*3
	for i := range count + 1 {
		room := most * i / count
		problem := func(format string, a ...any) error {
			return fmt.Errorf("room for %d bytes: "+format, append([]any{room}, a...)...)
		}
		if err := errors.Join(os.RemoveAll(folder), os.CopyFS(folder, os.DirFS(base))); err != nil {
			return err
		}
		undo, err := fill(room)
		if err != nil {
			return err
		}
		got, failure := run(ctx, folder, nil)
		if err := undo(); err != nil {
			return err
		}
		if failure != nil {
			failed++
			if text := failure.Error(); !errors.Is(failure, cause) || !strings.Contains(text, folder) || !strings.Contains(text, "make room") ||
				strings.Contains(text, "could not be saved") != strings.Contains(text, "steps is still there, whole") {
				return problem("the error lacks cause, place or cure: %w", failure)
			}
			if left, err := filepath.Glob(filepath.Join(folder, "*.part")); err != nil || len(left) > 0 {
				return problem("%v are left, %v", left, err)
			}
			from := -1
			got, err = run(ctx, folder, steps{func(p train.Progress) { from = p.Step }, func(train.Progress) {}})
			if err != nil || from < 4 {
				return problem("the run goes on from %d, %v", from, err)
			}
		}
		if got != whole {
			return problem("it ends in\n%s\nwant\n%s", got, whole)
		}
	}
	if failed == 0 || failed > count {
		return fmt.Errorf("%d of %d runs found no room", failed, count+1)
	}
	fmt.Println("found no room", failed)
	return nil
}

// savedOver saves over files that are there, with ever more room, and returns an error unless they stay as they were whenever it finds
// too little.
func savedOver(ctx context.Context, eng *engine.Engine, batches *datasets.Batches, config train.Config) error {
	signal.Ignore(syscall.SIGXFSZ)
	folder := config.Checkpoint
	config.Steps, config.Checkpoint = 1, ""
	m, err := train.Pretrain(ctx, eng, batches, config)
	if err != nil {
		return err
	}
	failed := 0
	for name, save := range map[string]func(path string) error{
		"model": m.Save, "classifier": classifier(m).Save,
		"embedding": (&train.Embedding{H: mat.NewDense(40, 3, nil), Z: mat.NewDense(40, 2, nil)}).Save,
	} {
		path := filepath.Join(folder, name)
		if err := save(path); err != nil {
			return err
		}
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i := range 40 {
			room := i * len(old) / 38
			undo, err := limitFiles(room)
			if err != nil {
				return err
			}
			failure := save(path)
			now, err := os.ReadFile(path)
			if err := errors.Join(undo(), err); err != nil {
				return err
			}
			if !bytes.Equal(now, old) || (failure != nil) != (room < len(old)) {
				return fmt.Errorf("%s with room for %d of %d bytes: changed %t, %w", name, room, len(old), !bytes.Equal(now, old), failure)
			}
			if failure == nil {
				continue
			}
			failed++
			if text := failure.Error(); !errors.Is(failure, syscall.EFBIG) || !strings.Contains(text, path) || !strings.Contains(text, "make room") {
				return fmt.Errorf("%s: the error lacks cause, place or cure: %w", name, failure)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*.part")); err != nil || len(left) > 0 || failed != 114 {
		return fmt.Errorf("%d of 120 found no room, want 114; %v are left, %v", failed, left, err)
	}
	fmt.Println("found no room", failed)
	return nil
}

// On a full disk, at every size, a run ends with an error that names cause and cure, what was saved before stays, and the run
// goes on from it once there is room.
func TestFaultFullDisk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode  string
		count int
	}{{"no room in a file", 20}, {"no room on the disk", 12}, {"no room for another", 1}} {
		t.Run(tt.mode, func(t *testing.T) {
			disk := t.TempDir()
			if tt.mode == "no room on the disk" {
				mountDisk(t, disk, "size=512k")
			}
			t.Parallel()
			// The engine plays no part.
			r := faultRun{backend: "go", folder: filepath.Join(disk, "run"), result: t.TempDir(), env: []string{
				faultMode + "=" + tt.mode, faultCount + "=" + strconv.Itoa(faults(t, tt.count))}}
			p := r.start(t)
			var seen tally
			if failure, _ := p.end(t); failure != "" {
				t.Error(failure)
				seen.add("lost, or said badly")
			}
			seen.add(fmt.Sprintf("runs that found no room and lost nothing: %d", p.last("found no room")))
			seen.row(t, "disk full, "+tt.mode)
		})
	}
}

// mountDisk makes a small disk at dir, or skips the test where that is not allowed.
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

// nothingWritten asks for a run as somebody who may not write to the folder, and returns an error unless it is refused at once.
func nothingWritten(ctx context.Context, eng *engine.Engine, batches *datasets.Batches, config train.Config) error {
	if os.Getuid() == 0 { // whom no permissions bind
		const nobody = 65534
		if err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return err
		}
	}
	config.Observer = steps{func(train.Progress) { fmt.Println("trains") }, func(train.Progress) {}}
	_, err := train.Pretrain(ctx, eng, batches, config)
	return err
}

// Where nothing can be written nothing is trained, the error says so at once, and what is there stays.
func TestFaultReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, up := range []string{dir, filepath.Dir(dir)} { // for whom the run becomes
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
			for _, want := range []string{tt.cause, r.folder, "make it writable or name another"} {
				expect.That(t, strings.Contains(failure, want), "%q lacks %q", failure, want)
			}
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
