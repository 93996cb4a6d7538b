#!/usr/bin/env python3
"""Times t-SNE here and in scikit-learn on this machine, in one go.

    python -m venv peers && peers/bin/pip install -r pucl/peers/requirements.txt
    peers/bin/python pucl/peers/tsne.py

Both read the same rows of 128 entries from a file, what an encoder gives in kind, and take up to 1,000 steps of Barnes and Hut's method with
perplexity 30 and angle 0.5 from the first two principal components. A time is that of the whole fit, neighbors and start in it. Both
get all cores, and their turns in processes of their own, round after round; of the turns the fastest counts, and behind its ratio to ours
stand the least and the largest of those of single rounds. Memory is the most that the whole process held. The divergence, by which the
results compare, is the one that each tells of its own points.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from kmeans import D, write_rows
from turns import CORES, OURS, ROOT, finished, our_turn

PEER = "scikit-learn"


def peer_turn(path):
    import numpy as np
    from sklearn.manifold import TSNE

    x = np.fromfile(path, "<f4").reshape(-1, D)
    TSNE(max_iter=250).fit(x[:1000])  # warm
    start = time.perf_counter()
    fitted = TSNE(init="pca", n_jobs=-1).fit(x)
    return {"s": time.perf_counter() - start, "divergence": float(fitted.kl_divergence_)}


def played(name, binary, path):
    if name == OURS:
        found = our_turn(binary, "pucl/reduce", "^BenchmarkTSNE$", "1x", {"PUCL_PEERS_ROWS": str(path)})
        return {"s": found["median-ms"] / 1e3, "MB": found["MB"], "divergence": found["millinats"] / 1e3}
    printed, memory = finished([sys.executable, __file__, "--turn", path])
    return json.loads(printed.splitlines()[-1]) | {"MB": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[2_000, 10_000])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--turn", type=pathlib.Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.turn:
        print(json.dumps(peer_turn(args.turn)))
        return
    print(f"{CORES} cores; {D} entries; the fastest of {args.rounds}; divergence in nats; most memory of a process", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "reduce.test"
        subprocess.run(["go", "test", "-c", "-o", binary, "./pucl/reduce"], check=True, cwd=ROOT)
        for n in args.rows:
            path = pathlib.Path(folder) / f"{n}.f32"
            write_rows(path, "embedding", n)
            turns = {OURS: [], PEER: []}
            for _ in range(args.rounds):
                for name in turns:
                    turns[name].append(played(name, binary, path))
            ratios = [theirs["s"] / ours["s"] for theirs, ours in zip(turns[PEER], turns[OURS])]
            best = {name: min(t["s"] for t in of) for name, of in turns.items()}
            for name, of in turns.items():
                print(f"{n:>7,} rows  {name:13} {best[name]:8.2f} s   divergence {of[0]['divergence']:.4f} {min(t['MB'] for t in of):7.0f} MB", flush=True)
            print(f"               {best[PEER] / best[OURS]:.2f} times as fast ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)


if __name__ == "__main__":
    main()
