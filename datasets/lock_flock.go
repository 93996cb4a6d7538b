//go:build !windows

package datasets

import (
	"errors"
	"os"

	"github.com/puclab/puclab/internal/filelock"
)

func systemLock(path string) (unlock func(), err error) {
	f, err := filelock.Try(path, false)
	if errors.Is(err, filelock.ErrNone) {
		os.Remove(path) // useless; it does not exist if there are no locks
	}
	if err != nil {
		return nil, err
	}
	return func() { filelock.Release(f, path) }, nil
}
