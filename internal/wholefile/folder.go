package wholefile

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// SyncFolder puts the names in a folder on disk, where the system can.
func SyncFolder(folder string) error {
	if runtime.GOOS == "windows" { // which syncs no folders
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) { // a file system without
		err = nil
	}
	return errors.Join(err, f.Close())
}
