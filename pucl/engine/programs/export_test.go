//go:build cgo && linux

package programs

// Kept counts the programs that somebody holds and those that nobody does.
func Kept() (held, idle int) {
	kept.lock.Lock()
	defer kept.lock.Unlock()
	return len(kept.executable) - kept.idle.Len(), kept.idle.Len()
}

// MostIdle is how many programs are kept that nobody holds.
const MostIdle = mostIdle
