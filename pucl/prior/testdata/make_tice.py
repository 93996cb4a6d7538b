"""Makes tice.json: label frequencies by TIcE, written from the paper in loops, with the folds given.

    python make_tice.py

Source: Bekker and Davis, "Estimating the Class Prior in Positive and Unlabeled Data through Decision Tree Induction",
AAAI 2018. Versions: Python 3.11.7, numpy 2.4.6.
"""

import json
import math

import numpy as np

FOLDS, ROUNDS, SPLITS, SMOOTHING, FEWEST, PARTS = 5, 2, 500, 5, 10, 4


def lower_bound(labeled, rows, c, delta):
    """Returns a bound of c that holds with probability 1 - delta, by the one-sided inequality of Chebyshev."""
    return labeled[rows].sum() / len(rows) - math.sqrt(c * (1 - c) * (1 - delta) / (delta * len(rows)))


def pieces(column, rows):
    """Returns the rows in each quarter of a column that is scaled to 0..1."""
    borders = [i / PARTS for i in range(1, PARTS)]
    return [[i for i in rows if sum(column[i] >= b for b in borders) == part] for part in range(PARTS)]


def largest_bound(x, labeled, tree, estimate, c):
    delta = max(0.025, 1 / (1 + 0.004 * len(estimate)))
    best = labeled[estimate].mean()
    needed = 1
    waiting = [(lower_bound(labeled, tree, c, delta), tree, estimate, list(range(x.shape[1])))]
    for _ in range(SPLITS):
        if not waiting:
            break
        chosen = 0
        for i, (bound, grown, _, _) in enumerate(waiting):  # the earliest of equals
            other = (waiting[chosen][0], labeled[waiting[chosen][1]].sum())
            if (bound, labeled[grown].sum()) > other:
                chosen = i
        _, grown, read, features = waiting.pop(chosen)
        top, attribute, remaining = 0, None, []
        for a in features:
            if max(labeled[p].sum() if p else 0 for p in pieces(x[:, a], read)) < needed:
                continue
            remaining.append(a)
            score = max(labeled[p].sum() / (len(p) + SMOOTHING) if p else 0 for p in pieces(x[:, a], grown))
            if score > top:
                top, attribute = score, a
        if attribute is None:
            continue
        grown_parts, read_parts = pieces(x[:, attribute], grown), pieces(x[:, attribute], read)
        if sum(len(p) > 0 for p in read_parts) == 1:
            continue
        remaining.remove(attribute)
        for p in read_parts:
            if len(p) >= FEWEST:
                best = max(best, lower_bound(labeled, p, c, delta))
        needed = math.inf if best == 1 else c * (1 - c) * (1 - delta) / (delta * (1 - best) ** 2)
        for g, r in zip(grown_parts, read_parts):
            marks = labeled[g].sum() if g else 0
            if r and labeled[r].sum() > needed and len(g) > FEWEST and 0 < marks < len(g):
                waiting.append((lower_bound(labeled, g, c, delta), g, r, remaining))
    return best


def tice(x, labeled, fold):
    x = (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))
    c = 0.5
    for _ in range(ROUNDS):
        bounds = []
        for k in range(FOLDS):
            tree = [i for i in range(len(x)) if fold[i] == k]
            estimate = [i for i in range(len(x)) if fold[i] != k]
            bounds.append(largest_bound(x, labeled, tree, estimate, c))
        c = sum(bounds) / FOLDS
    return c


rng = np.random.default_rng(3)
cases = []
for features, prior, distance, decimals in [(1, 0.5, 3, 2), (2, 0.3, 3, 2), (3, 0.7, 2, 2), (6, 0.5, 4, 1), (4, 0.1, 5, 0), (8, 0.9, 2, 0)]:
    n = 400
    truth = np.arange(n) < 100 + prior * 300
    x = rng.normal(size=(n, features))
    x[~truth, : max(1, features // 2)] += distance
    x = x.round(decimals)
    labeled = (np.arange(n) < 100).astype(int)
    fold = rng.permutation(n) % FOLDS
    cases.append({"x": x.tolist(), "labeled": 100, "fold": fold.tolist(), "c": float(tice(x, labeled, fold))})
    c = cases[-1]["c"]
    print(features, prior, (1 - c) / c / 3)
with open("tice.json", "w") as file:
    json.dump(cases, file, separators=(",", ":"))
    file.write("\n")
