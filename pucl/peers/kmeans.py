#!/usr/bin/env python3
"""Times k-means here, in scikit-learn and in faiss, on this machine, in one go.

    python -m venv peers && peers/bin/pip install -r pucl/peers/requirements.txt
    peers/bin/python pucl/peers/kmeans.py

Everybody reads the same float32 rows of 128 entries from a file, starts at the same rows and moves the centers as often; a time is that
of the whole fit, from rows in memory to labels and centers, divided by that number, and each has fitted rows of that shape before.
Everybody gets all cores, and its turn in a process of its own, round after round, so that a slow minute of the machine hits all
alike. Of the turns the fastest counts; behind its ratio to ours stand the least and the largest of those of single
rounds. Memory is the most that the whole process held. Potentials are those of the last centers; who ends at another one, by
more than a thousandth, is told.

Rows are of two kinds: "embedding" is what an encoder gives, unit rows that twenty hidden numbers decide but for some noise; "noise" has
all but no clusters, the hardest case for k-means that leaves out work.
"""

import argparse
import functools
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from turns import CORES, OURS, ROOT, finished, our_turn

D = 128
# (rows, clusters) -> how often the centers move
TASKS = {(60_000, 2): 20, (60_000, 100): 20, (60_000, 1000): 20, (1_000_000, 2): 20, (1_000_000, 100): 20, (1_000_000, 1000): 10}


def write_rows(path, kind, n):
    import numpy as np

    rng = np.random.default_rng(1)
    directions = rng.normal(size=(20, D)) / 3
    with open(path, "wb") as out:
        for first in range(0, n, 50_000):
            m = min(50_000, n - first)
            if kind == "embedding":
                x = np.tanh(rng.normal(size=(m, 20)) @ directions) + 0.1 * rng.normal(size=(m, D))
                x /= np.linalg.norm(x, axis=1, keepdims=True)
            else:
                x = rng.uniform(-0.5, 0.5, size=(m, D))
            out.write(x.astype("<f4").tobytes())


def sklearn_fit(x, k, iterations, algorithm="lloyd"):
    from sklearn.cluster import KMeans

    fitted = KMeans(k, init=x[:k], n_init=1, max_iter=iterations, tol=0, algorithm=algorithm).fit(x)
    return fitted.cluster_centers_, fitted.n_iter_


def faiss_fit(x, k, iterations):
    import faiss

    faiss.omp_set_num_threads(CORES)
    fitted = faiss.Kmeans(D, k, niter=iterations, max_points_per_centroid=len(x), min_points_per_centroid=1)
    fitted.train(x, init_centroids=x[:k])
    fitted.assign(x)  # the others give labels too
    return fitted.centroids, iterations


PEERS = {
    "scikit-learn": sklearn_fit,
    "scikit-learn, Elkan": functools.partial(sklearn_fit, algorithm="elkan"),
    "faiss": faiss_fit,
}


def potential(x, centers):
    """The squared distances of all rows to their nearest centers, summed in float64."""
    import numpy as np

    total, centers = 0.0, np.asarray(centers, np.float64)
    for first in range(0, len(x), 10_000):
        rows = x[first : first + 10_000].astype(np.float64)
        distances = (centers**2).sum(1) - 2 * rows @ centers.T
        total += float((distances.min(1) + (rows**2).sum(1)).sum())
    return total


def peer_turn(name, path, k, iterations):
    """One peer's turn, in this process."""
    import warnings

    import numpy as np

    warnings.filterwarnings("ignore", message="Number of distinct clusters|.*did not converge")
    x = np.fromfile(path, "<f4").reshape(-1, D)
    if len(x) * k * iterations <= 1e9:
        PEERS[name](x, k, iterations)  # warm
    else:
        PEERS[name](x[: max(k, 10_000)], k, 1)
    start = time.perf_counter()
    centers, done = PEERS[name](x, k, iterations)
    taken = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return {"ms": taken * 1e3 / done, "MB": memory, "potential": potential(x, centers)}


