#!/usr/bin/env python3
"""Times training steps, the linear probe, nearest neighbors and the way from images to views here, in PyTorch, in JAX and in
other libraries, on this machine, in one go.

    python -m venv peers && peers/bin/pip install -r pucl/peers/requirements.txt
    peers/bin/python pucl/peers/step.py

The work is the same everywhere, and float32: in training the same images, weights to start from, losses and optimizers, two
random views of every image made in the step; for rows the same numbers. The first losses, or the classes found, are compared
before anything is timed. Everybody gets all cores. Each takes its turn in a process of its own, round after round, so that a
slow minute of the machine hits all alike. A time is the median over a turn; of the turns the fastest counts. Behind its ratio
to ours stand the least and the largest of those of single rounds. Memory is the most that the whole process held, and at the end
stands what it holds when only its libraries are loaded.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

from turns import CORES, OURS, finished, our_turn, peer_turn, turn

SCRIPT = pathlib.Path(__file__).resolve()
# task's peers -> module and table in which they are; a process imports what its turn needs and nothing else
TRAINING = {
    "PyTorch eager": ("train_torch", "PEERS"), "PyTorch eager, channels_last": ("train_torch", "PEERS"),
    "PyTorch compiled": ("train_torch", "PEERS"), "PyTorch compiled, channels_last": ("train_torch", "PEERS"),
    "JAX, jit": ("train_jax", "PEERS"),
}
SIMCLR = {name: peer for name, peer in TRAINING.items() if "PyTorch" in name}
BASELINES = {name: ("train_baselines", "PEERS") for name in TRAINING if "PyTorch" in name}
VQA = dict.fromkeys(["PyTorch eager", "PyTorch compiled"], ("train_vqa", "PEERS"))
PROBES = dict.fromkeys(["PyTorch eager", "PyTorch compiled", "JAX, jit", "scikit-learn, L-BFGS"], ("rows", "PROBES"))
CONVERGED = dict.fromkeys(["scikit-learn, L-BFGS"], ("rows", "CONVERGED"))
NEIGHBORS = dict.fromkeys(["PyTorch", "JAX, jit", "scikit-learn", "faiss"], ("rows", "NEIGHBORS"))
LOADERS = dict.fromkeys(["torchvision, 0 workers", "torchvision, 2 workers"], ("views", "PEERS"))


def losses(ours, peer):
    """The first loss to four digits more than its size; the next ones follow weights that rounding drives apart."""
    mine = [ours[f"loss-{i}-micronats"] / 1e6 for i in (1, 2, 3)]
    if any(abs(a - b) > limit * abs(a) for a, b, limit in zip(mine, peer, (1e-5, 1e-3, 1e-3))):
        return f"losses {peer}, not {mine}"


def classes(ours, peer):
    """Of the classes found, nearly all must be the same: where votes are close, rounding decides."""
    same = sum(a == b for a, b in zip(ours["classes"], peer)) / len(peer)
    if len(ours["classes"]) != len(peer) or same < 0.999:
        return f"{len(peer)} classes, of which {100 * same:.2f}% are ours, less than 99.9%"


def fits(ours, peer):
    """A probe's loss over all rows, near the optimum for everybody."""
    mine = ours["nats-millionths"] / 1e6
    if abs(mine - peer[0]) > 0.01 * mine:
        return f"a loss of {peer[0]:.4f}, not {mine:.4f}"


def means(ours, peer):
    """Views are random, their mean over some thousand is not, to a few hundredths."""
    mine = ours["mean-millionths"] / 1e6
    if abs(mine - peer[0]) > 0.02:
        return f"views of mean {peer[0]:.3f}, not {mine:.3f}"


# task -> (what it is, Go package, Go benchmark, peers, check)
TASKS = {
    "small-cnn": ("step of the small CNN, 2×256 views of 28×28, crop and jitter, PUCL, Adam", "pucl/train", "BenchmarkStep$/^small-cnn", TRAINING, losses),
    "l-pos": ("step of the small CNN, as above, SimCLR with L_Pos", "pucl/train", "BenchmarkStep$/^l-pos", SIMCLR, losses),
    "resnet-18": ("step of ResNet-18 with the CIFAR stem, 2×32 views of 32×32×3, flip, PUCL, SGD with momentum", "pucl/train", "BenchmarkStep$/^resnet-18", TRAINING, losses),
    "nnpu": ("step of nnPU, small CNN, 64 labeled positives and 192 unlabeled images of 28×28, Adam", "pucl/baseline", "BenchmarkStep$/^nnpu", BASELINES, losses),
    "dist-pu": ("step of Dist-PU with mixed examples, on the same", "pucl/baseline", "BenchmarkStep$/^dist-pu", BASELINES, losses),
    "vqa": ("step of question answering, 64 images of 32×32×3, each with caption and question, small ViT, BERT and fusion, six terms of N-pair, Adam", "pucl/vqa", "BenchmarkStep$", VQA, losses),
    "probe": ("linear probe, 10,000 rows of 128, 10 classes, 10 epochs of Adam in batches of 1024", "pucl/probe", "BenchmarkFit", PROBES, fits),
    "probe-converged": ("linear probe, 100,000 rows of 128, 10 classes, to convergence", "pucl/probe", "BenchmarkConverge", CONVERGED, fits),
    "knn": ("200 nearest neighbors, 10,000 queries, 60,000 rows of 128", "pucl/evaluate", "BenchmarkKNN$/^engine", NEIGHBORS, classes),
    "views": ("2×256 augmented views of 28×28 from images in memory", "pucl/train", "BenchmarkViews", LOADERS, means),
}
RESTING = {"PyTorch": "import torch", "JAX": "import jax; jax.devices()", "scikit-learn": "import sklearn.linear_model, sklearn.neighbors", "faiss": "import faiss, numpy", "torchvision": "import torchvision"}


