"""Makes sklearn.json: what scikit-learn, SciPy and NumPy say of given scores, labels and embeddings.

    python make_fixtures.py

Versions: Python 3.11.7, scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6.

The nearest-neighbor votes are those of KNeighborsClassifier with the cosine metric and the weights exp(-distance / t): its
distance is 1 - cosine, so that the shares are those of exp(cosine / t). Numbers are rounded before they are used, so that the
file holds exactly what went in.
"""

import json
import math

import numpy as np
from scipy import stats
from sklearn import metrics
from sklearn.neighbors import KNeighborsClassifier

rng = np.random.default_rng(5)


def binary():
    cases = []
    for name, scores, truth, threshold in [
        ("logits", rng.normal(size=60).round(3), rng.random(60) < 0.4, 0.0),
        ("ties", rng.integers(0, 4, size=80).astype(float), rng.random(80) < 0.7, 1.0),
        ("rare positives", rng.normal(size=200).round(2), rng.random(200) < 0.03, 0.5),
        ("separated", np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]), 0.0),
        ("all positive", rng.random(30).round(3) + 1, rng.random(30) < 0.7, 0.5),
    ]:
        predicted = scores > threshold
        cases.append({
            "name": name, "scores": scores.tolist(), "truth": truth.tolist(), "threshold": threshold,
            "auc": metrics.roc_auc_score(truth, scores),
            "accuracy": metrics.accuracy_score(truth, predicted),
            "balanced": metrics.balanced_accuracy_score(truth, predicted),
            "precision": metrics.precision_score(truth, predicted),
            "recall": metrics.recall_score(truth, predicted),
            "f1": metrics.f1_score(truth, predicted),
        })
    return cases


def classes():
    cases = []
    for n, count in [(50, 3), (120, 10)]:
        scores = rng.normal(size=(n, count)).round(6)  # no ties, which scikit-learn breaks by the number of the class
        truth = rng.integers(0, count, size=n)
        predicted = scores.argmax(1)
        cases.append({
            "scores": scores.tolist(), "truth": truth.tolist(),
            "accuracy": metrics.accuracy_score(truth, predicted),
            "balanced": metrics.balanced_accuracy_score(truth, predicted),
            "recall": metrics.recall_score(truth, predicted, average=None).tolist(),
            "topk": [metrics.top_k_accuracy_score(truth, scores, k=k, labels=range(count)) for k in range(1, count)],
        })
    return cases


def neighbors():
    bank = rng.normal(size=(90, 5)).round(2)
    labels = rng.integers(0, 4, size=90)
    queries = rng.normal(size=(25, 5)).round(2)
    cases = []
    for k, t in [(1, 0.1), (7, 0.1), (20, 0.5), (90, 0.07)]:
        knn = KNeighborsClassifier(k, metric="cosine", algorithm="brute", weights=lambda d, t=t: np.exp(-d / t))
        cases.append({"k": k, "temperature": t, "votes": knn.fit(bank, labels).predict_proba(queries).tolist()})
    return {"bank": bank.tolist(), "labels": labels.tolist(), "queries": queries.tolist(), "cases": cases}


def intervals():
    cases = []
    for n, confidence in [(2, 0.95), (5, 0.95), (5, 0.99), (10, 0.9)]:
        values = rng.normal(0.9, 0.01, size=n).round(4)
        low, high = stats.t.interval(confidence, n - 1, loc=values.mean(), scale=stats.sem(values))
        cases.append({"values": values.tolist(), "confidence": confidence, "low": low, "high": high})
    return cases


def embeddings():
    cases = []
    spread = rng.normal(size=(40, 6)).round(3)
    narrow = (spread * np.array([1, 1, 0.01, 0.01, 0.01, 0.01])).round(5)
    shifted = (spread * 0.1 + 3).round(4)
    wide = rng.normal(size=(4, 9)).round(3)
    for name, x in [("spread", spread), ("narrow", narrow), ("shifted", shifted), ("more columns than rows", wide)]:
        other = (x + 0.1 * rng.normal(size=x.shape)).round(3)
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        views = other / np.linalg.norm(other, axis=1, keepdims=True)
        p = np.linalg.svd(unit, compute_uv=False)
        p /= p.sum()
        different = ~np.eye(len(x), dtype=bool)
        squared = ((unit[:, None] - unit[None]) ** 2).sum(-1)
        cases.append({
            "name": name, "x": x.tolist(), "views": other.tolist(),
            "alignment": ((unit - views) ** 2).sum(1).mean(),
            "uniformity": math.log(np.exp(-2 * squared[different]).mean()),
            "effective_rank": math.exp(stats.entropy(p)),
            "mean_std": unit.std(axis=0).mean(),
            "mean_cosine": (unit @ unit.T)[different].mean(),
        })
    return cases


with open("sklearn.json", "w") as f:
    json.dump({"binary": binary(), "classes": classes(), "neighbors": neighbors(), "intervals": intervals(),
               "embeddings": embeddings()}, f, default=float)
    f.write("\n")
