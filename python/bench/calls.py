#!/usr/bin/env python3
"""Do calls from Python cost more than those of C++? Times both on the same array of 64 MB, one thread, in one run.

Usage: calls.py PROGRAM [RUNS], where PROGRAM is build/bench/python_calls, and floe is installed. Prints a table with
the best of RUNS and how much longer Python takes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import floe
import numpy as np

OPTIONS = ("spspeed", "speed", "balance")


def best_seconds(runs: int, call: Callable[[], Any]) -> float:
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return best


def times_of_python(array: np.ndarray, option: str, runs: int) -> tuple[float, ...]:
    options: dict[str, Any] = {"codec": option} if option in floe.codecs() else {"goal": option}
    frame = floe.compress(array, threads=1, **options)
    room = np.zeros_like(array)
    return (
        best_seconds(runs, lambda: floe.compress(array, threads=1, **options)),
        best_seconds(runs, lambda: floe.decompress(frame, threads=1)),
        best_seconds(runs, lambda: floe.decompress_into(frame, room, threads=1)),
    )


def main() -> int:
    program, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    noise = np.random.default_rng(1).normal(size=1 << 24)
    array = (280 + np.cumsum(noise) / 100).round(2).astype("f4")
    print("64 MB of f32, GB/s        C++   Python   longer")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "array.f32"
        array.tofile(path)
        for option in OPTIONS:
            words = [program, str(path), "f32", option, str(runs)]
            native = [float(word) for word in subprocess.run(words, capture_output=True, check=True).stdout.split()]
            python = times_of_python(array, option, runs)
            for call, ours, theirs in zip(("compress", "decompress", "decompress_into"), python, native, strict=True):
                speeds = f"{array.nbytes / theirs / 1e9:7.2f} {array.nbytes / ours / 1e9:8.2f}"
                print(f"{option:8} {call:15} {speeds} {100 * (ours / theirs - 1):6.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
