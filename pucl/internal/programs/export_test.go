//go:build cgo && linux

package programs

// Kept counts the programs in use and the idle ones.
func Kept() (held, idle int) {
	kept.lock.Lock()
	defer kept.lock.Unlock()
	return len(kept.executable) - kept.idle.Len(), kept.idle.Len()
}

// KeepIdle sets the maximum number of idle programs, and returns the previous one.
func KeepIdle(most int) (before int) {
	kept.lock.Lock()
	defer kept.lock.Unlock()
	before, kept.most = kept.most, most
	return before
}
