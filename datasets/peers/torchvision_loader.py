"""Times torchvision's loaders on the files that the Go benchmarks of datasets/fashionmnist and datasets/cifar read.

    python3 -m venv env && env/bin/pip install torch torchvision numpy
    PUCL_DATA_DIR=DIR env/bin/python torchvision_loader.py [--workers 0 2] [--repeat 5]

DIR/fashion-mnist holds the four .gz files of Fashion-MNIST, DIR/cifar-10/cifar-10-batches-bin (or DIR/cifar-10) the .bin
files of CIFAR-10; a set that is missing is left out. The Go side, run in the same minute:

    PUCL_DATA_DIR=DIR go test -run '^$' -bench . ./datasets/fashionmnist ./datasets/cifar

Two numbers are printed for each set and number of workers, as images per second and the median of the repeats: "batch" is
one shuffled epoch in batches of 256 uint8 tensors; "read and batch" also reads the files, in the way of torchvision's own
dataset class, whose format for CIFAR-10 is another one (Python's pickle), so that the .bin files are read by numpy here.
"""
import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader
from torchvision import datasets
from torchvision.transforms import PILToTensor

BATCH = 256


def fashion_mnist(data):
    """Returns a function that reads Fashion-MNIST from its .gz files, or None where they are missing."""
    source = data / "fashion-mnist"
    names = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
             "t10k-labels-idx1-ubyte.gz"]
    if not all((source / name).exists() for name in names):
        return None

    def read():
        # torchvision reads decompressed files and keeps them; to decompress is part of reading here, as in Go.
        with tempfile.TemporaryDirectory() as root:
            raw = Path(root, "FashionMNIST", "raw")
            raw.mkdir(parents=True)
            for name in names:
                datasets.utils.extract_archive(str(source / name), str(raw))
            return datasets.FashionMNIST(root, train=True, transform=PILToTensor())

    return read


class CIFAR10(datasets.CIFAR10):
    """torchvision's CIFAR-10, its arrays filled from the .bin files."""

    def __init__(self, folder, transform):
        datasets.VisionDataset.__init__(self, str(folder), transform=transform)
        parts = [np.fromfile(folder / f"data_batch_{i}.bin", np.uint8).reshape(-1, 3073) for i in range(1, 6)]
        records = np.concatenate(parts)
        self.targets = records[:, 0].tolist()
        self.data = np.ascontiguousarray(records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))


def cifar10(data):
    """Returns a function that reads CIFAR-10 from its .bin files, or None where they are missing."""
    for folder in (data / "cifar-10" / "cifar-10-batches-bin", data / "cifar-10", data / "cifar-10-batches-bin", data):
        if (folder / "data_batch_1.bin").exists():
            return lambda: CIFAR10(folder, PILToTensor())
    return None


def epoch(dataset, workers):
    images = 0
    loader = DataLoader(dataset, BATCH, shuffle=True, num_workers=workers, generator=torch.Generator().manual_seed(0))
    for pixels, _ in loader:
        assert pixels.dtype == torch.uint8
        images += len(pixels)
    return images


def median_rate(repeat, run):
    rates = []
    for _ in range(repeat):
        begin = time.perf_counter()
        images = run()
        rates.append(images / (time.perf_counter() - begin))
    return statistics.median(rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 2])
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    if "PUCL_DATA_DIR" not in os.environ:
        sys.exit("Set PUCL_DATA_DIR to the folder of the data sets.")
    data = Path(os.environ["PUCL_DATA_DIR"])
    found = False
    for name, read in (("Fashion-MNIST", fashion_mnist(data)), ("CIFAR-10", cifar10(data))):
        if read is None:
            print(f"{name}: not in {data}")
            continue
        found = True
        dataset = read()
        for workers in args.workers:
            batch = median_rate(args.repeat, lambda: epoch(dataset, workers))
            both = median_rate(args.repeat, lambda: epoch(read(), workers))
            print(f"{name}, {workers} workers: batch {batch:,.0f} images/s, read and batch {both:,.0f} images/s", flush=True)
    if not found:
        sys.exit("Nothing to time.")


if __name__ == "__main__":
    main()
