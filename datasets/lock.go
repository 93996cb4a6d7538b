package datasets

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	// errLocked says that somebody else holds the lock now.
	errLocked = errors.New("locked by another program")
	// errNoLocks says that the system or the file system has no locks that end with their owner.
	errNoLocks = errors.New("no file locks here")
)

// lockPoll is how often a waiting download looks whether the other one has ended.
const lockPoll = 50 * time.Millisecond

// tryLock takes the lock named by a path without waiting. The operating system drops such a lock when its owner ends,
// however it ends, so that no lock outlives a crash. It is a variable so that tests can stand in for a file system
// without locks.
var tryLock = systemLock

// acquireLock waits for the lock until ctx is canceled. The function that it returns gives the lock back.
func acquireLock(ctx context.Context, path string) (unlock func(), err error) {
	for {
		unlock, err := tryLock(path)
		if !errors.Is(err, errLocked) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("stopped while another program held %s: %w", path, context.Cause(ctx))
		case <-time.After(lockPoll):
		}
	}
}
