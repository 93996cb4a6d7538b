package encoder

// WithDefaults returns e with its zero fields set to their defaults, if e is a network of this package. Other encoders
// are returned unchanged.
func WithDefaults(e Encoder) Encoder {
	switch e := e.(type) {
	case MLP:
		return e.withDefaults()
	case SmallCNN:
		return e.withDefaults()
	case LeNet:
		return e.withDefaults()
	case AllConv:
		return e.withDefaults()
	case ShortConv:
		return e.withDefaults()
	case ResNet:
		return e.withDefaults()
	case ViT:
		return e.withDefaults()
	}
	return e
}

// Stages returns the number of blocks of each of the four stages, nil for an unsupported depth.
func (r ResNet) Stages() []int {
	stages := map[int][]int{10: {1, 1, 1, 1}, 18: {2, 2, 2, 2}, 34: {3, 4, 6, 3}, bottlenecks: {3, 4, 6, 3}}
	return stages[r.withDefaults().Depth]
}

// Bottlenecks reports whether a block is a 3×3 convolution between two 1×1 ones, and not two 3×3 ones.
func (r ResNet) Bottlenecks() bool { return r.Depth == bottlenecks }
