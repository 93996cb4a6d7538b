package onednn

func init() { smallest = 1 << 12 } // so that small tests suffice

// SetAttached enables or disables the calls for programs compiled later.
func SetAttached(on bool) { attached.Store(on) }

// Kinds counts oneDNN's operations by kind.
type Kinds struct{ Forward, InputGradient, KernelGradient, Product int }

// Forget clears the plans, so that Made counts later compilations. Programs compiled before keep their calls.
func Forget() {
	plansLock.Lock()
	defer plansLock.Unlock()
	clear(plans)
}

// Made counts the plans made since Forget.
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

// Plus adds kind by kind.
func (k Kinds) Plus(l Kinds) Kinds {
	return Kinds{k.Forward + l.Forward, k.InputGradient + l.InputGradient, k.KernelGradient + l.KernelGradient, k.Product + l.Product}
}

// Sum is the count of all kinds.
func (k Kinds) Sum() int { return k.Forward + k.InputGradient + k.KernelGradient + k.Product }

// PlanOf returns the number of a plan for a product of a batch of 1, rows × inner times inner × columns.
func PlanOf(rows, columns, inner int) int {
	return planOf(product{batch: 1, rows: rows, columns: columns, inner: inner,
		leftStrides: [3]int{rows * inner, inner, 1}, rightStrides: [3]int{inner * columns, columns, 1}})
}
