"""Makes fixtures.json: what torchvision's own functions do with given images and given numbers, and how its crops are spread.

    python make_fixtures.py

Versions: Python 3.11.7, torch 2.15.0, torchvision 0.29.2. Everything runs on float32 tensors on the CPU.

Images are stored once, by name, as height, width, channels and values in row-major order with the channel last. A case names
its image, the settings of the step, the numbers of the view and the values that come out. Bicubic crops are clipped to
[0, 1], which torchvision leaves to whoever turns tensors into bytes. Big views are thinned out: every k-th value is kept.
"""

import itertools
import json

import numpy as np
import torch
import torchvision.transforms.functional as F
from torchvision.transforms import InterpolationMode, RandomResizedCrop

rng = np.random.default_rng(11)


def image(height, width, channels):
    return rng.random((height, width, channels)).round(4)


def palette():
    """All colors with channels 0, 0.4 or 1: grays, black, white and every tie among the channels."""
    return np.array(list(itertools.product([0, 0.4, 1], repeat=3))).reshape(3, 9, 3)


IMAGES = {"color": image(16, 12, 3), "gray": image(13, 15, 1), "small": image(5, 4, 3), "palette": palette(), "line": image(7, 30, 1)}


def tensor(name):
    return torch.tensor(IMAGES[name], dtype=torch.float32).permute(2, 0, 1)


def flat(x, every=1):
    return [float(f"{v:.7g}") for v in x.permute(1, 2, 0).reshape(-1)[::every].tolist()]


def crop(x, numbers, height, width, bicubic, antialias):
    top, left, h, w = numbers
    mode = InterpolationMode.BICUBIC if bicubic else InterpolationMode.BILINEAR
    x = F.resized_crop(x, top, left, h, w, [height, width], mode, antialias=antialias)
    return x.clamp(0, 1) if bicubic else x


def crops():
    cases = []
    for name, (height, width), rectangles in [
        ("color", (10, 14), [(0, 0, 16, 12), (3, 2, 9, 7), (15, 11, 1, 1), (0, 5, 16, 2)]),
        ("gray", (5, 4), [(0, 0, 13, 15), (1, 3, 12, 4), (6, 7, 5, 4)]),
        ("line", (7, 7), [(0, 0, 7, 30), (2, 11, 3, 18)]),
    ]:
        for bicubic, antialias, numbers in itertools.product([False, True], [False, True], rectangles):
            out = crop(tensor(name), numbers, height, width, bicubic, antialias)
            cases.append({"image": name, "height": height, "width": width, "bicubic": bicubic, "antialias": antialias,
                          "numbers": numbers, "want": flat(out)})
    return cases


def jitter(x, numbers):
    """Numbers are brightness, contrast, saturation, hue and the places of the four in the order."""
    change = [F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue]
    for place in range(4):
        i = numbers[4:].index(place)
        x = change[i](x, numbers[i])
    return x


def jitters():
    cases = []
    for name in ["small", "gray"]:
        for places in itertools.permutations(range(4)):
            factors = [round(rng.uniform(0.4, 1.6), 3) for _ in range(3)] + [round(rng.uniform(-0.3, 0.3), 3)]
            numbers = factors + list(places)
            every = 1 if name == "small" else 5
            cases.append({"image": name, "every": every, "numbers": numbers, "want": flat(jitter(tensor(name), numbers), every)})
    for numbers in [[0, 1, 1, 0, 0, 1, 2, 3], [1, 0, 1, 0, 0, 1, 2, 3], [1, 1, 0, 0, 3, 2, 1, 0], [2, 2, 2, 0.5, 3, 1, 2, 0]]:
        cases.append({"image": "palette", "every": 1, "numbers": numbers, "want": flat(jitter(tensor("palette"), numbers))})
    for turn in [-0.5, -0.31, -0.1, 0.05, 1 / 6, 1 / 3, 0.5]:
        numbers = [1, 1, 1, turn, 0, 1, 2, 3]
        cases.append({"image": "palette", "every": 1, "numbers": numbers, "want": flat(jitter(tensor("palette"), numbers))})
    return cases


