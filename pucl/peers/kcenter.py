#!/usr/bin/env python3
"""Times k-center greedy here and in numpy, on this machine, in one go.

    python -m venv peers && peers/bin/pip install -r pucl/peers/requirements.txt
    peers/bin/python pucl/peers/kcenter.py

Both read the same float32 rows of 128 entries from a file and choose as many, the first row first, by the cosine distance; a time is that
of the whole choice from rows in memory. numpy has the lengths divided out beforehand, outside of its time, and then makes one product of
all rows with the newest center, a running maximum of cosines and an arg min, in one array: what a careful user writes. Everybody gets all
cores and its turn in a process of its own, round after round; of the turns the fastest counts. A time says nothing while other programs
run: wait for a quiet machine.

numpy chooses in float32, so that among rows equally far but for rounding it may choose another one; whether both choose
the same, and the largest distance left, are told.

Rows are of two kinds: "embedding" is what an encoder gives, unit rows that twenty hidden numbers decide but for some noise; "noise" has no
structure, the hardest case for what leaves out work.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from kmeans import D, write_rows
from turns import CORES, OURS, ROOT, finished, our_turn

MODULUS = 1_000_003


def checksum(chosen):
    total = 0
    for i, row in enumerate(chosen):
        total = (total + (i + 1) * int(row)) % MODULUS
    return total


def greedy(x, k):
    """x: rows of length one."""
    import numpy as np

    closest = np.full(len(x), -np.inf, np.float32)
    product = np.empty(len(x), np.float32)
    chosen, at = [], 0
    for _ in range(k):
        chosen.append(at)
        np.matmul(x, x[at], out=product)
        np.maximum(closest, product, out=closest)
        closest[at] = np.inf
        at = int(closest.argmin())
    return chosen, 1 - float(closest.min())


def numpy_turn(path, k):
    import numpy as np

    x = np.fromfile(path, "<f4").reshape(-1, D)
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    greedy(x[:16384], 20)  # warm
    start = time.perf_counter()
    chosen, radius = greedy(x, k)
    taken = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return {"ms": taken * 1e3, "MB": memory, "checksum": checksum(chosen), "radius": radius}


def played(name, binary, path, k):
    if name == OURS:
        found = our_turn(binary, "pucl/cluster", "^BenchmarkKCenter$", "1x", {"PUCL_PEERS_ROWS": str(path), "PUCL_PEERS_K": str(k)})
        return {"ms": found["median-ms"], "MB": found["MB"], "checksum": int(found["checksum"]), "radius": found["radius-millionths"] / 1e6}
    printed, _ = finished([sys.executable, __file__, "--turn", path, k])
    return json.loads(printed.splitlines()[-1])


def compare(kind, n, k, rounds, binary, folder):
    path = pathlib.Path(folder) / f"{kind}-{n}.f32"
    if not path.exists():
        write_rows(path, kind, n)
    turns = {OURS: [], "numpy": []}
    for _ in range(rounds):
        for name, of in turns.items():
            of.append(played(name, binary, path, k))
    best = {name: min(t["ms"] for t in of) for name, of in turns.items()}
    ratios = [theirs["ms"] / ours["ms"] for theirs, ours in zip(turns["numpy"], turns[OURS])]
    print(f"\n{kind}, {n:,} rows, k = {k}", flush=True)
    for name, of in turns.items():
        print(f"  {name:8} {best[name] / 1e3:9.2f} s, radius {of[0]['radius']:.6f}, {min(t['MB'] for t in of):7.0f} MB", flush=True)
    same = turns[OURS][0]["checksum"] == turns["numpy"][0]["checksum"]
    note = "the same rows" if same else "other rows, by numpy's rounding"
    print(f"  {best['numpy'] / best[OURS]:.1f} times as fast as numpy ({min(ratios):.1f} to {max(ratios):.1f}), {note}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kinds", choices=["embedding", "noise"], nargs="+", default=["embedding", "noise"])
    parser.add_argument("--rows", type=int, nargs="+", default=[60_000, 1_000_000])
    parser.add_argument("--centers", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=2, help="turns of everybody in every row of the table")
    parser.add_argument("--binary", type=pathlib.Path, help="the compiled benchmark, where it is there already")
    parser.add_argument("--turn", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.turn:
        path, k = args.turn
        print(json.dumps(numpy_turn(path, int(k))))
        return
    print(f"{CORES} cores, load {os.getloadavg()[0]:.1f}; {D} entries, float32; the fastest of {args.rounds} turns", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        binary = args.binary or pathlib.Path(folder) / "cluster.test"
        if not binary.exists():
            subprocess.run(["go", "test", "-c", "-o", binary, "./pucl/cluster"], check=True, cwd=ROOT)
        for kind in args.kinds:
            for n in args.rows:
                compare(kind, n, args.centers, args.rounds, binary.resolve(), folder)


if __name__ == "__main__":
    main()
