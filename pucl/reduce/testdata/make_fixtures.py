"""Makes sklearn.json: what scikit-learn's t-SNE says of given rows and points.

    python make_fixtures.py

Versions: Python 3.11, scikit-learn 1.9.1, numpy 2.4.6.

"pairs" are the joint probabilities over nearest neighbors, "gradient" that of the divergence at given points with every pair counted,
and "divergence" what is left after 1,000 iterations from the two principal components, with every pair counted ("exact") and by the method of Barnes and
Hut. Rows are rounded before they are used, so that the file holds exactly what went in.
"""

import json

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.manifold import TSNE, _t_sne
from sklearn.neighbors import NearestNeighbors

rng = np.random.default_rng(3)
N, D, PERPLEXITY = 90, 6, 12.0

centers = 4 * rng.normal(size=(3, D))
rows = (centers[np.arange(N) % 3] + rng.normal(size=(N, D))).round(3)
points = rng.normal(size=(N, 2)).round(3)

near = NearestNeighbors(n_neighbors=int(3 * PERPLEXITY + 1)).fit(rows).kneighbors_graph(mode="distance")
near.data **= 2
p = _t_sne._joint_probabilities_nn(near, PERPLEXITY, 0)
assert isinstance(p, csr_matrix)
dense = p.toarray()

# The gradient by its definition, from scikit-learn's probabilities: its own code works in float32.
difference = points[:, None] - points[None]
weight = 1 / (1 + (difference**2).sum(-1))
np.fill_diagonal(weight, 0)
gradient = 4 * (((dense - weight / weight.sum()) * weight)[..., None] * difference).sum(1)
error, own = _t_sne._kl_divergence_bh(
    points.ravel().astype(np.float32), p, 1.0, N, 2, angle=0.0, skip_num_points=0, verbose=False, compute_error=True, num_threads=1
)
assert np.abs(own.reshape(N, 2) - gradient).max() < 1e-5 * np.abs(gradient).max()

json.dump({
    "rows": rows.tolist(), "points": points.tolist(), "perplexity": PERPLEXITY,
    "pairs": dense.round(10).tolist(),
    "gradient": gradient.tolist(),
    "divergence": {m: TSNE(perplexity=PERPLEXITY, method=m, init="pca").fit(rows).kl_divergence_ for m in ("exact", "barnes_hut")},
}, open("sklearn.json", "w"))
