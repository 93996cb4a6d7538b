"""Makes transformers.json: names, shapes and counts of Hugging Face's ViT and BERT, and what small ones compute.

    python make_transformers.py           # writes the file
    python make_transformers.py base DIR  # ViT-B/16 and BERT-base: weights and outputs as safetensors, for TestBaseSizes

Versions: Python 3.11, torch 2.15.0, transformers 5.23.0. Weights and inputs come from the formula of make_fixtures.py, so only
outputs are stored. Everything is computed in float64, on the CPU, in eval mode.
"""

import json
import sys

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from transformers import BertConfig, BertModel, ViTConfig, ViTModel

from make_fixtures import fill, listing, numbers


def vit(**sizes):
    # timm's and torchvision's epsilon for vision transformers; Hugging Face's own default is 1e-12.
    return ViTModel(ViTConfig(layer_norm_eps=1e-6, **sizes), add_pooling_layer=False)


def bert(fusion=0, **sizes):
    config = BertConfig(attn_implementation="eager", **sizes)
    if fusion:
        config.is_decoder = config.add_cross_attention = True
    return BertModel(config, add_pooling_layer=False)


def tokens(count, length, vocabulary):
    """The texts get shorter by one token each; what is behind their end is token 0."""
    ids = ((numbers("tokens", count * length) + 0.5) * vocabulary).astype(np.int64).reshape(count, length)
    mask = np.arange(length)[None, :] < (length - np.arange(count))[:, None]
    return torch.tensor(np.where(mask, ids, 0)), torch.tensor(mask)


def fuse(model, x, mask, seen):
    """The layers of a model with cross-attention, every token looking at all others: in ALBEF and TCL fusion is no decoder."""
    low = torch.where(mask, 0.0, -1e30).double()[:, None, None, :]
    for layer in model.encoder.layer:
        x = layer.attention(x, attention_mask=low)[0]
        x = layer.crossattention(x, encoder_hidden_states=seen)[0]
        x = layer.feed_forward_chunk(x)
    return x


def flat(x):
    return [float(f"{v:.9g}") for v in x.reshape(-1).tolist()]


def images(batch, edge):
    pixels = numbers("images", batch * edge * edge * 3).reshape(batch, edge, edge, 3) + 0.5
    return torch.tensor(pixels).permute(0, 3, 1, 2)


SMALL = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40}


def small():
    text = fill(bert(vocab_size=31, max_position_embeddings=12, **SMALL))
    fusion = fill(bert(fusion=1, vocab_size=31, max_position_embeddings=12, **SMALL))
    image = fill(vit(image_size=16, patch_size=8, **SMALL))
    ids, mask = tokens(3, 7, 31)
    with torch.no_grad():
        x = text(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        seen = image(images(3, 16)).last_hidden_state
        y = fuse(fusion, x, mask, seen)
    return {"image": flat(seen), "text": flat(x), "fusion": flat(y)}


def base(folder):
    text, image = fill(bert()), fill(vit())
    ids, mask = tokens(2, 9, 30522)
    with torch.no_grad():
        x, y = text(input_ids=ids, attention_mask=mask.long()).last_hidden_state, image(images(2, 224)).last_hidden_state
    text.float().save_pretrained(f"{folder}/bert")
    image.float().save_pretrained(f"{folder}/vit")
    save_file({"text": x.contiguous(), "image": y.contiguous()}, f"{folder}/outputs.safetensors")


def main():
    assert transformers.__version__.startswith("5.23.0"), transformers.__version__
    torch.set_num_threads(1)
    if sys.argv[1:2] == ["base"]:
        return base(sys.argv[2])
    out = {"bert": listing(bert()), "vit": listing(vit()), "outputs": small()}
    with open("transformers.json", "w") as f:
        json.dump(out, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main()
