package vectortest

import (
	"hash/crc32"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// Network holds the outputs of a PyTorch network for some images, with weights of [TorchWeights].
type Network struct {
	Batch, Height, Width int
	Outputs              [][]float64
}

// Images returns the formula's images, [Batch, Height, Width, 3].
func (n Network) Images() []float32 {
	out := make([]float32, n.Batch*n.Height*n.Width*3)
	for i, p := range Formula("images", len(out)) {
		out[i] = float32(p + 0.5)
	}
	return out
}

// Bytes returns the images of train/testdata/make_torchvision.py, [Batch, Height, Width, 3].
func (n Network) Bytes() []uint8 {
	out := make([]uint8, n.Batch*n.Height*n.Width*3)
	for i, p := range Formula("bytes", len(out)) {
		out[i] = uint8((p + 0.5) * 256)
	}
	return out
}

// Formula returns count numbers by the formula of make_fixtures.py: splitmix64 of the name's CRC-32 and the index,
// between −0.5 and 0.5.
func Formula(name string, count int) []float64 {
	out, seed := make([]float64, count), uint64(crc32.ChecksumIEEE([]byte(name)))<<32
	for i := range out {
		z := seed + uint64(i) + 0x9E3779B97F4A7C15
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
		out[i] = float64(z>>40)/(1<<24) - 0.5
	}
	return out
}

// TorchWeights returns the weights for a name and shape, as make_fixtures.py does.
func TorchWeights(name string, shape []int) []float64 {
	size := 1
	for _, n := range shape {
		size *= n
	}
	u := Formula(name, size)
	switch {
	case strings.HasSuffix(name, "running_var") || len(shape) == 1 && strings.HasSuffix(name, "weight"):
		floats.AddConst(1, u)
	case len(shape) == 2 || len(shape) == 4:
		floats.Scale(4/math.Sqrt(float64(size/shape[0])), u)
	}
	return u
}
