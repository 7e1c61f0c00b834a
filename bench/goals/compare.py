"""Does a goal store more than a faster one? Of generated arrays of many kinds, and what another program makes of them.

    python3 -B bench/goals/compare.py build/release/floe [OTHER_PROGRAM] [--first 0] [--arrays 240]

Needs NumPy. Says for each array where a goal stores more than a faster one, and with two programs the geometric
means of what the first one stores by what the other one does.
"""
import argparse
import math
import os
import subprocess
import tempfile

import numpy as np

GOALS = ("speed", "balance", "ratio")  # `max` encodes with all of them


def walk(r, n):
    return np.cumsum(r.normal(0, 1, n))


def sine(r, n):
    curve = np.sin(np.arange(n) * r.uniform(0.0005, 0.2)) * r.uniform(1, 1000)
    return curve + r.normal(0, r.choice([0, 0.001, 0.1]), n)


def normal(r, n):
    return r.normal(0, 1, n)


def words_of_a_set(r, n):
    words = r.normal(0, 1, int(r.choice([5, 100, 3000, 40000])))
    return words[r.integers(0, len(words), n)]


def runs(r, n):
    return np.resize(np.repeat(r.normal(0, 10, n // int(r.integers(2, 60)) + 1), 60)[:n], n)


def sparse_walk(r, n):
    words = walk(r, n)
    words[r.random(n) < r.choice([0.1, 0.5, 0.9])] = 0
    return words


def spikes(r, n):
    words, is_spike = np.zeros(n), r.random(n) < r.choice([0.01, 0.2])
    words[is_spike] = r.lognormal(0, 2, is_spike.sum())
    return words


def ascending(r, n):
    return np.sort(r.uniform(0, 1e6, n))


def clock(r, n):
    return np.cumsum(r.choice([1, 1, 1, 1, 2, 7], n)).astype(float)


def period(r, n):
    words = r.normal(0, 1, int(r.choice([64, 500, 7000])))
    return np.resize(words, n) + r.normal(0, r.choice([0, 0.01]), n)


def lognormal(r, n):
    return r.lognormal(0, r.choice([0.5, 3]), n)


def two_kinds(r, n):
    return np.concatenate([np.cumsum(r.normal(0, 0.1, n // 2)), r.normal(50, 5, n - n // 2)])


def walk_above_zero(r, n):
    return np.maximum(0, walk(r, n))


def planes(r, n):
    width = int(r.choice([50, 300, 1000]))
    height = n // width
    words = np.cumsum(np.cumsum(r.normal(0, 1, (height + 1, width)), 0), 1).ravel()[:n]
    return (words / words.std())[:height * width].reshape(height, width)


KINDS = (walk, sine, normal, words_of_a_set, runs, sparse_walk, spikes, ascending, clock, period, lognormal, two_kinds,
         walk_above_zero, planes)


def array(seed):
    """A name and an array: of one kind, or of two side by side; as it is, or rounded."""
    r = np.random.default_rng(seed)
    n = int(r.choice([3000, 20000, 70000, 150000, 400000]))
    kinds = [KINDS[r.integers(0, len(KINDS))]]
    words = kinds[0](r, n)
    if r.random() < 0.3:
        kinds.append(KINDS[r.integers(0, len(KINDS))])
        both = [words.ravel(), kinds[1](r, n).ravel()]
        words = np.stack([of[:min(map(len, both))] for of in both], 1)
    change = r.integers(0, 6)
    if change == 0:
        words = np.round(words, int(r.integers(0, 5)))
    if change == 1:
        step = r.uniform(1e-4, 1e-1)
        words = np.round(words / step) * step
    if change == 2:
        words = words * np.where(r.random(words.shape) < 0.02, np.nan, 1)
    if change == 3:
        words = words.astype("f4").astype("f8")
    dtype = str(r.choice(["f4", "f8", "f8", "f4", "i4", "i8"]))
    if dtype[0] == "i":
        words = np.clip(np.round(np.nan_to_num(words) * float(r.choice([1, 100]))), -2**31, 2**31 - 1)
    names = [kind.__name__ for kind in kinds] + [("decimals", "grid", "nan", "floats", "", "")[change]]
    return "-".join(names).strip("-"), words.astype(dtype)


def stored(program, words, folder):
    source, frame = os.path.join(folder, "words"), os.path.join(folder, "frame")
    words.tofile(source)
    sizes = []
    for goal in GOALS:
        dtype, shape = f"{words.dtype.kind}{8 * words.itemsize}", "x".join(map(str, words.shape))
        options = ["-q", "-f", "--threads", "1", "--goal", goal, "--dtype", dtype, "--shape", shape, "-o", frame]
        subprocess.run([program, *options, source], check=True)
        sizes.append(os.path.getsize(frame))
    return sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("other", nargs="?")
    parser.add_argument("--first", type=int, default=0, help="seed of the first array")
    parser.add_argument("--arrays", type=int, default=240)
    arguments = parser.parse_args()
    excess, logarithms = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.first, arguments.first + arguments.arrays):
            name, words = array(seed)
            sizes = stored(arguments.program, words, folder)
            for faster, slower, goal in zip(sizes, sizes[1:], GOALS[1:]):
                if slower > faster:
                    excess.append(100 * (slower / faster - 1))
                    print(f"{seed} {name} {words.dtype} {words.shape}: {goal} stores {slower} bytes, "
                          f"{excess[-1]:.2f} % more")
            if arguments.other:
                others = stored(arguments.other, words, folder)
                logarithms.append([math.log(a / b) for a, b in zip(sizes, others)])
    print(f"{arguments.arrays} arrays, {len(excess)} times more than a faster goal: by more than 1 % "
          f"{sum(e > 1 for e in excess)}, by more than 6 % {sum(e > 6 for e in excess)}")
    for goal, of_goal in zip(GOALS, zip(*logarithms)):
        print(f"{goal}: {math.exp(sum(of_goal) / len(of_goal)):.4f} of what the other program stores")


main()
