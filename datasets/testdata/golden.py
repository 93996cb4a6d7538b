"""Computes the golden rows of split_test.go and longtail_test.go apart from the package: PCG-DXSM and the bounded draws of
Go's math/rand/v2 by their published formulas, and each way to draw by its definition. Run it with: python3 golden.py"""
import math

M64, M128 = 2**64 - 1, 2**128 - 1


class PCG:
    def __init__(self, seed1, seed2):
        self.state = seed1 << 64 | seed2

    def uint64(self):
        self.state = (self.state * (2549297995355413924 << 64 | 4865540595714422341)
                      + (6364136223846793005 << 64 | 1442695040888963407)) & M128
        high, low = self.state >> 64, self.state & M64
        high ^= high >> 32
        high = high * 0xDA942042E4DD58B5 & M64
        high ^= high >> 48
        return high * (low | 1) & M64

    def below(self, n):
        """Lemire's method, with 32 bits where they are enough."""
        bits = 32 if n < 2**32 else 64
        draw = lambda: self.uint64() >> (64 - bits)
        if n & (n - 1) == 0:
            return self.uint64() & (n - 1)
        product = draw() * n
        while product % 2**bits < (2**bits - n) % n:
            product = draw() * n
        return product >> bits

    def shuffle(self, rows):
        rows = list(rows)
        for i in range(len(rows) - 1, 0, -1):
            j = self.below(i + 1)
            rows[i], rows[j] = rows[j], rows[i]
        return rows

    def float64(self):
        return (self.uint64() & (2**53 - 1)) / 2**53


def stream(name):
    return int.from_bytes(name.encode(), "big")


SEED = 42
positives = [i for i in range(100) if i % 5 in (1, 3)]
negatives = [i for i in range(100) if i % 5 not in (1, 3)]

labeled = PCG(SEED, 0).shuffle(positives)[:3]
u = PCG(SEED, stream("positive")).shuffle(positives)[:4] + PCG(SEED, stream("negative")).shuffle(negatives)[:6]
print("unlabeled  ", labeled + sorted(u))

rng = PCG(SEED, stream("balanced"))
ones, threes = rng.shuffle(i for i in positives if i % 5 == 1), rng.shuffle(i for i in positives if i % 5 == 3)
print("balanced   ", [ones[0], threes[0], ones[1], threes[1], ones[2]])

rng, left = PCG(SEED, stream("weighted")), list(positives)
weight = {i: math.ceil(i / max(positives) * 2**40) for i in positives}
drawn = []
for _ in range(5):
    place = rng.below(sum(weight[i] for i in left))
    for i in left:
        if place < weight[i]:
            break
        place -= weight[i]
    drawn.append(i)
    left.remove(i)
print("weighted   ", drawn)

rng = PCG(SEED, stream("independ"))
print("independent", [i for i in positives if rng.float64() < i / 400])

rng = PCG(SEED, stream("longtail"))
ranks = rng.shuffle(range(5))
counts = {c: n for c, n in zip(ranks, (6, 3, 2, 1, 1))}
rows = []
for c in range(5):
    rows += rng.shuffle(i for i in range(100) if i % 5 == c)[:counts[c]]
print("long tail  ", ranks, sorted(rows))
