package onednn

import "sync"

var (
	plansLock sync.Mutex
	plans     = map[any]int{} // the numbers of earlier plans
)

// planOf returns the number of the plan for a convolution or product, or -1 for an operation left to XLA.
func planOf(operation any) int {
	plansLock.Lock()
	defer plansLock.Unlock()
	number, ok := plans[operation]
	if !ok {
		number = makePlan(operation)
		plans[operation] = number
	}
	return number
}