def played(name, binary, path, k, iterations):
    if name == OURS:
        env = {"PUCL_PEERS_ROWS": str(path), "PUCL_PEERS_K": str(k), "PUCL_PEERS_ROUNDS": str(iterations)}
        found = our_turn(binary, "pucl/cluster", "^BenchmarkKMeans$", "1x", env)
        return {"ms": found["median-ms"], "MB": found["MB"], "potential": found["millipotential"] / 1e3}
    printed, _ = finished([sys.executable, __file__, "--turn", name, path, k, iterations])
    return json.loads(printed.splitlines()[-1])


def compare(kind, n, k, iterations, wanted, rounds, binary, folder):
    path = pathlib.Path(folder) / f"{kind}-{n}.f32"
    if not path.exists():
        write_rows(path, kind, n)
    names = [name for name in PEERS if name in wanted]
    turns = {name: [] for name in [OURS, *names]}
    for _ in range(rounds):
        for name in turns:
            turns[name].append(played(name, binary, path, k, iterations))
    best = {name: min(t["ms"] for t in of) for name, of in turns.items()}
    print(f"\n{kind}, {n:,} rows, k = {k}, {iterations} iterations", flush=True)
    for name, of in turns.items():
        note = ""
        if name != OURS:
            ratios = [theirs["ms"] / ours["ms"] for theirs, ours in zip(of, turns[OURS])]
            note = f"{best[name] / best[OURS]:.2f} times ours ({min(ratios):.2f} to {max(ratios):.2f})"
            apart = of[0]["potential"] / turns[OURS][0]["potential"] - 1
            note += f", potential {apart:+.2e}" + (" OTHER POTENTIAL" if abs(apart) > 1e-3 else "")
        elif names:
            fastest = min(names, key=best.get)
            note = f"{best[fastest] / best[OURS]:.2f} times as fast as {fastest}"
        print(f"  {name:22} {best[name]:10.2f} ms {of[0]['potential']:14.2f} {min(t['MB'] for t in of):7.0f} MB   {note}", flush=True)


def frozen():
    """What scikit-learn finds on the rows of the Go test, from the first ones on."""
    from rows import clusters

    x, _ = clusters(0, 3000)
    for k in (2, 10, 50):
        centers, done = sklearn_fit(x, k, 10)
        print(f"{{{k}, {potential(x, centers):.6f}}}, // after {done} rounds")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kinds", choices=["embedding", "noise"], nargs="+", default=["embedding", "noise"])
    parser.add_argument("--rows", type=int, nargs="+", default=[60_000, 1_000_000])
    parser.add_argument("--clusters", type=int, nargs="+", default=[2, 100, 1000])
    parser.add_argument("--peers", choices=list(PEERS), nargs="+", default=["scikit-learn", "faiss"])
    parser.add_argument("--rounds", type=int, default=2, help="turns of everybody in every row of the table")
    parser.add_argument("--binary", type=pathlib.Path, help="the compiled benchmark, where it is there already")
    parser.add_argument("--frozen", action="store_true", help="print the potentials of scikit-learn that a Go test compares with")
    parser.add_argument("--turn", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.turn:
        name, path, k, iterations = args.turn
        print(json.dumps(peer_turn(name, path, int(k), int(iterations))))
        return
    if args.frozen:
        frozen()
        return
    columns = f"a fit's time divided by its iterations, the fastest of {args.rounds}; potential; most memory of a process"
    print(f"{CORES} cores; {D} entries, float32; {columns}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        binary = args.binary or pathlib.Path(folder) / "cluster.test"
        if not binary.exists():
            subprocess.run(["go", "test", "-c", "-o", binary, "./pucl/cluster"], check=True, cwd=ROOT)
        for kind in args.kinds:
            for n in args.rows:
                for k in args.clusters:
                    compare(kind, n, k, TASKS.get((n, k), 10), args.peers, args.rounds, binary.resolve(), folder)


if __name__ == "__main__":
    main()
