"""What the comparisons share: turns of everybody in processes of their own, their times and their peak memory.

Nothing heavy is imported here: a process starts with the peak memory of the one that started it.
"""

import importlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

OURS = "puclab"
ROOT = pathlib.Path(__file__).resolve().parents[2]
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def finished(command, **more):
    """Runs a command to its end; returns what it printed and its peak memory in MB."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([str(word) for word in command], stdout=out, **more)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        printed = out.read()
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{printed}")
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    return printed, usage.ru_maxrss * unit / 1e6


def our_turn(binary, directory, pattern, length, env):
    """A Go benchmark's turn, so many seconds or once, "1x": its metrics and peak memory."""
    command = [binary, "-test.run", "^$", "-test.bench", pattern, "-test.benchtime", length]
    printed, memory = finished(command, cwd=ROOT / directory, env=os.environ | env)
    metrics = {unit: float(number) for number, unit in re.findall(r"([-0-9.e+]+) (\S+)", printed.partition("ns/op")[2])}
    return metrics | {"MB": memory}


def peer_turn(script, task, name, folder, seconds):
    """The turn of one peer, which turn below plays in a process of its own."""
    printed, memory = finished([sys.executable, script, "--turn", task, name, "--folder", folder, "--seconds", seconds])
    return json.loads(printed.splitlines()[-1]) | {"MB": memory}


def turn(module, table, task, name, folder, seconds):
    """In this process: what the peer in that table of its module makes of the task, then timed for so many seconds."""
    check, step = getattr(importlib.import_module(module), table)[name](task, pathlib.Path(folder))
    step()  # warm, where the check took another way
    times, until = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < until:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    print(json.dumps({"check": check, "median-ms": statistics.median(times) * 1e3}))
