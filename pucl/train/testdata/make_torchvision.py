"""Makes torchvision.json: what torchvision's ResNet-18 makes of images in bytes, and the file that PyTorch writes of its weights.

    python make_torchvision.py

Versions are those of pucl/peers/requirements.txt. Weights come from the formula of encoder/testdata/make_fixtures.py and images from its
numbers, so only outputs and a digest are stored. Outputs are computed in float64, on the CPU, in eval mode, and the weights are those that
a safetensors file of float32 holds: written by PyTorch, read by PyTorch into a second network.
"""

import hashlib
import json
import pathlib
import sys
import tempfile

import numpy as np
import torch
import torchvision
from safetensors.torch import load_file, save_file
from torchvision.models import resnet18
from torchvision.transforms import Normalize

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "encoder" / "testdata"))
from make_fixtures import fill, numbers  # noqa: E402

BATCH, HEIGHT, WIDTH = 2, 48, 40


def digest(tensors):
    """SHA-256 of a line with the name, type and shape of every tensor, in the order of names, each followed by its bytes."""
    sha = hashlib.sha256()
    for name in sorted(tensors):
        x = tensors[name].contiguous().numpy()
        assert x.dtype == np.float32, name
        sha.update(f"{name} F32 {' '.join(map(str, x.shape))}\n".encode() + x.astype("<f4").tobytes())
    return sha.hexdigest()


def without_classes():
    model = resnet18()
    model.fc = torch.nn.Identity()
    return model


def main():
    assert torchvision.__version__.startswith("0.29.2"), torchvision.__version__
    torch.set_num_threads(1)
    state = fill(without_classes()).float().state_dict()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "resnet18.safetensors"
        save_file({name: x for name, x in state.items() if not name.endswith("num_batches_tracked")}, path)
        tensors = load_file(path)
    model = without_classes()
    model.load_state_dict(tensors)  # strict: nothing is missing and nothing too much, though the counts of batches were left out
    images = np.floor((numbers("bytes", BATCH * HEIGHT * WIDTH * 3) + 0.5) * 256).reshape(BATCH, HEIGHT, WIDTH, 3)
    x = Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])(torch.tensor(images).permute(0, 3, 1, 2) / 255)
    with torch.no_grad():
        h = model.double().eval()(x)
    rows = [[float(f"{v:.9g}") for v in row] for row in h.tolist()]
    out = {"batch": BATCH, "height": HEIGHT, "width": WIDTH, "outputs": rows, "weights": digest(tensors)}
    with open(pathlib.Path(__file__).with_name("torchvision.json"), "w") as f:
        json.dump(out, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main()
