"""What a prototype of a debiasing term takes in PyTorch beside the loss itself; for prototype_pml.py and prototype_lightly.py.

The task and its size are those of notebooks/prototype.ipynb: 7,200 images of Fashion-MNIST to learn from, 200 labeled positives of FMNIST-I, a
small CNN, 500 steps of 256 images, a quarter of them labeled, three seeds. Two-means and the probe are scikit-learn's, the seeds draw other numbers.
"""

import argparse
import gzip
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F
from scipy import stats
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from torch import nn
from torchvision.transforms import v2

POSITIVE = [1, 4, 7]
TAU, BATCH, LABELED = 0.5, 256, 64
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "datasets" / "fashionmnist" / "data"


def read():
    pixels = gzip.decompress((FOLDER / "t10k-images-idx3-ubyte.gz").read_bytes())[16:]
    classes = gzip.decompress((FOLDER / "t10k-labels-idx1-ubyte.gz").read_bytes())[8:]
    x = torch.tensor(np.frombuffer(pixels, np.uint8).reshape(-1, 1, 28, 28)) / 255
    return x, np.frombuffer(classes, np.uint8)


def split(y, rng):
    """Rows to learn from, which of them are labeled, and rows to test on: as many of each class."""
    train, test, labeled = [], [], []
    for c in range(10):
        rows = rng.permutation(np.flatnonzero(y == c))
        test, train = test + list(rows[:200]), train + list(rows[280:])
        if c in POSITIVE:
            labeled += list(rows[280:280 + 66 + (c != POSITIVE[-1])])
    return np.array(labeled), np.array(train), np.array(test)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layers = []
        for i, o, k in [(1, 32, 5), (32, 64, 3), (64, 128, 3)]:
            layers += [nn.Conv2d(i, o, k, stride=2, padding=k // 2, bias=False), nn.BatchNorm2d(o), nn.ReLU()]
        self.net = nn.Sequential(*layers, nn.Flatten(), nn.Linear(2048, 128, bias=False), nn.BatchNorm1d(128), nn.ReLU())

    def forward(self, x):
        return self.net((x - 0.286) / 0.353)


def views():
    jitter = v2.RandomApply([v2.ColorJitter(0.4, 0.4)], p=0.8)
    return v2.Compose([v2.RandomResizedCrop(28, (0.5, 1), antialias=False), jitter])


def train(loss, projector, view, x, labeled, unlabeled, steps, rng):
    """loss is of both views' projections and of which examples are labeled."""
    encoder = Encoder()
    optimizer = torch.optim.Adam([*encoder.parameters(), *projector.parameters()], lr=1e-3)
    warm = steps // 20
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda k: k / warm if k < warm else 0.5 + 0.5 * np.cos(np.pi * (k - warm) / (steps - warm)))
    known = torch.arange(BATCH) < LABELED
    for _ in range(steps):
        rows = np.concatenate([rng.choice(labeled, LABELED, replace=False), rng.choice(unlabeled, BATCH - LABELED, replace=False)])
        both = torch.stack([view(image) for image in torch.cat([x[rows], x[rows]])])
        value = loss(projector(encoder(both)), known)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        schedule.step()
    return encoder.eval(), projector.eval()


def judge(encoder, projector, x, y, labeled, train_rows, test, seed):
    """Accuracies of a linear probe of h: on the clusters of z, and on the true classes."""
    truth = np.isin(y, POSITIVE)
    with torch.no_grad():
        h = encoder(x)
        z, h = F.normalize(projector(h)).numpy(), F.normalize(h).numpy()
    rows = np.concatenate([labeled, train_rows])
    clusters = KMeans(2, n_init=5, random_state=seed).fit_predict(z[rows])
    positive = clusters == np.bincount(clusters[:len(labeled)]).argmax()
    positive[:len(labeled)] = True
    scores = []
    for target in [positive, truth[rows]]:
        probe = LogisticRegression(C=1e3, max_iter=1000).fit(h[rows], target)
        scores.append(100 * probe.score(h[test], truth[test]))
    return scores


def run(name, losses, projector, view):
    """Trains and judges every loss with every seed, and prints mean and 95% Student-t interval."""
    flags = argparse.ArgumentParser()
    flags.add_argument("--steps", type=int, default=500)
    flags.add_argument("--seeds", type=int, default=3)
    flags = flags.parse_args()
    x, y = read()
    for title, loss in losses.items():
        start, scores = time.time(), []
        for seed in range(1, flags.seeds + 1):
            rng = np.random.default_rng(seed)
            torch.manual_seed(seed)
            labeled, unlabeled, test = split(y, rng)
            trained = train(loss, projector(), view, x, labeled, unlabeled, flags.steps, rng)
            scores.append(judge(*trained, x, y, labeled, unlabeled, test, seed))
        line = f"{name}, {title}, {flags.steps} steps, {flags.seeds} seeds, {time.time() - start:.0f} s:"
        for what, values in zip(["clusters of z", "true labels"], np.array(scores).T):
            line += f" {what} {values.mean():.1f}"
            if len(values) > 1:
                line += f" ± {stats.t.ppf(0.975, len(values) - 1) * stats.sem(values):.1f}"
        print(line, flush=True)
