"""Rows in classes, the same numbers as in the Go benchmarks, and what others make of them: linear probes and nearest
neighbors; for step.py."""

import functools
import math

import numpy as np

from turns import CORES

D, CLASSES = 128, 10
K, TAU, QUERIES, BANK = 200, 0.1, 10_000, 60_000
ROWS, EPOCHS, BATCH, RATE, L2 = 10_000, 10, 1024, 0.05, 1e-4
STEPS = EPOCHS * (ROWS // BATCH)


def hashed(x):
    x = np.sin(x) * 43758.5453
    return x - np.floor(x) - 0.5


def clusters(first, n):
    """n rows from the row with the given number on, and their classes."""
    i, j = np.arange(first, first + n, dtype=np.float64)[:, None], np.arange(D)
    classes = np.arange(first, first + n) % CLASSES
    rows = hashed(i * D + j + 1) + 0.15 * hashed(classes[:, None] * D + j + 0.5)
    return rows.astype(np.float32), classes


def rate(step):
    return RATE * (1 + math.cos(math.pi * step / STEPS)) / 2


def cross_entropy(x, y, w, b):
    """The mean loss of a probe over all rows, in nats: what a check compares, since the order of the batches is everybody's own."""
    logits = x.astype(np.float64) @ np.asarray(w, np.float64).T + np.asarray(b, np.float64)
    logits -= logits.max(1, keepdims=True)
    return [float(np.mean(np.log(np.exp(logits).sum(1)) - logits[np.arange(len(y)), y]))]


def torch_probe(task, folder, compiled=False):
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(CORES)
    torch.manual_seed(1)
    x, y = map(torch.from_numpy, clusters(0, ROWS))

    def loss_of(w, b, x, y):
        return F.cross_entropy(F.linear(x, w, b), y) + L2 / 2 * w.square().sum()

    if compiled:
        loss_of = torch.compile(loss_of)

    def fit():
        std, mean = torch.std_mean(x, 0)
        features = (x - mean) / std
        w = torch.zeros(CLASSES, D, requires_grad=True)
        b = torch.zeros(CLASSES, requires_grad=True)
        opt = torch.optim.Adam([w, b], lr=RATE, eps=1e-7, fused=True)
        step = 0
        for _ in range(EPOCHS):
            order = torch.randperm(ROWS)
            for rows in order[: ROWS // BATCH * BATCH].split(BATCH):
                opt.param_groups[0]["lr"] = rate(step)
                opt.zero_grad(set_to_none=True)
                loss_of(w, b, features[rows], y[rows]).backward()
                opt.step()
                step += 1
        with torch.no_grad():
            w = w / std
            return w, b - w @ mean

    return cross_entropy(x.numpy(), y.numpy(), *fit()), fit


def jax_probe(task, folder):
    """One jitted function, all steps in a scan."""
    import jax
    import jax.numpy as jnp

    x, y = map(jnp.asarray, clusters(0, ROWS))
    rates = jnp.asarray([rate(step) for step in range(STEPS)])

    def loss_of(p, x, y):
        logits = jax.nn.log_softmax(x @ p["w"] + p["b"])
        return -jnp.mean(jnp.take_along_axis(logits, y[:, None], 1)) + L2 / 2 * jnp.sum(p["w"] ** 2)

    @jax.jit
    def fit(x, y, key):
        mean, std = jnp.mean(x, 0), jnp.std(x, 0, ddof=1)
        features = (x - mean) / std
        orders = jax.vmap(lambda k: jax.random.permutation(k, ROWS))(jax.random.split(key, EPOCHS))
        batches = orders[:, : ROWS // BATCH * BATCH].reshape(STEPS, BATCH)
        zero = {"w": jnp.zeros((D, CLASSES)), "b": jnp.zeros(CLASSES)}

        def step(state, batch):
            p, m, v, t = state
            rows, lr = batch
            g = jax.grad(loss_of)(p, features[rows], y[rows])
            t = t + 1
            m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
            v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
            p = jax.tree.map(lambda p, m, v: p - lr * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-7), p, m, v)
            return (p, m, v, t), None

        (p, *_), _ = jax.lax.scan(step, (zero, zero, zero, 0.0), (batches, rates))
        w = p["w"] / std[:, None]
        return w.T, p["b"] - mean @ w

    key = jax.random.key(1)
    return cross_entropy(np.asarray(x), np.asarray(y), *fit(x, y, key)), lambda: jax.block_until_ready(fit(x, y, key))


def sklearn_probe(task, folder, n=ROWS):
    """L-BFGS to the end, on the same standardised features and penalty."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = clusters(0, n)
    fit = make_pipeline(StandardScaler(), LogisticRegression(C=1 / (L2 * n), max_iter=1000))
    scaler, probe = (step for _, step in fit.fit(x, y).steps)
    w = probe.coef_ / scaler.scale_
    return cross_entropy(x, y, w, probe.intercept_ - w @ scaler.mean_), lambda: fit.fit(x, y)


def torch_knn(task, folder):
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(CORES)
    bank, classes = map(torch.from_numpy, clusters(0, BANK))
    queries = torch.from_numpy(clusters(BANK, QUERIES)[0])

    @torch.no_grad()
    def predict():
        unit, predicted = F.normalize(bank).t().contiguous(), []
        for block in F.normalize(queries).split(500):
            similarity, nearest = torch.topk(block @ unit, K, sorted=False)
            votes = torch.zeros(len(block), CLASSES).scatter_add_(1, classes[nearest], torch.exp((similarity - 1) / TAU))
            predicted.append(votes.argmax(1))
        return torch.cat(predicted)

    return predict().tolist(), predict


def jax_knn(task, folder):
    import jax
    import jax.numpy as jnp

    bank, classes = map(jnp.asarray, clusters(0, BANK))
    queries = jnp.asarray(clusters(BANK, QUERIES)[0])
    unit = lambda x: x / jnp.linalg.norm(x, axis=1, keepdims=True)

    @jax.jit
    def predict(bank, classes, queries):
        rows = unit(bank).T

        def block(queries):
            similarity, nearest = jax.lax.top_k(queries @ rows, K)
            weights = jnp.exp((similarity - 1) / TAU)
            return jnp.argmax(jnp.einsum("nk,nkc->nc", weights, jax.nn.one_hot(classes[nearest], CLASSES)), 1)

        return jax.lax.map(block, unit(queries).reshape(-1, 500, D)).reshape(-1)

    return predict(bank, classes, queries).tolist(), lambda: jax.block_until_ready(predict(bank, classes, queries))


def vote(similarity, nearest, classes):
    """The class of the largest vote, for neighbors that numpy holds."""
    weights, voted = np.exp((similarity - 1) / TAU), classes[nearest]
    return np.stack([np.where(voted == c, weights, 0).sum(1) for c in range(CLASSES)], 1).argmax(1)


def unit_rows(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def sklearn_knn(task, folder):
    """Euclidean distances of unit rows, which scikit-learn compares faster than cosines."""
    from sklearn.neighbors import NearestNeighbors

    bank, classes = clusters(0, BANK)
    queries, _ = clusters(BANK, QUERIES)

    def predict():
        distance, nearest = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(unit_rows(bank)).kneighbors(unit_rows(queries))
        return vote(1 - distance**2 / 2, nearest, classes)

    return predict().tolist(), predict


def faiss_knn(task, folder):
    import faiss

    faiss.omp_set_num_threads(CORES)
    bank, classes = clusters(0, BANK)
    queries, _ = clusters(BANK, QUERIES)

    def predict():
        index = faiss.IndexFlatIP(D)
        index.add(unit_rows(bank))
        return vote(*index.search(unit_rows(queries), K), classes)

    return predict().tolist(), predict


PROBES = {
    "PyTorch eager": torch_probe,
    "PyTorch compiled": functools.partial(torch_probe, compiled=True),
    "JAX, jit": jax_probe,
    "scikit-learn, L-BFGS": sklearn_probe,
}
CONVERGED = {"scikit-learn, L-BFGS": functools.partial(sklearn_probe, n=100_000)}
NEIGHBORS = {"PyTorch": torch_knn, "JAX, jit": jax_knn, "scikit-learn": sklearn_knn, "faiss": faiss_knn}
