"""Training steps in PyTorch as its users write them; for step.py."""

import functools
import math

import torch
import torch.nn.functional as F
import torchvision
from safetensors.torch import load_file
from torch import nn

from turns import CORES

TAU = 0.5


class SmallCNN(nn.Module):
    """encoder.SmallCNN."""

    def __init__(self):
        super().__init__()
        sizes = [(1, 32, 5), (32, 64, 3), (64, 128, 3)]
        self.convs = nn.ModuleList(nn.Conv2d(i, o, k, stride=2, padding=k // 2, bias=False) for i, o, k in sizes)
        self.norms = nn.ModuleList(nn.BatchNorm2d(o) for _, o, _ in sizes)
        self.dense, self.norm = nn.Linear(128 * 16, 128, bias=False), nn.BatchNorm1d(128)

    def forward(self, x):
        x = (x - 0.2860) / 0.3530
        for conv, norm in zip(self.convs, self.norms):
            x = F.relu(norm(conv(x)))
        return F.relu(self.norm(self.dense(x.flatten(1))))

    def load(self, weights):
        names = {"dense.weight": "dense.weight", "dense.norm.weight": "norm.weight", "dense.norm.bias": "norm.bias"}
        for i in range(3):
            names[f"conv{i + 1}.weight"] = f"convs.{i}.weight"
            names[f"conv{i + 1}.norm.weight"] = f"norms.{i}.weight"
            names[f"conv{i + 1}.norm.bias"] = f"norms.{i}.bias"
        mine = {names[name]: t for name, t in weights.items() if name in names}
        # The channel is the last axis where ours flattens, and the first one here.
        mine["dense.weight"] = mine["dense.weight"].view(128, 4, 4, 128).permute(0, 3, 1, 2).reshape(128, -1)
        check_missing(self.load_state_dict(mine, strict=False))


def resnet18():
    """encoder.ResNet{CIFAR: true}."""
    net = torchvision.models.resnet18()
    net.conv1 = nn.Conv2d(3, 64, 3, padding=1, bias=False)
    net.maxpool = net.fc = nn.Identity()
    net.load = lambda weights: check_missing(net.load_state_dict(weights, strict=False))
    return net


def check_missing(result):
    """Every trained weight is to be given; the running averages play no part in training."""
    missing = [name for name in result.missing_keys if not name.endswith(("running_mean", "running_var", "num_batches_tracked"))]
    if missing or result.unexpected_keys:
        raise ValueError(f"weights missing: {missing}, surplus: {result.unexpected_keys}")


class Whole(nn.Module):
    """Encoder and projector."""

    def __init__(self, encoder, dim):
        super().__init__()
        self.encoder = encoder
        self.projector = nn.Sequential(nn.Linear(dim, dim, bias=False), nn.BatchNorm1d(dim), nn.ReLU(), nn.Linear(dim, 128))

    def forward(self, views):
        return self.projector(self.encoder(views))

    def load(self, start):
        part = lambda prefix: {name.removeprefix(prefix): t for name, t in start.items() if name.startswith(prefix)}
        self.encoder.load(part("encoder."))
        names = {"hidden.weight": "0.weight", "hidden.norm.weight": "1.weight", "hidden.norm.bias": "1.bias", "out.weight": "3.weight", "out.bias": "3.bias"}
        check_missing(self.projector.load_state_dict({names[n]: t for n, t in part("projector.").items() if n in names}, strict=False))


def pucl(z, labeled):
    """The contrastive loss; labeled is told of every row."""
    n = len(z)
    itself = torch.eye(n, dtype=torch.bool)
    z = F.normalize(z)
    s = (z @ z.t() / TAU).masked_fill(itself, float("-inf"))
    both = labeled[:, None] & labeled[None, :] & ~itself
    own = (torch.arange(n) + n // 2) % n
    attract = torch.where(labeled, s.masked_fill(~both, 0).sum(1) / both.sum(1).clamp(min=1), s.gather(1, own[:, None])[:, 0])
    return (torch.logsumexp(s, 1) - attract).mean()


def l_pos(z, _, tau_plus=0.1):
    """DebiasedPos over all rows; no label plays a part."""
    n = len(z)
    itself = torch.eye(n, dtype=torch.bool)
    other_view = itself.roll(n // 2, 1)
    z = F.normalize(z)
    mass = (z @ z.t() / TAU).exp().masked_fill(itself, 0)
    mixture, negative = mass.sum(1) / (n - 1), mass.masked_fill(other_view, 0).sum(1) / (n - 2)
    positive = ((mixture - (1 - tau_plus) * negative) / tau_plus).clamp(min=math.exp(-1 / TAU))
    return torch.log1p((n - 2) * negative / positive).mean()


def draw_crops(n):
    """augment.CropJitter{}: top, left, height and width of the first of ten crops that fits, brightness and contrast."""
    area = torch.empty(n, 10).uniform_(0.08, 1)
    ratio = torch.empty(n, 10).uniform_(-1, 1).mul_(math.log(4 / 3)).exp_()
    h, w = (area / ratio).sqrt_(), (area * ratio).sqrt_()
    fits = (h <= 1) & (w <= 1)
    first, none = fits.int().argmax(1, keepdim=True), ~fits.any(1)
    h, w = (side.gather(1, first)[:, 0].masked_fill(none, 1) for side in (h, w))
    top, left = torch.rand(n) * (1 - h), torch.rand(n) * (1 - w)
    still = torch.rand(n) >= 0.8
    jitter = [torch.empty(n).uniform_(0.6, 1.4).masked_fill(still, 1) for _ in range(2)]
    return torch.stack([top, left, h, w, *jitter], 1)


def crop_and_jitter(x, numbers):
    top, left, h, w, brightness, contrast = numbers.t()
    zero = torch.zeros_like(w)
    theta = torch.stack([torch.stack([w, zero, 2 * left + w - 1], 1), torch.stack([zero, h, 2 * top + h - 1], 1)], 1)
    grid = F.affine_grid(theta, list(x.shape), align_corners=False)
    x = F.grid_sample(x, grid, padding_mode="border", align_corners=False)
    x = (x * brightness.view(-1, 1, 1, 1)).clamp(0, 1)
    mean = x.mean((1, 2, 3), keepdim=True)
    return (mean + (x - mean) * contrast.view(-1, 1, 1, 1)).clamp(0, 1)


def draw_flips(n):
    return (torch.rand(n, 1) < 0.5).float()


def flip(x, numbers):
    return torch.where(numbers.view(-1, 1, 1, 1) > 0.5, x.flip(3), x)


def adam(parameters):
    return torch.optim.Adam(parameters, lr=1e-3, eps=1e-7, fused=True)


# task -> (encoder, its length, numbers of views, views, optimizer, loss)
TASKS = {
    "small-cnn": (SmallCNN, 128, draw_crops, crop_and_jitter, adam, pucl),
    "l-pos": (SmallCNN, 128, draw_crops, crop_and_jitter, adam, l_pos),
    "resnet-18": (resnet18, 512, draw_flips, flip, lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, fused=True), pucl),
}


def make(task, folder, channels_last=False, compiled=False):
    """Returns the losses of the first steps, on the numbers of the Go benchmark, and a step on numbers of its own."""
    torch.set_num_threads(CORES)
    torch.manual_seed(0)
    build, dim, draw, augment, optimizer, objective = TASKS[task]
    start = load_file(folder / f"{task}.safetensors")
    net = Whole(build(), dim)
    net.load(start)
    layout = torch.channels_last if channels_last else torch.contiguous_format
    net = net.to(memory_format=layout).train()
    opt = optimizer(net.parameters())
    pixels, labeled = start["pixels"].permute(0, 3, 1, 2).contiguous(), start["labeled"].bool().repeat(2)

    def loss_of(pixels, numbers):
        with torch.no_grad():
            images = pixels.float() / 255
            views = augment(torch.cat([images, images]), numbers).contiguous(memory_format=layout)
        return objective(net(views), labeled)

    if compiled:
        loss_of = torch.compile(loss_of)

    def step(numbers):
        loss = loss_of(pixels, numbers)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        return loss.item()

    checked = [step(start[f"numbers-{i}"]) for i in (1, 2, 3)]
    return checked, lambda: step(draw(len(labeled)))


PEERS = {
    "PyTorch eager": make,
    "PyTorch eager, channels_last": functools.partial(make, channels_last=True),
    "PyTorch compiled": functools.partial(make, compiled=True),
    "PyTorch compiled, channels_last": functools.partial(make, channels_last=True, compiled=True),
}
