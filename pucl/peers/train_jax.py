"""Training steps in JAX, jitted, with images in its CPU's faster layout, channels last; for step.py."""

import math

import jax
import jax.numpy as jnp
from jax import lax
from safetensors.numpy import load_file

TAU = 0.5


def conv(x, kernel, stride):
    pad = kernel.shape[0] // 2
    return lax.conv_general_dilated(x, kernel, (stride, stride), [(pad, pad)] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC"))


def norm(x, p, name):
    """Batch normalisation with the batch's statistics; a running average, which training does not read, is left out."""
    axes = tuple(range(x.ndim - 1))
    mean, var = jnp.mean(x, axes), jnp.var(x, axes)
    return (x - mean) * (p[name + ".weight"] * lax.rsqrt(var + 1e-5)) + p[name + ".bias"]


def small_cnn(p, x):
    x = (x - 0.2860) / 0.3530
    for i in (1, 2, 3):
        x = jax.nn.relu(norm(conv(x, p[f"encoder.conv{i}.weight"], 2), p, f"encoder.conv{i}.norm"))
    x = x.reshape(len(x), -1) @ p["encoder.dense.weight"]
    return jax.nn.relu(norm(x, p, "encoder.dense.norm"))


def resnet18(p, x):
    x = jax.nn.relu(norm(conv(x, p["encoder.conv1.weight"], 1), p, "encoder.bn1"))
    for layer in (1, 2, 3, 4):
        for block in (0, 1):
            at = f"encoder.layer{layer}.{block}"
            stride = 2 if layer > 1 and block == 0 else 1
            y = jax.nn.relu(norm(conv(x, p[f"{at}.conv1.weight"], stride), p, f"{at}.bn1"))
            y = norm(conv(y, p[f"{at}.conv2.weight"], 1), p, f"{at}.bn2")
            if stride == 2:
                x = norm(conv(x, p[f"{at}.downsample.0.weight"], 2), p, f"{at}.downsample.1")
            x = jax.nn.relu(x + y)
    return x.mean((1, 2))


def project(p, x):
    x = jax.nn.relu(norm(x @ p["projector.hidden.weight"], p, "projector.hidden.norm"))
    return x @ p["projector.out.weight"] + p["projector.out.bias"]


def pucl(z, labeled):
    """The contrastive loss; labeled is told of every row."""
    n = len(z)
    itself = jnp.eye(n, dtype=bool)
    z = z / jnp.linalg.norm(z, axis=1, keepdims=True)
    s = z @ z.T / TAU
    repel = jax.scipy.special.logsumexp(jnp.where(itself, -jnp.inf, s), axis=1)
    both = labeled[:, None] & labeled[None, :] & ~itself
    own = s[jnp.arange(n), (jnp.arange(n) + n // 2) % n]
    attract = jnp.where(labeled, jnp.sum(jnp.where(both, s, 0), axis=1) / jnp.maximum(both.sum(axis=1), 1), own)
    return jnp.mean(repel - attract)


def draw_crops(key, n):
    """augment.CropJitter{}: top, left, height and width of the first of ten crops that fits, brightness and contrast."""
    keys = jax.random.split(key, 6)
    area = jax.random.uniform(keys[0], (n, 10), minval=0.08, maxval=1)
    ratio = jnp.exp(jax.random.uniform(keys[1], (n, 10), minval=-1, maxval=1) * math.log(4 / 3))
    h, w = jnp.sqrt(area / ratio), jnp.sqrt(area * ratio)
    fits = (h <= 1) & (w <= 1)
    first, some = jnp.argmax(fits, 1, keepdims=True), fits.any(1)
    h, w = (jnp.where(some, jnp.take_along_axis(side, first, 1)[:, 0], 1) for side in (h, w))
    top, left = (1 - jnp.stack([h, w])) * jax.random.uniform(keys[2], (2, n))
    factors = jax.random.uniform(keys[3], (2, n), minval=0.6, maxval=1.4)
    brightness, contrast = jnp.where(jax.random.uniform(keys[4], (n,)) < 0.8, factors, 1)
    return jnp.stack([top, left, h, w, brightness, contrast], 1)


def hats(start, extent, size):
    """[n, size, size] weights of bilinear interpolation along one axis; the edge goes on for ever."""
    pixel = jnp.arange(size)
    at = jnp.clip((start[:, None] + extent[:, None] * (pixel + 0.5) / size) * size - 0.5, 0, size - 1)
    return jnp.maximum(1 - jnp.abs(at[:, :, None] - pixel), 0)


def crop_and_jitter(x, numbers):
    top, left, h, w, brightness, contrast = numbers.T
    size = x.shape[1]
    x = jnp.einsum("nij,njk->nik", hats(top, h, size), x[..., 0])
    x = jnp.einsum("nik,nlk->nil", x, hats(left, w, size))
    x = jnp.clip(x * brightness[:, None, None], 0, 1)
    mean = x.mean((1, 2), keepdims=True)
    return jnp.clip(mean + (x - mean) * contrast[:, None, None], 0, 1)[..., None]


def draw_flips(key, n):
    return (jax.random.uniform(key, (n, 1)) < 0.5).astype(jnp.float32)


def flip(x, numbers):
    return jnp.where(numbers[:, :, None, None] > 0.5, x[:, :, ::-1], x)


def adam(p, g, state):
    m, v, t = state
    t = t + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
    step = lambda p, m, v: p - 1e-3 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-7)
    return jax.tree.map(step, p, m, v), (m, v, t)


def sgd(p, g, state):
    m = jax.tree.map(lambda m, g: 0.9 * m + g, state[0], g)
    return jax.tree.map(lambda p, m: p - 0.01 * m, p, m), (m, *state[1:])


# task -> (encoder, numbers of views, views, optimizer)
TASKS = {"small-cnn": (small_cnn, draw_crops, crop_and_jitter, adam), "resnet-18": (resnet18, draw_flips, flip, sgd)}


def make(task, folder):
    """Returns the losses of the first steps, on the numbers of the Go benchmark, and a step on numbers of its own."""
    encode, draw, augment, optimizer = TASKS[task]
    start = load_file(folder / f"{task}.safetensors")
    transposed = {2: (1, 0), 4: (2, 3, 1, 0)}  # from PyTorch's layouts
    p = {
        name: jnp.asarray(t.transpose(transposed.get(t.ndim, (0,))))
        for name, t in start.items()
        if name.startswith(("encoder.", "projector.")) and not name.endswith(("running_mean", "running_var"))
    }
    pixels, labeled = jnp.asarray(start["pixels"]), jnp.tile(jnp.asarray(start["labeled"], bool), 2)
    n = len(labeled)
    zeros = lambda: jax.tree.map(jnp.zeros_like, p)
    state = (zeros(), zeros() if optimizer is adam else (), jnp.float32(0))

    def update(p, state, pixels, numbers):
        def loss_of(p):
            images = pixels.astype(jnp.float32) / 255
            return pucl(project(p, encode(p, augment(jnp.concatenate([images, images]), numbers))), labeled)

        loss, g = jax.value_and_grad(loss_of)(p)
        return *optimizer(p, g, state), loss

    given = jax.jit(update, donate_argnums=(0, 1))
    drawn = jax.jit(lambda p, state, pixels, key: update(p, state, pixels, draw(key, n)), donate_argnums=(0, 1))
    checked = []
    for i in (1, 2, 3):
        p, state, loss = given(p, state, pixels, jnp.asarray(start[f"numbers-{i}"]))
        checked.append(float(loss))
    key = jax.random.key(0)

    def step():
        nonlocal p, state, key
        key, now = jax.random.split(key)
        p, state, loss = drawn(p, state, pixels, now)
        return float(loss)

    return checked, step


PEERS = {"JAX, jit": make}
