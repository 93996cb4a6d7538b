package onednn

// These constants divide the work of a plan. One thread computes a part, and the parts determine the order of
// summation. So they depend on sizes alone and never on the number of processors: results are bit-identical everywhere.

const (
	fewest   = 4 << 20 // minimum number of multiplications in a part
	mostSum  = 16      // maximum number of parts that are summed
	mostOf   = 32      // maximum number of parts of a convolution, by images
	shortest = 1024    // minimum number of terms in a part, if parts are summed
)

// divide returns the images and the output channels of a part. Only a kernel's gradient is divided by channels: it sums
// over the images, and with few images, sums of large kernels would cost more than they save.
func (c convolution) divide() (images, out int) {
	pixels := c.result[0] * c.result[1]
	work := float64(c.images) * float64(pixels) * float64(c.in) * float64(c.out) * float64(c.kernel[0]*c.kernel[1])
	parts := within(int(min(work/fewest, 1<<20)), 1, mostOf)
	out = c.out
	if c.what == kernelGradient {
		wanted := min(parts, mostSum)
		parts = within(c.images*pixels/shortest, 1, wanted)
		lastChannels := c.yStrides[1] == 1 && c.yStrides[3] == c.out && c.yStrides[2] == c.out*c.result[1] && c.yStrides[0] == c.out*pixels
		for lastChannels && parts*c.out/out < wanted && out%32 == 0 {
			out /= 2
		}
	}
	return (c.images + min(parts, c.images) - 1) / min(parts, c.images), out
}

// divide returns the sizes of a part: of the batch, the rows, the columns and the summed axis.
func (p product) divide() [4]int {
	part := [4]int{p.batch, p.rows, p.columns, p.inner}
	work := float64(p.batch) * float64(p.rows) * float64(p.columns) * float64(p.inner)
	wanted := within(int(min(work/fewest, 1<<20)), 1, mostSum)
	batches := min(wanted, p.batch)
	part[0] = (p.batch + batches - 1) / batches
	for parts := batches; parts < wanted; parts *= 2 {
		// The longest side is halved; the summed axis counts less, since its parts have to be added.
		_, rows, columns, inner := part[0], part[1], part[2], part[3]
		longest := max(rows, columns, inner/8)
		switch {
		case longest == inner/8 && inner >= 2*shortest:
			part[3] = half(inner)
		case rows >= columns && rows >= 128:
			part[1] = half(rows)
		case columns >= 128:
			part[2] = half(columns)
		default:
			return part
		}
	}
	return part
}

// half returns half of n, rounded up to a multiple of 16.
func half(n int) int { return (n + 31) / 32 * 16 }

func within(n, low, high int) int { return max(low, min(n, high)) }
