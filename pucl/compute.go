package pucl

// Compute says how the work of a training step is done. The zero value is one device, float32, the whole batch at once, and
// all activations kept for the gradient.
type Compute struct{}
