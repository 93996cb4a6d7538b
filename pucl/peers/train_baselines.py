#!/usr/bin/env python3
"""Training steps of nnPU and Dist-PU in PyTorch, written from their formulas; for step.py.

Run by itself it prints the losses and their gradients on some numbers, which a test of pucl/baseline compares with its own:

    peers/bin/python pucl/peers/train_baselines.py > pucl/baseline/testdata/torch.json
"""

import functools
import json

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

from train_torch import SmallCNN, check_missing
from turns import CORES

POSITIVES, UNLABELED, PRIOR = 64, 192, 0.4
NU, GAMMA = 5, 0.04  # of Dist-PU: weights of the mixed examples and of their entropy


def nnpu(logits, positives, prior, beta=0.0, gamma=1.0):
    """The non-negative risk with the sigmoid loss. Where its negative part is below -beta, the gradient is that of -gamma times it."""
    p, u = logits[:positives], logits[positives:]
    positive = prior * torch.sigmoid(-p).mean()
    negative = torch.sigmoid(u).mean() - prior * torch.sigmoid(p).mean()
    follow = torch.where(negative >= -beta, positive + negative, -gamma * negative)
    value = positive + negative.clamp(min=-beta)
    return value.detach() + follow - follow.detach()


def entropy(t):
    """Of a coin that falls on 1 with probability sigmoid(t), in nats."""
    return F.softplus(t) - t * torch.sigmoid(t)


def dist_pu(logits, positives, prior, before, mixed, partner, lam, mu):
    """Distances of label distributions, entropy of unlabeled predictions, and mixed examples, whose labels are mixed from 1 for
    labeled positives and from the predictions that their logits before tell for the others."""
    scores = torch.sigmoid(logits)
    loss = (scores[:positives].mean() - 1).abs() + (scores[positives:].mean() - prior).abs() / (2 * prior)
    loss = loss + mu * entropy(logits[positives:]).mean()
    labels = torch.cat([torch.ones_like(before[:positives]), torch.sigmoid(before[positives:])])
    labels = lam * labels + (1 - lam) * labels[partner]
    return loss + NU * F.binary_cross_entropy_with_logits(mixed, labels) + GAMMA * entropy(mixed).mean()


class Classifier(nn.Module):
    """Encoder and head."""

    def __init__(self):
        super().__init__()
        self.encoder, self.head = SmallCNN(), nn.Linear(128, 1)

    def forward(self, x):
        return self.head(self.encoder(x))[:, 0]

    def load(self, start):
        self.encoder.load({name.removeprefix("encoder."): t for name, t in start.items() if name.startswith("encoder.")})
        names = {"head.weight": "weight", "head.bias": "bias"}
        check_missing(self.head.load_state_dict({names[n]: t for n, t in start.items() if n in names}))


def images_of(pixels, layout):
    """Bytes as files have them to numbers as networks take them."""
    return (pixels.permute(0, 3, 1, 2).float() / 255).contiguous(memory_format=layout)


def loss_nnpu(net, layout, pixels):
    return nnpu(net(images_of(pixels, layout)), POSITIVES, PRIOR)


def loss_dist_pu(net, layout, pixels, before, partner, lam, mu):
    x = images_of(pixels, layout)
    weight = lam.view(-1, 1, 1, 1)
    logits = net(torch.cat([x, weight * x + (1 - weight) * x[partner]]))
    return dist_pu(logits[: len(x)], POSITIVES, PRIOR, before, logits[len(x) :], partner, lam, mu)


def checked_nnpu(start, step):
    return [start[f"{step}-0"]]


def checked_dist_pu(start, step):
    pixels, index, partner, lam, now = (start[f"{step}-{i}"] for i in range(5))
    return [pixels, torch.zeros(len(index)), partner.long(), lam, now[0, 0]]  # nothing is predicted before the first epoch ends


def draw_nnpu(images, before):
    return [images[draw_rows(len(images))]]


def draw_dist_pu(images, before):
    rows = draw_rows(len(images))
    lam = torch.distributions.Beta(6.0, 6.0).sample((len(rows),))
    return [images[rows], before[rows], torch.randint(len(rows), (len(rows),)), lam, torch.tensor(0.004)]


def draw_rows(n):
    """Labeled positives, which are the first quarter, and the others."""
    return torch.cat([torch.randint(n // 4, (POSITIVES,)), torch.randint(n // 4, n, (UNLABELED,))])


# task -> (loss, batch of a step that is checked, batch of any other step)
TASKS = {"nnpu": (loss_nnpu, checked_nnpu, draw_nnpu), "dist-pu": (loss_dist_pu, checked_dist_pu, draw_dist_pu)}


def make(task, folder, channels_last=False, compiled=False):
    """Returns the losses of the first steps, on the numbers of the Go benchmark, and a step on numbers of its own."""
    torch.set_num_threads(CORES)
    torch.manual_seed(0)
    loss, checked, draw = TASKS[task]
    start = load_file(folder / f"{task}.safetensors")
    net = Classifier()
    net.load(start)
    layout = torch.channels_last if channels_last else torch.contiguous_format
    net = net.to(memory_format=layout).train()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-7, fused=True)
    loss_of = functools.partial(loss, net, layout)
    if compiled:
        loss_of = torch.compile(loss_of)

    def step(batch):
        loss = loss_of(*batch)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        return loss.item()

    losses = [step(checked(start, i)) for i in (1, 2, 3)]
    images = start["images"]
    before = torch.zeros(len(images))
    return losses, lambda: step(draw(images, before))


PEERS = {
    "PyTorch eager": make,
    "PyTorch eager, channels_last": functools.partial(make, channels_last=True),
    "PyTorch compiled": functools.partial(make, compiled=True),
    "PyTorch compiled, channels_last": functools.partial(make, channels_last=True, compiled=True),
}


def some_losses():
    """Losses on a batch of three labeled positives and five unlabeled examples, in float64."""
    torch.manual_seed(3)
    normal = lambda shift: (1.5 * torch.randn(8, dtype=torch.float64) + shift).round(decimals=6).requires_grad_()
    lam, partner = torch.rand(8, dtype=torch.float64).round(decimals=6), torch.randint(8, (8,))
    cases = [("nnPU", dict(prior=0.1, beta=0, gamma=1), 0), ("nnPU", dict(prior=0.95, beta=0.02, gamma=0.5), -1),
             ("Dist-PU", dict(prior=0.4, mu=0.3), 0), ("Dist-PU", dict(prior=0.7, mu=0.004), 2)]
    out = []
    for method, settings, shift in cases:
        logits, mixed, before = (normal(shift) for _ in range(3))
        if method == "nnPU":
            loss = nnpu(logits, 3, **settings)
        else:
            loss = dist_pu(logits, 3, before=before.detach(), mixed=mixed, partner=partner, lam=lam, **settings)
        loss.backward()
        slope = lambda x: x.grad.tolist() if x.grad is not None else [0] * len(x)
        out.append(dict(
            method=method, **settings, positives=3, logits=logits.tolist(), before=before.tolist(), mixed=mixed.tolist(),
            partner=partner.tolist(), lam=lam.tolist(), loss=loss.item(), slope=slope(logits), slope_mixed=slope(mixed)))
    return out


if __name__ == "__main__":
    print("[\n" + ",\n".join(json.dumps(case) for case in some_losses()) + "\n]")
