"""Makes torchvision.json: names, shapes and counts of torchvision's networks, and what some of them compute.

    python make_fixtures.py

Versions: Python 3.11.7, torch 2.15.0, torchvision 0.29.2. Weights and images come from a formula that the Go test has too
(see numbers), so only outputs are stored. Everything is computed in float64, on the CPU, in eval mode.
"""

import json
import math
import zlib

import numpy as np
import torch
import torchvision
from torch import nn
from torchvision.models import VisionTransformer, resnet18, resnet34, resnet50, vit_b_16


def numbers(name, count):
    """Numbers between -0.5 and 0.5, multiples of 2**-24: splitmix64 of the name's CRC-32 and the place."""
    with np.errstate(over="ignore"):
        z = (np.uint64(zlib.crc32(name.encode())) << np.uint64(32)) + np.arange(count, dtype=np.uint64)
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(40)).astype(np.float64) / 2**24 - 0.5


def weight(name, shape):
    """Weights large enough for every layer to matter: norms near 1, matrices and kernels by their inputs."""
    u = numbers(name, math.prod(shape))
    if name.endswith("running_var") or (len(shape) == 1 and name.endswith("weight")):
        u = 1 + u
    elif len(shape) in (2, 4):
        u = u * (4 / math.sqrt(math.prod(shape[1:])))
    return torch.tensor(u.astype(np.float32)).double().reshape(shape)


def fill(model):
    state = model.state_dict()
    for name, value in state.items():
        if not name.endswith("num_batches_tracked"):
            state[name] = weight(name, tuple(value.shape))
    model.double().load_state_dict(state)
    return model.eval()


def outputs(model, batch, height, width):
    """Images are numbers() + 0.5 in the order [batch, height, width, channel]."""
    pixels = numbers("images", batch * height * width * 3).reshape(batch, height, width, 3) + 0.5
    with torch.no_grad():
        out = fill(model)(torch.tensor(pixels).permute(0, 3, 1, 2))
    rows = [[float(f"{x:.9g}") for x in row] for row in out.tolist()]
    return {"batch": batch, "height": height, "width": width, "outputs": rows}


def cifar(model):
    model.conv1 = nn.Conv2d(3, 64, 3, padding=1, bias=False)
    model.maxpool = nn.Identity()
    return model


class Lines(nn.Module):
    """A network without branches: named layers, in order, and what stands between them."""

    def __init__(self, **layers):
        super().__init__()
        self.order = list(layers)
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x):
        for name in self.order:
            x = getattr(self, name)(x)
        return x


def lenet():
    return Lines(
        conv1=nn.Conv2d(3, 6, 5, padding=2), pool1=nn.MaxPool2d(2), relu1=nn.ReLU(),
        conv2=nn.Conv2d(6, 16, 5), pool2=nn.MaxPool2d(2), relu2=nn.ReLU(),
        conv3=nn.Conv2d(16, 120, 5), relu3=nn.ReLU(), flat=nn.Flatten(),
        fc1=nn.Linear(120 * 2 * 3, 7), bn_fc1=nn.BatchNorm1d(7),
    )


def shortconv():
    return Lines(
        conv1=nn.Conv2d(3, 4, 3), relu1=nn.ReLU(), conv2=nn.Conv2d(4, 4, 3, stride=2), relu2=nn.ReLU(),
        conv3=nn.Conv2d(4, 8, 1), relu3=nn.ReLU(), conv4=nn.Conv2d(8, 10, 1), relu4=nn.ReLU(), flat=nn.Flatten(),
        fc1=nn.Linear(10 * 5 * 4, 6), relu5=nn.ReLU(), fc2=nn.Linear(6, 6),
    )


def allconv():
    layers, channels = {}, 3
    table = [(3, 4, 1), (3, 4, 1), (3, 4, 2), (3, 8, 1), (3, 8, 1), (3, 8, 2), (3, 8, 1), (1, 8, 1), (1, 10, 1)]
    for i, (kernel, out, stride) in enumerate(table, 1):
        layers[f"conv{i}"] = nn.Conv2d(channels, out, kernel, stride=stride, padding=kernel // 2, bias=False)
        layers[f"b{i}"], layers[f"relu{i}"], channels = nn.BatchNorm2d(out), nn.ReLU(), out
    fc1, fc2 = nn.Linear(10 * 3 * 4, 6), nn.Linear(6, 6)
    return Lines(**layers, flat=nn.Flatten(), fc1=fc1, relu10=nn.ReLU(), fc2=fc2, relu11=nn.ReLU())


def listing(model):
    state = {k: list(v.shape) for k, v in model.state_dict().items() if not k.endswith("num_batches_tracked")}
    return {"parameters": sum(p.numel() for p in model.parameters()), "shapes": state}


def main():
    assert torchvision.__version__.startswith("0.29.2"), torchvision.__version__
    torch.manual_seed(0)
    torch.set_num_threads(1)
    sizes = {"image_size": 32, "patch_size": 8, "num_layers": 2, "num_heads": 3, "hidden_dim": 24, "mlp_dim": 40}
    networks = {"resnet18": resnet18, "resnet34": resnet34, "resnet50": resnet50, "vit_b_16": vit_b_16}
    out = {
        "lists": {name: listing(make()) for name, make in networks.items()},
        "forward": {
            "resnet18": outputs(resnet18(num_classes=10), 2, 64, 45),
            "resnet18 cifar": outputs(cifar(resnet18(num_classes=10)), 1, 16, 16),
            "resnet50 cifar": outputs(cifar(resnet50(num_classes=10)), 1, 12, 9),
            "vit tiny": outputs(VisionTransformer(num_classes=10, **sizes), 2, 32, 32),
            "lenet": outputs(lenet(), 2, 33, 36),
            "shortconv": outputs(shortconv(), 2, 14, 11),
            "allconv": outputs(allconv(), 2, 12, 13),
        },
    }
    with open("torchvision.json", "w") as f:
        json.dump(out, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main()