def play(task, binary, package, pattern, folder, seconds):
    """Our turn. A process of its own writes what the peers start from."""
    start, found = pathlib.Path(folder) / f"{task}.safetensors", pathlib.Path(folder) / f"{task}.classes"
    if TASKS[task][3] in (TRAINING, SIMCLR, BASELINES, VQA, LOADERS) and not start.exists():
        our_turn(binary, package, f"^{pattern}$", "1x", {"PUCL_PEERS_START": str(start)})
    ours = our_turn(binary, package, f"^{pattern}$", f"{seconds}s", {"PUCL_PEERS_CLASSES": str(found)})
    if found.exists():
        ours["classes"] = [int(word) for word in found.read_text().split()]
    return ours


def peers_of(task, wanted):
    """The peers in a task with one of the wanted words in their names, or all of them."""
    return [name for name in TASKS[task][3] if not wanted or any(word in name for word in wanted)]


def compare(task, wanted, rounds, seconds, binaries, folder):
    what, package, pattern, _, check = TASKS[task]
    names = peers_of(task, wanted)
    turns = {name: [] for name in [OURS, *names]}
    for _ in range(rounds):
        for name in turns:
            if name == OURS:
                turns[name].append(play(task, binaries[package], package, pattern, folder, seconds))
            else:
                turns[name].append(peer_turn(SCRIPT, task, name, folder, seconds))
                if wrong := check(turns[OURS][0], turns[name][-1]["check"]):
                    sys.exit(f"{task}: {name} computes something else: {wrong}")
    best = {name: min(t["median-ms"] for t in of) for name, of in turns.items()}
    memory = {name: min(t["MB"] for t in of) for name, of in turns.items()}
    print(f"\n{task}: {what}", flush=True)
    for name in turns:
        note = ""
        if name != OURS:
            ratios = [theirs["median-ms"] / ours["median-ms"] for theirs, ours in zip(turns[name], turns[OURS])]
            note = f"{best[name] / best[OURS]:.2f} times ours ({min(ratios):.2f} to {max(ratios):.2f})"
        elif names:
            fastest, least = min(names, key=best.get), min(names, key=memory.get)
            note = f"{best[fastest] / best[OURS]:.2f} times as fast as {fastest}, {memory[OURS] / memory[least]:.2f} times the memory of {least}"
        print(f"  {name:32} {best[name]:10.2f} ms {memory[name]:7.0f} MB   {note}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tasks", choices=list(TASKS), nargs="+", default=list(TASKS))
    parser.add_argument("--peers", nargs="+", help="only peers with one of these words in their names")
    parser.add_argument("--rounds", type=int, default=3, help="turns of everybody in every task")
    parser.add_argument("--seconds", type=float, default=5, help="length of a turn, after what is compiled before it")
    parser.add_argument("--binaries", type=pathlib.Path, help="folder for the compiled benchmarks; those already there are taken")
    parser.add_argument("--turn", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.turn:
        task, name = args.turn
        turn(*TASKS[task][3][name], task, name, args.folder, args.seconds)
        return
    print(f"{CORES} cores; medians of turns of {args.seconds:g} s, the fastest of {args.rounds}; the most memory of a process", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        binaries = {}
        for package in sorted({TASKS[task][1] for task in args.tasks}):
            binaries[package] = (args.binaries or pathlib.Path(folder)).resolve() / f"{package.replace('/', '-')}.test"
            if not (args.binaries and binaries[package].exists()):
                subprocess.run(["go", "test", "-c", "-o", binaries[package], f"./{package}"], check=True, cwd=SCRIPT.parents[2])
        for task in args.tasks:
            compare(task, args.peers, args.rounds, args.seconds, binaries, folder)
        print("\nmemory at rest, libraries loaded:")
        resting = {OURS: our_turn(binaries["pucl/train"], "pucl/train", "^BenchmarkStep$/^rest$", "1x", {})["MB"]} if "pucl/train" in binaries else {}
        played = [name for task in args.tasks for name in peers_of(task, args.peers)]
        for name, code in RESTING.items():
            if any(peer.startswith(name) for peer in played):
                resting[name] = finished([sys.executable, "-c", code])[1]
        print("  " + ", ".join(f"{name} {mb:.0f} MB" for name, mb in resting.items()))


if __name__ == "__main__":
    main()
