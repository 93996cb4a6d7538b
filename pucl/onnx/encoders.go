package onnx

import (
	"reflect"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/train"
)

// encode adds the encoder of a model. Its input is images [height, width, channels] with values in [0, 1], or rows of
// features.
func (g *graph) encode(m *train.Model, x value) value {
	e := m.Encoder()
	if v := reflect.ValueOf(e); v.Kind() == reflect.Pointer && !v.IsNil() {
		if pointed, ok := v.Elem().Interface().(encoder.Encoder); ok {
			e = pointed
		}
	}
	l := layers{graph: g, store: m.Store(), path: "/" + m.Networks()[0]}
	e = encoder.WithDefaults(e)
	if mlp, ok := e.(encoder.MLP); ok {
		return l.mlp(mlp, x)
	}
	if len(x.dims) == 3 {
		switch e := e.(type) {
		case encoder.SmallCNN:
			return l.smallCNN(e, x)
		case encoder.LeNet:
			return l.leNet(e, x)
		case encoder.AllConv:
			return l.allConv(e, x)
		case encoder.ShortConv:
			return l.shortConv(e, x)
		case encoder.ResNet:
			return l.resNet(e, x)
		case encoder.ViT:
			return l.viT(e, x)
		}
	}
	g.fail("the network %s is not one of package encoder and cannot be written; train with an encoder of that package, "+
		"or write the weights by Model.Export and rebuild the network in the other program", encoder.Describe(e))
	return x
}

// channelsFirst turns images [height, width, channels] into [channels, height, width].
func (g *graph) channelsFirst(x value) value { return g.transpose(x, 0, 3, 1, 2) }

// scale returns (x − mean)/std of images [height, width, channels].
func (g *graph) scale(p encoder.Pixels, x value) value {
	row := func(values []float64) string {
		var out []float32
		for _, v := range values {
			out = append(out, float32(v))
		}
		return constant(g, "pixels", out, len(out))
	}
	if p.Mean != nil {
		x = g.binary("Sub", x, row(p.Mean))
	}
	if p.Std != nil {
		x = g.binary("Div", x, row(p.Std))
	}
	return x
}

func (l layers) mlp(m encoder.MLP, x value) value {
	x = l.flat(x)
	for i := range len(m.Hidden) + 1 {
		s := l.in("dense%d", i+1)
		x = l.relu(s.batchNorm(s.dense(x, false)))
	}
	return x
}

func (l layers) smallCNN(c encoder.SmallCNN, x value) value {
	x = l.binary("Mul", l.binary("Add", x, l.scalar(-c.Mean)), l.scalar(1/c.Std))
	x = l.channelsFirst(x)
	for i, padding := range []int{2, 1, 1} {
		s := l.in("conv%d", i+1)
		x = l.relu(s.batchNorm(s.convolution(x, 2, padding, false)))
	}
	s := l.in("dense")
	return l.relu(s.batchNorm(s.denseOfImages(x, false)))
}

func (l layers) leNet(n encoder.LeNet, x value) value {
	x = l.channelsFirst(l.scale(n.Pixels, x))
	x = l.relu(l.maxPool(l.in("conv1").convolution(x, 1, 2, true), 2, 2, 0))
	x = l.relu(l.maxPool(l.in("conv2").convolution(x, 1, 0, true), 2, 2, 0))
	x = l.flat(l.relu(l.in("conv3").convolution(x, 1, 0, true)))
	return l.in("bn_fc1").batchNorm(l.in("fc1").dense(x, true))
}

func (l layers) allConv(n encoder.AllConv, x value) value {
	x = l.channelsFirst(l.scale(n.Pixels, x))
	for i, layer := range []struct{ stride, padding int }{
		{1, 1}, {1, 1}, {2, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 1}, {1, 0}, {1, 0},
	} {
		x = l.in("conv%d", i+1).convolution(x, layer.stride, layer.padding, false)
		x = l.relu(l.in("b%d", i+1).batchNorm(x))
	}
	x = l.relu(l.in("fc1").dense(l.flat(x), true))
	return l.relu(l.in("fc2").dense(x, true))
}

func (l layers) shortConv(n encoder.ShortConv, x value) value {
	x = l.channelsFirst(l.scale(n.Pixels, x))
	for i, stride := range []int{1, 2, 1, 1} {
		x = l.relu(l.in("conv%d", i+1).convolution(x, stride, 0, true))
	}
	x = l.relu(l.in("fc1").dense(l.flat(x), true))
	return l.in("fc2").dense(x, true)
}
