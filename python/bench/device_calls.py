#!/usr/bin/env python3
"""Do calls of floe.cuda cost more than those of C++, and how fast do files come to a GPU?

Usage: device_calls.py PROGRAM [RUNS], where PROGRAM is build/cuda/bench/python_device_calls; floe and floe-cuda are
installed, and CuPy, PyTorch and h5py. Prints tables in Markdown with the best of RUNS.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cupy
import floe
import floe.cuda
import numpy as np

PART_WORDS = 1 << 24
CASES = [(codec, copies) for codec in ("spspeed", "spratio", "planned") for copies in (1, 4, 16, 64)]


def best_seconds(runs: int, call: Callable[[], Any]) -> float:
    best = float("inf")
    for run in range(-2, runs):
        begin = time.perf_counter()
        kept = call()  # waits for its work
        if run >= 0:
            best = min(best, time.perf_counter() - begin)
        del kept
    return best


def part() -> np.ndarray:
    noise = np.random.default_rng(1).normal(size=PART_WORDS)
    return (280 + np.cumsum(noise) / 100).round(2).astype("f4")


def calls(program: str, runs: int, folder: Path) -> None:
    import torch

    part().tofile(folder / "part.f32")
    print("| codec | MB | call | C++, us | CuPy, us | longer | PyTorch, us | longer |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for codec, copies in CASES:
        words = [program, folder / "part.f32", "f32", codec, str(copies), str(runs)]
        native = [float(word) for word in subprocess.run(words, capture_output=True, check=True).stdout.split()]
        of_cupy = cupy.tile(cupy.asarray(part()), copies)
        options = {} if codec == "planned" else {"codec": codec}
        rows: dict[str, list[float]] = {"compress": [native[0]], "decompress": [native[1]]}
        for array in (of_cupy, torch.from_dlpack(of_cupy)):
            frame, out = floe.cuda.compress(array, **options), cupy.empty_like(of_cupy)
            target = out if array is of_cupy else torch.from_dlpack(out)
            rows["compress"].append(best_seconds(runs, lambda array=array: floe.cuda.compress(array, **options)))
            rows["decompress"].append(
                best_seconds(runs, lambda frame=frame, target=target: floe.cuda.decompress(frame, out=target))
            )
            assert bool((out.view("u4") == of_cupy.view("u4")).all())
        for call, (theirs, *ours) in rows.items():
            told = " | ".join(f"{1e6 * our:.0f} | {100 * (our / theirs - 1):.1f} %" for our in ours)
            print(f"| {codec} | {of_cupy.nbytes >> 20} | {call} | {1e6 * theirs:.0f} | {told} |", flush=True)
        del of_cupy, array, frame, out, target
        cupy.get_default_memory_pool().free_all_blocks()
        floe.cuda.free_memory()


def files(runs: int, folder: Path) -> None:
    """How fast content of files comes to a GPU, decoded there or by the CPU. GB/s of content."""
    import h5py
    import torch

    import floe.hdf5
    import floe.torch

    print("\n| what | read to the GPU, decoded | GB/s |\n| --- | --- | ---: |")

    def row(what: str, how: str, size: int, seconds: float) -> None:
        print(f"| {what} | {how} | {size / seconds / 1e9:.2f} |", flush=True)

    state = {f"layer{i}": (torch.randn(4096, 4096) / 64).to(torch.bfloat16) for i in range(8)}
    size = sum(tensor.numel() * 2 for tensor in state.values())
    floe.torch.save(state, folder / "c.floe", "balance")
    row(
        "checkpoint of bf16",
        "there",
        size,
        best_seconds(runs, lambda: floe.torch.load(folder / "c.floe", device="cuda")),
    )
    row("checkpoint of bf16", "on the host", size,
        best_seconds(runs, lambda: [t.cuda() for t in floe.torch.load(folder / "c.floe").values()]))  # fmt: skip
    field = np.tile(part(), 4).reshape(256, 1024, 256)
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("x", data=field, chunks=(1, 1024, 256), **floe.hdf5.Filter("speed"))
    with h5py.File(folder / "a.h5") as file:
        dataset, out = file["x"], cupy.empty(field.shape, "f4")
        row(
            "HDF5, 256 chunks of 1 MiB",
            "there",
            field.nbytes,
            best_seconds(runs, lambda: floe.hdf5.read(dataset, out=out)),
        )
        assert bool((out == cupy.asarray(field)).all())
        row("HDF5, 256 chunks of 1 MiB", "on the host, all cores", field.nbytes,
            best_seconds(runs, lambda: cupy.asarray(floe.hdf5.read(dataset))))  # fmt: skip
        row("HDF5, 256 chunks of 1 MiB", "by h5py", field.nbytes, best_seconds(runs, lambda: cupy.asarray(dataset[:])))


def main() -> int:
    program, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory() as folder:
        calls(program, runs, Path(folder))
        files(min(runs, 3), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
