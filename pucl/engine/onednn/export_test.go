package onednn

func init() { smallest = 1 << 12 } // so that tests can do with little

// Plans counts what was asked for: what oneDNN computes and what it left to XLA.
func Plans() (made, refused int) {
	plansLock.Lock()
	defer plansLock.Unlock()
	for _, number := range plans {
		if number < 0 {
			refused++
		} else {
			made++
		}
	}
	return made, refused
}

// SetAttached switches the calls on and off for programs that are compiled from now on.
func SetAttached(on bool) { attached.Store(on) }
