"""Makes cases.json and schedule.json: what PyTorch's and lightly's own optimizers do with given gradients.

    python make_fixtures.py

Versions: Python 3.11.7, torch 2.15.0, lightly 1.6.0. All in float64, on the CPU.

Four variables: a matrix, a convolution kernel and a vector, the vector in a group of its own that does not decay, and a
matrix that starts at zero, since its norm is a divisor. The second step has a zero gradient for the kernel.
"""

import json

import numpy as np
import torch
from lightly.utils.lars import LARS
from lightly.utils.scheduler import CosineWarmupScheduler

SHAPES = {"dense": (3, 4), "kernel": (3, 1, 2, 2), "vector": (4,), "zero": (2, 2)}
STEPS = 6


def start():
    rng = np.random.default_rng(7)
    values = {name: rng.normal(size=shape).round(3) for name, shape in SHAPES.items()}
    values["zero"] *= 0
    gradients = []
    for step in range(STEPS):
        g = {name: rng.normal(size=shape).round(3) for name, shape in SHAPES.items()}
        if step == 1:
            g["kernel"] *= 0
        gradients.append(g)
    return values, gradients


RATES = [0.3, 1.0, 0.7, 0.5, 0.2, 0.05]


def run(make, peak, exclude=("vector",)):
    """Returns the variables after every step; make takes the decaying and the other parameters."""
    values, gradients = start()
    parameters = {name: torch.nn.Parameter(torch.tensor(v, dtype=torch.float64)) for name, v in values.items()}
    optimizer = make(
        [p for name, p in parameters.items() if name not in exclude],
        [p for name, p in parameters.items() if name in exclude],
    )
    after = []
    for g, rate in zip(gradients, RATES):
        for group in optimizer.param_groups:
            group["lr"] = rate * peak
        for name, p in parameters.items():
            p.grad = torch.tensor(g[name], dtype=torch.float64)
        optimizer.step()
        after.append({name: [float(f"{x:.14g}") for x in p.detach().numpy().ravel()] for name, p in parameters.items()})
    return after


def groups(decay, yes, no):
    return [{"params": yes, "weight_decay": decay}] + ([{"params": no, "weight_decay": 0}] if no else [])


def case(kind, peak, decay, exclude=("vector",), **settings):
    make = lambda yes, no: kind(groups(decay, yes, no), lr=peak, **settings)
    return {"peak": peak, "after": run(make, peak, exclude)}


CASES = {
    "lars": case(LARS, 1.2, 1e-4, momentum=0.9),
    "lars nesterov, strong decay": case(LARS, 2.4, 0.1, momentum=0.8, nesterov=True, trust_coefficient=0.02, eps=1e-3),
    "lars without momentum": case(LARS, 1.2, 1e-2, momentum=0),
    "lars, nothing excluded": case(LARS, 1.2, 1e-4, (), momentum=0.9, nesterov=True),
    "lars, all excluded": case(LARS, 0.5, 0, momentum=0.9),
    "sgd": case(torch.optim.SGD, 0.1, 1e-4, momentum=0.9),
    "sgd nesterov, strong decay": case(torch.optim.SGD, 0.2, 0.1, momentum=0.7, nesterov=True),
    "sgd plain": case(torch.optim.SGD, 0.5, 0),
    "adamw": case(torch.optim.AdamW, 0.001, 0.01),
    "adamw, other numbers": case(torch.optim.AdamW, 0.1, 0.2, betas=(0.5, 0.99), eps=1e-3),
    "adam": case(torch.optim.AdamW, 0.01, 0),
}


def schedule(steps, warmup, **settings):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.2)
    s = CosineWarmupScheduler(optimizer, warmup_epochs=warmup, max_epochs=steps, **settings)
    rates = []
    for _ in range(steps):
        rates.append(s.get_last_lr()[0])
        optimizer.step()
        s.step()
    return rates


SCHEDULES = [
    {"steps": 20, "warmup": 5, "from": 0, "floor": 0.001, "rates": schedule(20, 5)},
    {"steps": 12, "warmup": 3, "from": 0.1, "floor": 0, "rates": schedule(12, 3, end_value=0.0, warmup_start_value=0.1)},
    {"steps": 7, "warmup": 0, "from": 0, "floor": 0.25, "rates": schedule(7, 0, end_value=0.25)},
    {"steps": 4, "warmup": 3, "from": 0, "floor": 0.5, "rates": schedule(4, 3, end_value=0.5)},
    {"steps": 3, "warmup": 3, "from": 0.5, "floor": 0, "rates": schedule(3, 3, end_value=0.0, warmup_start_value=0.5)},
]


if __name__ == "__main__":
    values, gradients = start()
    flat = lambda d: {name: v.ravel().tolist() for name, v in d.items()}
    with open("cases.json", "w") as f:
        json.dump({
            "shapes": SHAPES, "start": flat(values), "gradients": [flat(g) for g in gradients], "rates": RATES, "cases": CASES,
        }, f, separators=(",", ":"))
    with open("schedule.json", "w") as f:
        json.dump(SCHEDULES, f)
