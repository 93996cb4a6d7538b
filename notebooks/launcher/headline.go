package launcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A notebook publishes its table of results by writing out/NAME/headline.txt. The launcher prints it after the run, if it
// was written in that run.

func headlinePath(p place, name string) string { return filepath.Join(p.out(), name, "headline.txt") }

// headlineTime returns when the headline was written last; the zero time when there is none.
func headlineTime(p place, name string) (time.Time, error) {
	info, err := os.Stat(headlinePath(p, name))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	} else if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// newHeadline returns the headline if it was written after the time that headlineTime gave before, "" else.
func newHeadline(p place, name string, before time.Time) (string, error) {
	now, err := headlineTime(p, name)
	if err != nil || now.IsZero() || now.Equal(before) {
		return "", err
	}
	text, err := os.ReadFile(headlinePath(p, name))
	return string(text), err
}
