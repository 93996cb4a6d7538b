package baseline

// WithPrior returns the method with its class prior set to π if the method has a prior and its Prior is 0. Any other
// method is returned unchanged.
func WithPrior(m Method, prior float64) Method {
	fill := func(field *float64) {
		if *field == 0 {
			*field = prior
		}
	}
	switch m := m.(type) {
	case UPU:
		fill(&m.Prior)
		return m
	case NNPU:
		fill(&m.Prior)
		return m
	case NNPUMixup:
		fill(&m.Prior)
		return m
	case DistPU:
		fill(&m.Prior)
		return m
	case SelfPU:
		fill(&m.Prior)
		return m
	case LaGAM:
		fill(&m.Prior)
		return m
	}
	return m
}

// NeedsPrior reports whether the method requires a class prior that it does not have yet.
func NeedsPrior(m Method) bool { return m != WithPrior(m, 0.5) }
