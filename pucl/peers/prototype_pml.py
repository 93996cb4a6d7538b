#!/usr/bin/env python3
"""The prototype of notebooks/prototype.ipynb in pytorch-metric-learning: three seeds of ssCL, PUCL and a term of one's own.

    peers/bin/python pucl/peers/prototype_pml.py --seeds 3 --steps 500
"""

import math

import torch
from pytorch_metric_learning.distances import CosineSimilarity
from pytorch_metric_learning.losses import GenericPairLoss, SelfSupervisedLoss, SupConLoss
from torch import nn

from prototype_torch import BATCH, TAU, run, views


class SoftPUCL(GenericPairLoss):
    """PUCL in which pairs of two labeled examples count less in what repels."""

    def __init__(self, known=0.1):
        super().__init__(mat_based_loss=True, distance=CosineSimilarity())
        self.known = known

    def _compute_loss(self, mat, pos_mask, neg_mask):
        own = torch.eye(len(mat)).roll(len(mat) // 2, 0)
        s = mat / TAU
        weighted = s + (pos_mask - own) * math.log(self.known)
        repel = weighted.masked_fill(pos_mask + neg_mask == 0, -math.inf).logsumexp(1)
        losses = repel - (pos_mask * s).sum(1) / pos_mask.sum(1)
        return {"loss": {"losses": losses, "indices": torch.arange(len(mat)), "reduction_type": "element"}}


def by_label(loss):
    """All labeled examples are one class, every other example is one of its own: PUCL."""
    def of(z, labeled):
        classes = torch.where(labeled, 0, 1 + torch.arange(BATCH))
        return loss(z, torch.cat([classes, classes]))
    return of


def self_supervised(z, labeled):
    return SelfSupervisedLoss(SupConLoss(TAU))(z[:BATCH], z[BATCH:])


def projector():
    return nn.Sequential(nn.Linear(128, 128, bias=False), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, 128))


if __name__ == "__main__":
    losses = {"ssCL": self_supervised, "PUCL": by_label(SupConLoss(TAU)), "soft PUCL": by_label(SoftPUCL())}
    run("pytorch-metric-learning", losses, projector, views())
