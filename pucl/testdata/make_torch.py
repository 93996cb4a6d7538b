#!/usr/bin/env python3
"""Writes values and gradients of losses on random batches of two views, by PyTorch's automatic differentiation in float64:

    peers/bin/python pucl/testdata/make_torch.py

The losses are written here from the papers' formulas, one row of similarities at a time.
"""

import json
import math
import pathlib

import torch

torch.set_default_dtype(torch.float64)


def log_mean(values):
    return torch.logsumexp(values, 0) - math.log(len(values))


class Batch:
    """Rows of two views, first view first; similarities are cosines over the temperature."""

    def __init__(self, z, tau, classes):
        self.unit = z / z.norm(dim=1, keepdim=True)
        self.s, self.tau, self.n, self.classes = self.unit @ self.unit.t() / tau, tau, len(z), classes

    def view(self, i):
        return (i + self.n // 2) % self.n

    def foreign(self, i):
        return [j for j in range(self.n) if j not in (i, self.view(i))]

    def others(self, i):
        return [j for j in range(self.n) if j != i]

    def classmates(self, i, same):
        return [j for j in self.others(i) if (self.classes[j % (self.n // 2)] == self.classes[i % (self.n // 2)]) == same]


def n_pair(b, i, _):
    second = [j for j in range(b.n) if j // (b.n // 2) != i // (b.n // 2)]
    return torch.logsumexp(b.s[i, second], 0) - b.s[i, b.view(i)]


def debiased_pos(b, i, params):
    """The slides' L_Pos; P over all other rows, the floor that of Chuang et al. (2020)."""
    all_others, negative = log_mean(b.s[i, b.others(i)]).exp(), log_mean(b.s[i, b.foreign(i)]).exp()
    positive = ((all_others - (1 - params["tau_plus"]) * negative) / params["tau_plus"]).clamp(min=math.exp(-1 / b.tau))
    return -torch.log(positive / (positive + len(b.foreign(i)) * negative))


def true_negatives(b, i, _):
    """Equation (1) of Chuang et al. (2020): as many negatives as there are rows of other examples, of other classes all."""
    strangers = b.classmates(i, False)
    if not strangers:
        return 0 * b.s[i, i]
    own, rest = b.s[i, b.view(i)], math.log(len(b.foreign(i))) + log_mean(b.s[i, strangers])
    return torch.logaddexp(own, rest) - own


def ideal(b, i, _):
    strangers, mates = b.classmates(i, False), b.classmates(i, True)
    if not strangers:
        return 0 * b.s[i, i]
    rest = torch.logsumexp(b.s[i, strangers], 0)
    return (torch.logaddexp(b.s[i, mates], rest) - b.s[i, mates]).mean()


def pairwise(b, i, params):
    square = lambda rows: (b.unit[i] - b.unit[rows]).square().sum(1)
    return square([b.view(i)]).mean() + (params["margin"] - square(b.foreign(i)).sqrt()).clamp(min=0).square().mean()


LOSSES = {"N-pair": n_pair, "DebiasedPos": debiased_pos, "true negatives": true_negatives, "ideal": ideal, "pairwise": pairwise}


def case(seed, rows, dim, tau, classes, **params):
    torch.manual_seed(seed)
    z, z_aug = torch.randn(rows, dim), torch.randn(rows, dim)
    losses = {}
    for name, score in LOSSES.items():
        first, second = z.clone().requires_grad_(), z_aug.clone().requires_grad_()
        batch = Batch(torch.cat([first, second]), tau, classes)
        loss = torch.stack([score(batch, i, params) for i in range(2 * rows)]).mean()
        loss.backward()
        losses[name] = dict(value=loss.item(), grad_z=first.grad.tolist(), grad_z_aug=second.grad.tolist())
    return dict(name=f"losses-{seed}", temperature=tau, params=params, labeled=[0] * rows, **{"class": classes},
                z=z.tolist(), z_aug=z_aug.tolist(), losses=losses)


def main():
    folder = pathlib.Path(__file__).parent / "torch"
    for made in (
        case(1, 6, 5, 0.5, [0, 1, 1, 2, 0, 1], tau_plus=0.3, margin=1.5),
        case(2, 5, 3, 0.1, [0, 1, 2, 3, 4], tau_plus=0.7, margin=0.8),  # every example of a class of its own; some on the floor
        case(3, 4, 4, 1.0, [2, 2, 2, 2], tau_plus=1.0, margin=2.0),  # no true negative
    ):
        (folder / f"{made['name']}.json").write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
