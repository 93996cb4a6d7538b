package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/sealed"
)

// array is a submitted job.
type array struct {
	Job   string
	Names []string // of its tasks, by index in the array
}

// record lists the jobs that were submitted and whose end was not yet seen.
type record struct{ Arrays []array }

func (c Config) recordPath() string { return filepath.Join(c.Folder, "jobs.json") }

// readRecord returns the arrays of the record, none without a record.
func (c Config) readRecord() ([]array, error) {
	var r record
	err := sealed.Read(c.recordPath(), &r)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("slurm: which jobs were submitted cannot be read: %w\nSee with squeue that none of them is left, then "+
			"remove the file", err)
	}
	return r.Arrays, nil
}

// writeRecord writes the arrays to the record, and removes it if there are none.
func (c Config) writeRecord(arrays []array) error {
	if len(arrays) > 0 {
		return sealed.Write(c.recordPath(), record{arrays})
	}
	if err := os.Remove(c.recordPath()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
