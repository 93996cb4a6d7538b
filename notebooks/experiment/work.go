package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/internal/peak"
	"github.com/puclab/puclab/internal/runlog"
	"github.com/puclab/puclab/internal/sealed"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// WorkFolder returns the folder for the state of unfinished runs: notebooks/out/grid of this checkout.
func WorkFolder() (string, error) {
	root, ok := home.Dir()
	if !ok {
		return "", errors.New("experiment: this is no checkout, whose notebooks/out would hold the runs that are not done: " +
			"start in its folder")
	}
	return filepath.Join(root, "notebooks", "out", "grid"), nil
}

// desk is the work folder of an unfinished run:
//
//	lock            held by the program that does the run, see [Store.lock]
//	log             the output of its workers
//	sittings.json   number and duration of its sittings (attempts)
//	run/            the run's own: checkpoints
//	kept/           output for later studies, such as weights; it stays when the rest is removed
//	logs/           the logs of its trainings, once it is done
type desk struct{ folder string }

// deskOf returns the desk of a run in the folder work.
func deskOf(work string, size Size, run Run) desk {
	return desk{filepath.Join(work, string(size), filepath.FromSlash(run.Path()))}
}

func (d desk) log() string      { return filepath.Join(d.folder, "log") }
func (d desk) sittings() string { return filepath.Join(d.folder, "sittings.json") }
func (d desk) run() string      { return filepath.Join(d.folder, "run") }
func (d desk) kept() string     { return filepath.Join(d.folder, "kept") }
func (d desk) logs() string     { return filepath.Join(d.folder, "logs") }

// keepLogs moves the logs of the trainings out of the folder that clear removes. They replace the logs of an earlier
// run.
func (d desk) keepLogs() error {
	if err := os.RemoveAll(d.logs()); err != nil {
		return err
	}
	return filepath.WalkDir(d.run(), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the run needed no folder
		}
		if err != nil || entry.IsDir() || !runlog.Has(entry.Name()) {
			return err
		}
		to, err := filepath.Rel(d.run(), path)
		if err != nil {
			return err
		}
		to = filepath.Join(d.logs(), to)
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(path, to))
	})
}

// clear removes the state for resumption.
func (d desk) clear() error {
	err := os.RemoveAll(d.run()) // first: without the other file this state is not trusted
	if err == nil {
		err = os.Remove(d.sittings())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// sittings is the record of an unfinished run over its sittings (attempts).
type sittings struct {
	Identity  Identity
	Record    train.Record // engine, versions and hardware of the last sitting
	Started   time.Time
	Seconds   float64
	Sittings  int
	PeakBytes int
}

// sitting is one attempt at a run, whose record is saved continuously.
type sitting struct {
	desk   desk
	before sittings // of all earlier ones
	start  time.Time

	stop    chan struct{}
	stopped sync.WaitGroup
}

// heartbeat is the interval at which the record of a sitting is saved. It is a variable so that tests need not wait.
var heartbeat = 5 * time.Second

// sit begins a sitting of a run with this identity. It removes the state of any other identity.
func (d desk) sit(eng *engine.Engine, identity Identity) (*sitting, error) {
	s := &sitting{desk: d, start: time.Now(), stop: make(chan struct{})}
	err := sealed.Read(d.sittings(), &s.before)
	if err != nil || len(s.before.Identity.Differences(identity)) > 0 {
		if err := errors.Join(d.clear(), os.RemoveAll(d.kept())); err != nil {
			return nil, err
		}
		s.before = sittings{Identity: identity, Started: s.start.UTC().Truncate(time.Second)}
	}
	s.before.Sittings++
	s.before.Record = train.NewRecord(eng, "", "")
	if err := errors.Join(s.write(), os.MkdirAll(d.run(), 0o755), os.MkdirAll(d.kept(), 0o755)); err != nil {
		return nil, err
	}
	s.stopped.Go(func() {
		ticks := time.NewTicker(heartbeat)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				s.write() // a lasting error is returned at the end
			case <-s.stop:
				return
			}
		}
	})
	return s, nil
}

// now returns the record of the run, including this sitting.
func (s *sitting) now() sittings {
	now := s.before
	now.Seconds = math.Round(100*(now.Seconds+time.Since(s.start).Seconds())) / 100
	if bytes, err := peak.Bytes(); err == nil { // an error means that the system does not report it
		now.PeakBytes = max(now.PeakBytes, bytes)
	}
	return now
}

func (s *sitting) write() error { return sealed.Write(s.desk.sittings(), s.now()) }

// end ends the sitting and returns the record of the run.
func (s *sitting) end() (sittings, error) {
	close(s.stop)
	s.stopped.Wait()
	now := s.now()
	return now, sealed.Write(s.desk.sittings(), now)
}

// spent returns the seconds of earlier sittings from whose state a run would resume, 0 without such state.
func (d desk) spent(run Run) float64 {
	var before sittings
	identity, err := run.Identity()
	if err != nil || sealed.Read(d.sittings(), &before) != nil || len(before.Identity.Differences(identity)) > 0 {
		return 0
	}
	return before.Seconds
}

// result returns the result of a run, without its outcome.
func (s sittings) result(run Run) *Result {
	return &Result{
		Format: resultFormat, Setting: run.Setting, Method: run.Method, Seed: run.Seed, Identity: s.Identity,
		Started: s.Started, Seconds: s.Seconds, Sittings: s.Sittings, PeakBytes: s.PeakBytes, Record: s.Record,
	}
}

// fingerprint returns a text that changes when a file in the folder of a run changes.
func fingerprint(folder string) (string, error) {
	var parts [][]byte
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".lock" || runlog.Has(entry.Name()) {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			parts = append(parts, fmt.Appendf(nil, "%s %d %s", path, info.Size(), info.ModTime()))
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) { // nothing yet, or a file removed meanwhile
		err = nil
	}
	return train.Digest(parts...), err
}

// failure returns the result of a run whose worker died. Without a record of its sittings it has none.
func (d desk) failure(run Run, why string) (*Result, error) {
	identity, err := run.Identity()
	if err != nil {
		return nil, err
	}
	known := sittings{Started: time.Now().UTC().Truncate(time.Second)}
	if err := sealed.Read(d.sittings(), &known); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	known.Identity = identity
	result := known.result(run)
	result.Failure = why
	return result, nil
}

// Kept returns the folder with a done run's output for later studies, such as weights, in the work folder where it was
// done.
func Kept(work string, size Size, run Run) string { return deskOf(work, size, run).kept() }
