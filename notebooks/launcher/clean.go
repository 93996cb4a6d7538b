package launcher

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// clean removes the environment and the results, and says how much that was. What others share stays: the caches of Go and
// pip, and downloaded data sets.
func (s *session) clean() (err error) {
	exclusive, err := lockAlone(environmentLock(s.place), "Another launcher", " uses the environment.",
		"Stop it (a run, a lab or a setup), then clean.")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, exclusive.Close()) }()
	for _, dir := range []string{s.place.env(), s.place.out()} {
		size, files, err := sizeOf(dir)
		if err != nil {
			return err
		}
		if err := removeTree(s.place, dir); err != nil {
			return err
		}
		s.console.Linef("Removed %s: %d files, %s.", s.place.relative(dir), files, bytesOf(size))
	}
	return nil
}

// sizeOf adds up the regular files below dir, without following links; a folder that does not exist is empty.
func sizeOf(dir string) (size int64, files int, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		files++
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return size, files, err
}
