"""Makes logistic.json: penalized logistic regressions of scikit-learn on rows that the tests compute too.

    python make_logistic.py

Versions: Python 3.11.7, scikit-learn 1.9.1, numpy 2.4.6, scipy 1.17.1.

The rows are those of hashedAt in probe_test.go. Features are standardized with the divisor n - 1, and the objective is the mean loss plus
l2/2 times the squared norm of the weights, which is C = 1 / (n l2). Weights and biases are those of the standardized features.
"""

import json

import numpy as np
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression


def hashed(x):
    x = np.sin(x) * 43758.5453
    return x - np.floor(x) - 0.5


def fit(n, d, classes, l2):
    i, j = np.arange(n)[:, None], np.arange(d)
    y = np.arange(n) % classes
    x = hashed(i * d + j + 1.0) + 0.15 * hashed(y[:, None] * d + j + 0.5)
    x = (x - x.mean(0)) / x.std(0, ddof=1)
    found = LogisticRegression(C=1 / (l2 * n), tol=1e-9, max_iter=100_000).fit(x, y)
    logits = found.decision_function(x)
    if classes == 2:
        loss = np.logaddexp(0, np.where(y == 1, -logits, logits)).mean()
    else:
        loss = (logsumexp(logits, axis=1) - logits[np.arange(n), y]).mean()
    return {
        "rows": n, "entries": d, "classes": classes, "l2": l2, "objective": float(loss + l2 / 2 * (found.coef_**2).sum()),
        "weights": found.coef_.round(9).tolist(), "bias": found.intercept_.round(9).tolist(),
    }


cases = [fit(50, 8, 2, 1e-4), fit(50, 40, 2, 1e-4), fit(1000, 16, 2, 1e-4), fit(1000, 16, 3, 1e-4), fit(20_000, 32, 2, 1e-2), fit(20_000, 16, 4, 1e-4)]
with open("logistic.json", "w") as file:
    json.dump(cases, file, separators=(",", ":"))
    file.write("\n")
