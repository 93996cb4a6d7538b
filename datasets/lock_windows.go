package datasets

import (
	"os"
	"syscall"
	"time"

	"github.com/puclab/puclab/internal/filelock"
)

const (
	fileFlagDeleteOnClose = 0x04000000
	errorSharingViolation = syscall.Errno(32)
)

// systemLock opens the file exclusively; the system removes it when it is closed, also at the program's end.
func systemLock(path string) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const shareNothing = 0
	for range 10 {
		var handle syscall.Handle
		handle, err = syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, shareNothing, nil,
			syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|fileFlagDeleteOnClose, 0)
		if err == nil {
			return func() { syscall.CloseHandle(handle) }, nil
		}
		if err == errorSharingViolation {
			return nil, filelock.ErrBusy
		}
		if err != syscall.ERROR_ACCESS_DENIED {
			break
		}
		// Either the folder is not accessible, or the last owner's file is being deleted, which takes a moment.
		time.Sleep(lockPoll)
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}
