package datasets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/puclab/puclab/internal/filelock"
)

// lockPoll is how often a waiting download looks whether the other one has ended.
const lockPoll = 50 * time.Millisecond

// tryLock takes the lock named by a path without waiting, as filelock.Try does; no file of a lock stays. It is a variable so
// that tests can stand in for a file system without locks.
var tryLock = systemLock

// acquireLock waits for the lock until ctx is canceled. The function that it returns gives the lock back.
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
