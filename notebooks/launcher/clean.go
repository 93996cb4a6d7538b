package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/naming"
)

// clean removes the environment and the results, and reports their size. Shared files stay: the caches of Go and pip,
// and downloaded data sets.
func (s *session) clean() (err error) {
	exclusive, err := lockAlone(environmentLock(s.place), "Another launcher", " uses the environment.",
		"Stop it (a run, a lab or a setup), then clean.")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, exclusive.Close()) }()
	if err := errors.Join(s.noJobs(), s.noLooseResults()); err != nil {
		return err
	}
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

// noJobs returns an error if jobs of a Slurm cluster may still be running: their program and their state are below
// out/grid.
func (s *session) noJobs() error {
	records, err := fs.Glob(os.DirFS(s.place.out()), "grid/*/slurm/jobs.json")
	if err != nil || len(records) == 0 {
		return err
	}
	return &problem{
		What: "Jobs that were submitted to Slurm may still be at work, and need what is in " + s.place.relative(s.place.out("grid")) + ".",
		Mend: "Start the same grid again, which waits for them; or end them with scancel and remove " +
			s.place.relative(s.place.out(records[0])) + ". Then clean.",
	}
}

// noLooseResults returns an error if results of long runs exist only below out/results, such as those of a killed grid.
func (s *session) noLooseResults() error {
	for _, size := range naming.Sizes() {
		loose, err := fs.Glob(os.DirFS(s.place.out()), "results/"+size+"/*/*/seed-*.json")
		if err != nil {
			return err
		}
		if size == "smoke" || len(loose) == 0 {
			continue
		}
		return &problem{
			What: fmt.Sprintf("Results that are not packed yet lie in %s, such as %s.", s.place.relative(s.place.out("results", size)), loose[0]),
			Mend: "Run `go run ./notebooks grid -size " + size + " -pack`, which moves them to notebooks/results; or remove them. Then clean.",
		}
	}
	return nil
}

// sizeOf returns the total size of the regular files below dir, without following links; a missing folder is empty.
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
