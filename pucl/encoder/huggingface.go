package encoder

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/puclab/puclab/pucl/safetensors"
)

// vitNames maps Hugging Face's names of the parts of a vision transformer, from before and since version 5 of
// transformers, to torchvision's names.
var vitNames = []struct {
	theirs *regexp.Regexp
	ours   string
}{
	{regexp.MustCompile(`^embeddings\.cls_token$`), "class_token"},
	{regexp.MustCompile(`^embeddings\.position_embeddings$`), "encoder.pos_embedding"},
	{regexp.MustCompile(`^embeddings\.patch_embeddings\.projection\.`), "conv_proj."},
	{regexp.MustCompile(`^layernorm\.`), "encoder.ln."},
	{regexp.MustCompile(`^(?:encoder\.)?layers?\.(\d+)\.layernorm_before\.`), "encoder.layers.encoder_layer_$1.ln_1."},
	{regexp.MustCompile(`^(?:encoder\.)?layers?\.(\d+)\.layernorm_after\.`), "encoder.layers.encoder_layer_$1.ln_2."},
	{regexp.MustCompile(`^(?:encoder\.)?layers?\.(\d+)\.attention\.(?:output\.dense|o_proj)\.`), "encoder.layers.encoder_layer_$1.self_attention.out_proj."},
	{regexp.MustCompile(`^(?:encoder\.)?layers?\.(\d+)\.(?:intermediate\.dense|mlp\.fc1)\.`), "encoder.layers.encoder_layer_$1.mlp.0."},
	{regexp.MustCompile(`^(?:encoder\.)?layers?\.(\d+)\.(?:output\.dense|mlp\.fc2)\.`), "encoder.layers.encoder_layer_$1.mlp.3."},
}

// vitParts matches the three dense layers that torchvision stores as one.
var vitParts = regexp.MustCompile(`^(?:encoder\.)?layers?\.(\d+)\.attention\.(?:attention\.)?(query|key|value|q_proj|k_proj|v_proj)\.(weight|bias)$`)

// HuggingFaceViT returns the weights of Hugging Face's ViTModel by the names of [ViT], torchvision's, for
// [LoadStateDict]. Names may have the prefix "vit.", and "module." before it. The pooler and a classifier are omitted:
// ViT embeds by the class token before them. Layer normalizations of Hugging Face divide by the square root of the
// variance plus 1e-12; ViT, like torchvision and timm, adds 1e-6.
func HuggingFaceViT(dict map[string]safetensors.Tensor) (map[string]safetensors.Tensor, error) {
	out := map[string]safetensors.Tensor{}
	parts := map[string]*[3]*safetensors.Tensor{}
	for full, t := range unwrapped(dict, nil) {
		name := strings.TrimPrefix(full, "vit.")
		if strings.HasPrefix(name, "pooler.") || strings.HasPrefix(name, "classifier.") {
			continue
		}
		if m := vitParts.FindStringSubmatch(name); m != nil {
			key := fmt.Sprintf("encoder.layers.encoder_layer_%s.self_attention.in_proj_%s", m[1], m[3])
			if parts[key] == nil {
				parts[key] = new([3]*safetensors.Tensor)
			}
			parts[key][strings.IndexByte("qkv", m[2][0])] = &t
			continue
		}
		known := false
		for _, n := range vitNames {
			if known = n.theirs.MatchString(name); known {
				out[n.theirs.ReplaceAllString(name, n.ours)] = t
				break
			}
		}
		if !known {
			return nil, fmt.Errorf("encoder: tensor %s is none of Hugging Face's ViTModel; give the weights of one, or drop the tensor first", full)
		}
	}
	for key, three := range parts {
		joined := safetensors.Tensor{}
		for i, t := range three {
			if t == nil {
				return nil, fmt.Errorf("encoder: of the queries, keys and values that make %s one is missing; give the weights of a whole ViTModel", key)
			}
			if i == 0 {
				joined = safetensors.Tensor{DType: t.DType, Shape: slices.Clone(t.Shape)}
			} else if t.DType != joined.DType || len(t.Shape) == 0 || !slices.Equal(t.Shape, three[0].Shape) {
				return nil, fmt.Errorf("encoder: the queries, keys and values that make %s are %s %d and %s %d; they must be of one type and shape",
					key, joined.DType, three[0].Shape, t.DType, t.Shape)
			} else {
				joined.Shape[0] += t.Shape[0]
			}
			joined.Data = append(joined.Data, t.Data...)
		}
		out[key] = joined
	}
	return out, nil
}
