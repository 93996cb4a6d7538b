#!/usr/bin/env python3
"""Times value and gradient of the contrastive losses here and in other libraries, on this machine, in one go.

    python -m venv peers && peers/bin/pip install -r pucl/peers/requirements.txt
    peers/bin/python pucl/peers/loss.py

The work is the same everywhere: 2b raw embeddings of 128 dimensions, the same numbers for all, tau = 0.5, two views, one
example in eight labeled; normalise, score, differentiate with respect to the raw rows. Everybody gets all cores. Each takes
its turn in a process of its own, size by size and round after round, so that a slow minute of the machine hits all alike.
A time is the median over a turn; of the turns the fastest counts. Who computes something else is told by its loss.
"""

import argparse
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

DIMENSION = 128
TAU = 0.5
OURS = "puclab"
ROOT = pathlib.Path(__file__).resolve().parents[2]
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def rows(n):
    """The embeddings: the same pseudo-random numbers from -1/2 to 1/2 as in the Go benchmark."""
    import numpy as np

    x = np.sin(np.arange(1, n * DIMENSION + 1, dtype=np.float64)) * 43758.5453
    return (x - np.floor(x) - 0.5).astype(np.float32).reshape(n, DIMENSION)


def labels(n):
    import numpy as np

    return np.tile(np.arange(n // 2) % 8 == 0, 2)


def jax_step(objective, n):
    import jax
    import jax.numpy as jnp

    own = (jnp.arange(n) + n // 2) % n
    labeled = jnp.asarray(labels(n))

    def loss(z):
        z = z / jnp.linalg.norm(z, axis=1, keepdims=True)
        s = z @ z.T / TAU
        repel = jax.scipy.special.logsumexp(jnp.where(jnp.eye(n, dtype=bool), -jnp.inf, s), axis=1)
        attract = s[jnp.arange(n), own]
        if objective == "PUCL":
            both = labeled[:, None] & labeled[None, :] & ~jnp.eye(n, dtype=bool)
            attract = jnp.where(labeled, jnp.sum(jnp.where(both, s, 0), axis=1) / jnp.maximum(both.sum(axis=1), 1), attract)
        return jnp.mean(repel - attract)

    step = jax.jit(jax.value_and_grad(loss))
    z = jnp.asarray(rows(n))
    return lambda: float(jax.block_until_ready(step(z))[0])


def torch_rows(n):
    import torch

    torch.set_num_threads(CORES)
    return torch.tensor(rows(n), requires_grad=True)


def torch_step(objective, n, compiled=False):
    import torch
    import torch.nn.functional as F

    z = torch_rows(n)
    itself = torch.eye(n, dtype=torch.bool)
    own = (torch.arange(n) + n // 2) % n
    labeled = torch.tensor(labels(n))

    def loss(z):
        z = F.normalize(z)
        s = (z @ z.t() / TAU).masked_fill(itself, float("-inf"))
        if objective == "ssCL":
            return F.cross_entropy(s, own)
        both = labeled[:, None] & labeled[None, :] & ~itself
        attract = torch.where(labeled, s.masked_fill(~both, 0).sum(1) / both.sum(1).clamp(min=1), s.gather(1, own[:, None])[:, 0])
        return (torch.logsumexp(s, 1) - attract).mean()

    if compiled:
        loss = torch.compile(loss)
    return torch_call(loss, z)


def torch_call(loss, *inputs):
    def step():
        for x in inputs:
            x.grad = None
        value = loss(*inputs)
        value.backward()
        return value.item()

    return step


def torch_views(n):
    import torch

    z = torch_rows(n).detach()
    return [v.clone().requires_grad_(True) for v in torch.split(z, n // 2)]


def lightly_step(objective, n):
    from lightly.loss import NTXentLoss

    views = torch_views(n)
    return torch_call(NTXentLoss(temperature=TAU), *views)


def pml_step(objective, n):
    from pytorch_metric_learning.losses import NTXentLoss, SelfSupervisedLoss

    views = torch_views(n)
    return torch_call(SelfSupervisedLoss(NTXentLoss(temperature=TAU)), *views)


# name -> (what makes a step, objectives it has, largest size it is asked for)
PEERS = {
    "JAX, jit": (jax_step, ("ssCL", "PUCL"), math.inf),
    "PyTorch by hand": (torch_step, ("ssCL", "PUCL"), math.inf),
    "PyTorch by hand, compiled": (lambda o, n: torch_step(o, n, compiled=True), ("ssCL", "PUCL"), math.inf),
    "lightly": (lightly_step, ("ssCL",), math.inf),
    "pytorch-metric-learning": (pml_step, ("ssCL",), 512),  # seconds a step and gigabytes beyond that
}


def turn(name, objective, n, seconds):
    """One peer's turn, in this process: its loss and the median milliseconds of a step."""
    step = PEERS[name][0](objective, n)
    for _ in range(2):  # compiles
        value = step()
    times, until = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < until:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return {"loss": value, "ms": statistics.median(times) * 1e3}


def peer_turn(name, objective, n, seconds):
    out = subprocess.run(
        [sys.executable, __file__, "--turn", name, "--objective", objective, "--rows", str(n), "--seconds", str(seconds)],
        stdout=subprocess.PIPE, check=True, text=True,
    )
    return json.loads(out.stdout.splitlines()[-1])


def our_turn(binary, objective, n, seconds):
    out = subprocess.run(
        [binary, "-test.run", "^$", "-test.bench", f"^BenchmarkLoss$/^{objective}$/^{n}$/^dense$", "-test.benchtime", f"{seconds}s"],
        stdout=subprocess.PIPE, check=True, text=True, cwd=ROOT / "pucl",
    ).stdout
    found = {unit: float(number) for number, unit in re.findall(r"([-0-9.e+]+) (median-ms|nats)", out)}
    return {"loss": found["nats"], "ms": found["median-ms"]}


def compare(objective, n, rounds, seconds, binary):
    names = [name for name, (_, objectives, largest) in PEERS.items() if objective in objectives and n <= largest]
    turns = {name: [] for name in [OURS, *names]}
    for _ in range(rounds):
        for name in turns:
            turns[name].append(our_turn(binary, objective, n, seconds) if name == OURS else peer_turn(name, objective, n, seconds))
    best = {name: min(t["ms"] for t in of) for name, of in turns.items()}
    for name in names:
        loss, ours = turns[name][0]["loss"], turns[OURS][0]["loss"]
        if abs(loss - ours) > 1e-4 * abs(ours):
            sys.exit(f"{name} computes another loss: {loss:.6f}, not {ours:.6f} ({objective}, {n} rows)")
    fastest = min(names, key=best.get)
    for name in turns:
        note = f"{best[name] / best[OURS]:.2f} times ours" if name != OURS else f"{best[fastest] / best[OURS]:.2f} times as fast as the fastest peer"
        print(f"{objective:5} {n:6} {name:26} {best[name]:10.3f} ms   {note}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[512, 2048, 8192], help="rows of the multi-viewed batch, 2b")
    parser.add_argument("--objective", choices=["ssCL", "PUCL"], nargs="+", default=["ssCL", "PUCL"])
    parser.add_argument("--rounds", type=int, default=3, help="turns of everybody at every size")
    parser.add_argument("--seconds", type=float, default=3, help="length of a turn")
    parser.add_argument("--turn", choices=list(PEERS), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.turn:
        print(json.dumps(turn(args.turn, args.objective[0], args.rows[0], args.seconds)))
        return
    print(f"{CORES} cores; value and gradient, {DIMENSION} dimensions, float32, tau = {TAU}; fastest of {args.rounds} turns' medians", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "pucl.test"
        subprocess.run(["go", "test", "-c", "-o", binary, "./pucl"], check=True, cwd=ROOT)
        for objective in args.objective:
            for n in args.rows:
                compare(objective, n, args.rounds, args.seconds, binary)


if __name__ == "__main__":
    main()
