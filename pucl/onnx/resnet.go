package onnx

import "github.com/puclab/puclab/pucl/encoder"

func (l layers) resNet(r encoder.ResNet, x value) value {
	x = l.channelsFirst(l.scale(r.Pixels, x))
	if r.CIFAR {
		x = l.relu(l.in("bn1").batchNorm(l.in("conv1").convolution(x, 1, 1, false)))
	} else {
		x = l.relu(l.in("bn1").batchNorm(l.in("conv1").convolution(x, 2, 3, false)))
		x = l.maxPool(x, 3, 2, 1)
	}
	for i, blocks := range r.Stages() {
		for j := range blocks {
			stride := 1
			if i > 0 && j == 0 {
				stride = 2
			}
			x = l.in("layer%d", i+1).in("%d", j).residual(x, stride, r.Bottlenecks())
		}
	}
	x = l.globalMean(x)
	if r.Classes > 0 {
		x = l.in("fc").dense(x, true)
	}
	return x
}

// residual adds the convolutions of a block to a shortcut around them.
func (l layers) residual(x value, stride int, bottleneck bool) value {
	kernels, strides := []int{3, 3}, []int{stride, 1}
	if bottleneck {
		kernels, strides = []int{1, 3, 1}, []int{1, stride, 1}
	}
	y := x
	for i, kernel := range kernels {
		if i > 0 {
			y = l.relu(y)
		}
		y = l.in("conv%d", i+1).convolution(y, strides[i], kernel/2, false)
		y = l.in("bn%d", i+1).batchNorm(y)
	}
	if stride != 1 || x.dims[0] != y.dims[0] {
		s := l.in("downsample")
		x = s.in("1").batchNorm(s.in("0").convolution(x, stride, 0, false))
	}
	return l.relu(l.add(x, y))
}
