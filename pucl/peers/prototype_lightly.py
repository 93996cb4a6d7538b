#!/usr/bin/env python3
"""The prototype of notebooks/prototype.ipynb in lightly, which has the projector and ssCL: three seeds of ssCL, PUCL and a term of one's own.

    peers/bin/python pucl/peers/prototype_lightly.py --seeds 3 --steps 500
"""

import math

import torch
import torch.nn.functional as F
from lightly.loss import NTXentLoss
from lightly.models.modules.heads import SimCLRProjectionHead

from prototype_torch import BATCH, TAU, run, views


def self_supervised(z, labeled):
    return NTXentLoss(temperature=TAU)(z[:BATCH], z[BATCH:])


def pucl(known):
    """PUCL in which pairs of two labeled examples count known times in what repels; 1 is PUCL."""
    def loss(z, labeled):
        n, labeled, z = len(z), torch.cat([labeled, labeled]), F.normalize(z)
        itself, own = torch.eye(n), torch.eye(n).roll(n // 2, 0)
        pairs = labeled[:, None] * labeled[None, :] * (1 - itself)
        positive = torch.where(labeled[:, None], pairs, own)
        s = z @ z.t() / TAU
        weighted = s + (pairs - pairs * own) * math.log(known)
        repel = weighted.masked_fill(itself > 0, -math.inf).logsumexp(1)
        return (repel - (positive * s).sum(1) / positive.sum(1)).mean()
    return loss


def projector():
    return SimCLRProjectionHead(128, 128, 128)


if __name__ == "__main__":
    run("lightly", {"ssCL": self_supervised, "PUCL": pucl(1), "soft PUCL": pucl(0.1)}, projector, views())
