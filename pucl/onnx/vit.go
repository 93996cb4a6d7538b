package onnx

import "github.com/puclab/puclab/pucl/encoder"

func (l layers) viT(v encoder.ViT, x value) value {
	x = l.in("conv_proj").patches(l.channelsFirst(l.scale(v.Pixels, x)), v.Patch)
	x = l.before("class_token", x)
	e := l.in("encoder")
	x = l.binary("Add", x, e.weight("pos_embedding", 3))
	for i := range v.Layers {
		s := e.in("layers").in("encoder_layer_%d", i)
		x = l.add(x, s.in("self_attention").attention(s.in("ln_1").layerNorm(x, encoder.ViTEpsilon), v.Heads))
		y := s.in("mlp").in("0").tokenDense(s.in("ln_2").layerNorm(x, encoder.ViTEpsilon), 0, 1)
		x = l.add(x, s.in("mlp").in("3").tokenDense(l.gelu(y), 0, 1))
	}
	// The class token alone is normalized: the others are not part of the embedding.
	x = e.in("ln").layerNorm(l.reshape(l.pick(x, []int64{0}), x.dims[1]), encoder.ViTEpsilon)
	if v.Classes > 0 {
		x = l.in("heads").in("head").dense(x, true)
	}
	return x
}
