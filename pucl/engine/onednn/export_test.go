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

// Kinds counts what oneDNN computes by its kind.
type Kinds struct{ Forward, InputGradient, KernelGradient, Product int }

// Made counts the plans that were made so far.
func Made() (k Kinds) {
	plansLock.Lock()
	defer plansLock.Unlock()
	for operation, number := range plans {
		if number < 0 {
			continue
		}
		switch o := operation.(type) {
		case product:
			k.Product++
		case convolution:
			*map[what]*int{forward: &k.Forward, inputGradient: &k.InputGradient, kernelGradient: &k.KernelGradient}[o.what]++
		}
	}
	return k
}

// Minus counts what k has more than old.
func (k Kinds) Minus(old Kinds) Kinds {
	return Kinds{k.Forward - old.Forward, k.InputGradient - old.InputGradient, k.KernelGradient - old.KernelGradient, k.Product - old.Product}
}
