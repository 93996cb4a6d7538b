//go:build cgo && linux

package programs

// Kept counts the programs that somebody holds and those that nobody does.
func Kept() (held, idle int) {
	kept.lock.Lock()
	defer kept.lock.Unlock()
	return len(kept.executable) - kept.idle.Len(), kept.idle.Len()
}

// KeepIdle sets how many programs are kept that nobody holds, and returns how many were.
func KeepIdle(most int) (before int) {
	kept.lock.Lock()
	defer kept.lock.Unlock()
	before, kept.most = kept.most, most
	return before
}
