package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
)

// Pack moves the loose results of these runs into the packs of their settings. It copies from other stores the results
// that this store lacks. From several results of a run it takes the first current one: this store's loose one, its
// packed one, then those of the other stores. If none is current, it packs the loose one. Loose files that are damaged,
// or whose run is in progress, stay unchanged.
//
// Each pack is replaced atomically, under a lock, and its loose files are removed afterwards. Pack therefore loses
// nothing if it is killed or runs beside other programs. A damaged pack is an error and stays unchanged; packing
// continues with other settings.
func (s *Store) Pack(size Size, runs []Run, others ...*Store) error {
	var errs []error
	for len(runs) > 0 {
		setting := slug(runs[0].Setting)
		var of, rest []Run
		for _, run := range runs {
			if slug(run.Setting) == setting {
				of = append(of, run)
			} else {
				rest = append(rest, run)
			}
		}
		runs = rest
		if err := s.packSetting(size, of, others); err != nil {
			errs = append(errs, fmt.Errorf("experiment: the results of %s cannot be packed: %w; loose ones stay in %s",
				of[0].Setting, err, s.loose()))
		}
	}
	return errors.Join(errs...)
}

// packSetting packs runs of one setting.
func (s *Store) packSetting(size Size, runs []Run, others []*Store) error {
	runs = slices.DeleteFunc(runs, func(run Run) bool {
		path := s.file(size, run)
		return len(others) == 0 && missing(path) && missing(answersBeside(path))
	})
	if len(runs) == 0 {
		return nil
	}
	release, err := s.lockPack(size, runs[0])
	if err != nil {
		return err
	}
	defer release()
	results, err := openPack(s.packFile(size, runs[0], packEnding))
	answers, answersErr := openPack(s.packFile(size, runs[0], answersEnding))
	if err := errors.Join(err, answersErr); err != nil {
		return err
	}
	lines, answerLines := results.all(), answers.all()
	var moved []string
	for _, run := range runs {
		// The lock is held until the loose file is removed, so that no newer one is written meanwhile.
		free, _, err := s.hold(run, s.runLock(size, run))
		var busy *Busy
		if errors.As(err, &busy) {
			continue
		} else if err != nil {
			return err
		}
		defer free()
		path := s.file(size, run)
		if beside := answersBeside(path); missing(path) && !missing(beside) { // left by a killed program
			if err := os.Remove(beside); err != nil {
				return err
			}
		}
		best, from, err := s.best(size, run, results, others)
		if err != nil {
			return err
		} else if best == nil {
			continue
		}
		found, err := from.findAnswers(size, run, best.digest())
		if err != nil {
			return err
		}
		name := lineName(run.Method, run.Seed)
		lines[name] = best
		if delete(answerLines, name); found != nil {
			answerLines[name] = found
		}
		if from == s {
			moved = append(moved, path)
		}
	}
	if err := errors.Join(results.replaceable(lines), answers.replaceable(answerLines)); err != nil {
		return err
	}
	if err := answers.replace(answerLines); err != nil { // first: answers without a result are harmless
		return err
	}
	if err := results.replace(lines); err != nil {
		return err
	}
	for _, path := range moved {
		if err := removeLoose(path); err != nil {
			return err
		}
	}
	return nil
}

// missing reports whether there is no file at path.
func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// best returns the result of a run that the pack should hold, and its store. It returns nil if the pack already holds
// the best result, or if there is none.
func (s *Store) best(size Size, run Run, packed *pack, others []*Store) (*kept, *Store, error) {
	here, err := run.Identity()
	if err != nil {
		return nil, nil, err
	}
	loose, err := s.readLoose(size, run)
	if err != nil {
		return nil, nil, err
	}
	if loose.current(run, here) {
		return loose, s, nil
	}
	if packed.lines[lineName(run.Method, run.Seed)].current(run, here) {
		return nil, nil, nil
	}
	for _, other := range others {
		theirs, err := other.readLoose(size, run)
		if err == nil && !theirs.current(run, here) {
			var p *pack
			if p, err = openPack(other.packFile(size, run, packEnding)); err == nil {
				theirs = p.lines[lineName(run.Method, run.Seed)]
			}
		}
		if err != nil {
			return nil, nil, err
		}
		if theirs.current(run, here) {
			return theirs, other, nil
		}
	}
	if loose != nil && loose.intact {
		return loose, s, nil
	}
	return nil, nil, nil
}

// all returns a copy of the lines of a pack.
func (p *pack) all() map[string]*kept {
	if p.lines == nil {
		return map[string]*kept{}
	}
	return maps.Clone(p.lines)
}

// replaceable returns an error if the file of a pack contains damage that lines would not repair.
func (p *pack) replaceable(lines map[string]*kept) error {
	if why := p.damage(); why != "" {
		return errors.New(why)
	}
	for _, k := range lines {
		if !k.intact {
			return fmt.Errorf("%s is not as it was written; restore the file, as by git checkout, or do this run again "+
				"by grid -again", k.where)
		}
	}
	return nil
}

// replace writes lines to the pack. If they are unchanged, so is the file.
func (p *pack) replace(lines map[string]*kept) error {
	same := func(a, b *kept) bool { return bytes.Equal(a.line, b.line) }
	switch {
	case maps.EqualFunc(lines, p.lines, same):
		return nil
	case len(lines) == 0:
		return os.Remove(p.path)
	}
	return writePack(p.path, lines)
}

// removeLoose removes the loose file of a packed result, and then its answers. In the reverse order, a program killed
// in between would leave a result that seems to have no answers.
func removeLoose(path string) error {
	err := os.Remove(path)
	if gone := os.Remove(answersBeside(path)); err == nil && !errors.Is(gone, fs.ErrNotExist) {
		err = gone
	}
	return err
}
