package onednn

func init() { smallest = 1 << 12 } // so that tests can do with little

// SetAttached switches the calls on and off for programs that are compiled from now on.
func SetAttached(on bool) { attached.Store(on) }

// Kinds counts what oneDNN computes by its kind.
type Kinds struct{ Forward, InputGradient, KernelGradient, Product int }

// Forget lets everything be asked for anew, so that Made counts what is compiled after it. Programs compiled before keep their calls.
func Forget() {
	plansLock.Lock()
	defer plansLock.Unlock()
	clear(plans)
}

// Made counts the plans that were made since Forget.
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

// Plus adds up kind by kind.
func (k Kinds) Plus(l Kinds) Kinds {
	return Kinds{k.Forward + l.Forward, k.InputGradient + l.InputGradient, k.KernelGradient + l.KernelGradient, k.Product + l.Product}
}

// Sum is the count of all kinds.
func (k Kinds) Sum() int { return k.Forward + k.InputGradient + k.KernelGradient + k.Product }

// PlanOf gives the number of a plan for a product of a batch of 1, rows × inner times inner × columns.
func PlanOf(rows, columns, inner int) int {
	return planOf(product{batch: 1, rows: rows, columns: columns, inner: inner,
		leftStrides: [3]int{rows * inner, inner, 1}, rightStrides: [3]int{inner * columns, columns, 1}})
}
