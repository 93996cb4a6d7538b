"""Runs ONNX models on ONNX Runtime and compares their outputs with those of the library.

    python check.py FOLDER

FOLDER holds the cases that PUCL_ONNX_CASES=FOLDER go test -run ONNX ./pucl/onnx ./pucl/pu writes: models with
inputs and outputs. Every model is checked by the package onnx and run on batches of 1, 2, 7 and all examples.
"""

import json
import pathlib
import sys

import numpy
import onnx
import onnxruntime

TYPES = {"tensor(float)": numpy.float32, "tensor(uint8)": numpy.uint8, "tensor(string)": object}


def largest_differences(path, case):
    """Returns the largest difference of a number of each output, in units of the largest number, or of 1."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    inputs = {}
    for declared in session.get_inputs():
        given = case["Inputs"][declared.name]
        values = [numpy.nan if v is None else v for v in given["Values"]]
        inputs[declared.name] = numpy.array(values, dtype=TYPES[declared.type]).reshape(given["Dims"])
    rows = len(next(iter(inputs.values())))
    worst = {}
    for size in (1, 2, 7, rows):
        for first in range(0, rows - size + 1, size):
            outputs = session.run(list(case["Want"]), {name: x[first : first + size] for name, x in inputs.items()})
            for (name, want), got in zip(case["Want"].items(), outputs):
                want = numpy.array(want).reshape(rows, -1)
                unit = max(1, numpy.abs(want).max())
                if got.dtype != numpy.float32 or len(got) != size:
                    sys.exit(f"{path}: {name} is {got.dtype} {got.shape} for {size} examples")
                difference = numpy.abs(got.reshape(size, -1) - want[first : first + size]).max() / unit
                worst[name] = max(worst.get(name, 0), numpy.inf if numpy.isnan(difference) else difference)
    return worst


def main(folder):
    failed = 0
    paths = sorted(pathlib.Path(folder).glob("*.onnx"))
    if not paths:
        sys.exit(f"no models in {folder}: write some with PUCL_ONNX_CASES={folder} go test -run ONNX ./pucl/onnx ./pucl/pu")
    print(f"{'model':32} {'bytes':>9}  largest differences")
    for path in paths:
        case = json.loads(path.with_suffix(".json").read_text())
        onnx.checker.check_model(onnx.load(path), full_check=True)
        worst = largest_differences(path, case)
        wrong = not max(worst.values()) <= case["Bound"]
        failed += wrong
        text = ", ".join(f"{name} {w:.1e}" for name, w in worst.items())
        print(f"{path.stem:32} {path.stat().st_size:9}  {text}{'  TOO LARGE' if wrong else ''}")
    print(f"{len(paths)} models on onnxruntime {onnxruntime.__version__}, {failed} of them differ by too much")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main(sys.argv[1])