def blurs():
    return [{"image": name, "kernel": kernel, "numbers": [sigma], "want": flat(F.gaussian_blur(tensor(name), [kernel] * 2, [sigma] * 2))}
            for name, kernel, sigma in [("color", 13, 2.0), ("color", 13, 0.1), ("color", 9, 0.7), ("gray", 3, 1.3), ("line", 13, 1.1), ("small", 7, 5.0)]]


def simple():
    x = tensor("color")
    return {
        "flip": flat(F.hflip(x)),
        "grayscale": flat(F.rgb_to_grayscale(x, 3)),
        "solarize": flat(F.solarize(x, 0.5)),
        "solarize from 0.3": flat(F.solarize(x, 0.3)),
        "normalize": flat(F.normalize(x, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])),
    }


def recipes():
    """The four recipes of A.7.3 with given numbers, in the order of their steps; flags are 1 or 0."""
    j = [1.2, 0.7, 1.3, 0.07, 2, 0, 3, 1]
    cases = []

    x = crop(tensor("gray"), (1, 3, 8, 9), 13, 15, False, False)
    x = F.normalize(jitter(x, j), [0.5], [0.5])
    cases.append({"recipe": "FMNIST", "image": "gray", "every": 3, "numbers": [1, 3, 8, 9] + j, "want": flat(x, 3)})

    x = F.hflip(crop(tensor("color"), (3, 2, 9, 7), 14, 14, False, False))
    x = F.rgb_to_grayscale(jitter(F.gaussian_blur(x, [13, 13], [1.5, 1.5]), j), 3)
    x = F.normalize(x, [0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616])
    cases.append({"recipe": "CIFAR", "image": "color", "every": 5, "numbers": [3, 2, 9, 7, 1, 1.5] + j + [1], "want": flat(x, 5)})

    x = crop(F.hflip(tensor("color")), (3, 2, 9, 7), 96, 96, False, False)
    x = F.normalize(F.gaussian_blur(jitter(x, j), [9, 9], [1.9, 1.9]), [0.5] * 3, [0.5] * 3)
    cases.append({"recipe": "STL", "image": "color", "every": 97, "numbers": [1, 3, 2, 9, 7] + j + [0, 1.9], "want": flat(x, 97)})

    x = F.hflip(crop(tensor("color"), (3, 2, 9, 7), 20, 20, True, False))
    x = F.solarize(F.gaussian_blur(jitter(x, j), [13, 13], [0.6, 0.6]), 0.5)
    x = F.normalize(x, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    cases.append({"recipe": "ImageNet", "image": "color", "every": 11, "numbers": [3, 2, 9, 7, 1] + j + [0, 0.6, 1], "want": flat(x, 11)})
    return cases


def draws(n=100_000):
    """Heights and widths of n crops, as counts from 0 pixels on; wide images make the ten tries fail."""
    torch.manual_seed(3)
    cases = []
    for height, width, scale, ratio in [
        (28, 28, (0.08, 1.0), (3 / 4, 4 / 3)),
        (12, 40, (0.3, 1.0), (3 / 4, 4 / 3)),
        (30, 9, (0.5, 1.0), (1 / 2, 2.0)),
    ]:
        x = torch.zeros(1, height, width)
        heights, widths, middle = np.zeros(height + 1, int), np.zeros(width + 1, int), 0
        for _ in range(n):
            i, j, h, w = RandomResizedCrop.get_params(x, list(scale), list(ratio))
            heights[h] += 1
            widths[w] += 1
            middle += i == (height - h) // 2 and j == (width - w) // 2
        cases.append({"height": height, "width": width, "scale": scale, "ratio": ratio, "heights": heights.tolist(),
                      "widths": widths.tolist(), "middle": int(middle)})
    return cases


if __name__ == "__main__":
    images = {name: {"shape": x.shape, "values": x.ravel().tolist()} for name, x in IMAGES.items()}
    with open("fixtures.json", "w") as f:
        json.dump({"images": images, "crops": crops(), "jitters": jitters(), "blurs": blurs(), "simple": simple(),
                   "recipes": recipes(), "draws": draws()}, f, separators=(",", ":"))
