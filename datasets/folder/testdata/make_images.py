"""Makes pillow-*.png, pillow-*.jpg and pillow.json: images that Pillow wrote in each of its modes, and their pixels.

    python make_images.py

Versions: Python 3.11.7, numpy 2.4.6, Pillow 13.0.0. The pixels are in RGB, transparent ones on white.
"""

import json

import numpy as np
from PIL import Image

rng = np.random.default_rng(7)
height, width = 6, 9
y, x = np.mgrid[:height, :width]
smooth = np.stack([20 * x + 5 * y, 250 - 25 * x, 10 * x + 20 * y], 2).astype(np.uint8)  # JPEG keeps it nearly
rgb = Image.fromarray(smooth, "RGB")
gray = Image.fromarray(rng.integers(0, 256, (height, width)).astype(np.uint8), "L")
alpha = Image.fromarray(rng.integers(0, 256, (height, width)).astype(np.uint8), "L")
rgba, la = rgb.copy(), gray.copy()
rgba.putalpha(alpha)
la.putalpha(alpha)
deep = Image.fromarray(rng.integers(0, 65536, (height, width)).astype(np.uint16))
assert deep.mode == "I;16"
palette = rgb.quantize(7)
clear = palette.copy()
clear.info["transparency"] = 3


def on_white(image):
    """The image in RGB, on white."""
    image = image.convert("RGBA")
    a = np.asarray(image, float)
    return np.rint(a[..., :3] * a[..., 3:] / 255 + 255 - a[..., 3:])


expected = {}
for name, image, ending in [
    ("1", gray.convert("1"), "png"), ("L", gray, "png"), ("LA", la, "png"), ("P", palette, "png"),
    ("P-clear", clear, "png"), ("P-gray", gray.quantize(5), "png"), ("RGB", rgb, "png"), ("RGBA", rgba, "png"),
    ("I16", deep, "png"),
    ("L", rgb.convert("L"), "jpg"), ("RGB", rgb, "jpg"), ("CMYK", rgb.convert("CMYK"), "jpg"),
    ("progressive", rgb, "jpg"),
]:
    file = f"pillow-{name}.{ending}"
    image.save(file, **(dict(quality=95, subsampling=0, progressive=name == "progressive") if ending == "jpg" else {}))
    if name == "I16":
        pixels = np.repeat((np.asarray(image) >> 8)[..., None], 3, 2)
    else:
        pixels = on_white(Image.open(file))
    expected[file] = pixels.astype(int).ravel().tolist()
with open("pillow.json", "w") as out:
    json.dump({"height": height, "width": width, "pixels": expected}, out, separators=(",", ":"))
