package datasets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/puclab/puclab/internal/filelock"
)

// lockPoll is the interval at which a waiting download tries the lock.
const lockPoll = 50 * time.Millisecond

// tryLock takes the lock at a path without waiting, as filelock.Try does; no lock file remains. It is a variable so
// that tests can simulate a file system without locks.
var tryLock = systemLock

// acquireLock waits for the lock until ctx is canceled. The returned function releases the lock.
func acquireLock(ctx context.Context, path string) (unlock func(), err error) {
	for {
		unlock, err := tryLock(path)
		if !errors.Is(err, filelock.ErrBusy) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("stopped while another program held %s: %w", path, context.Cause(ctx))
		case <-time.After(lockPoll):
		}
	}
}
