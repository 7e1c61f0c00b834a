#!/usr/bin/env python3
"""Do calls of floe.cuda cost more than those of C++, and how fast do files come to a GPU?

Usage: device_calls.py LIBRARY [RUNS [MIB...]], where LIBRARY is build/cuda/bench/cuda/libpython_device_calls.so;
floe and floe-cuda are installed, and CuPy, PyTorch and h5py. Prints tables in Markdown: of calls for arrays of so many
MiB, multiples of 64, or of all sizes and of files. Calls of C++, CuPy and PyTorch take turns, RUNS of each, after some
that do not count.
"""

from __future__ import annotations

import ctypes
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cupy
import numpy as np
import torch

import floe
import floe.cuda

PART_BYTES = 1 << 26
CASES = [("spspeed", "f32"), ("spratio", "f32"), ("dpspeed", "f64"), ("speed16", "bf16"), ("planned", "f32")]
WARM_UP = 5


def best_seconds(runs: int, call: Callable[[], Any]) -> float:
    best = float("inf")
    for run in range(-2, runs):
        begin = time.perf_counter()
        kept = call()  # waits for its work
        if run >= 0:
            best = min(best, time.perf_counter() - begin)
        del kept
    return best


def part(dtype: str = "f32") -> np.ndarray:
    """A random walk rounded to hundredths; of bf16, as bits, random numbers."""
    if dtype == "bf16":
        noise = np.random.default_rng(1).normal(size=PART_BYTES // 2).astype("f4") / 64
        return (noise.view("u4") >> 16).astype("u2")
    width = {"f32": 4, "f64": 8}[dtype]
    noise = np.random.default_rng(1).normal(size=PART_BYTES // width)
    return (280 + np.cumsum(noise) / 100).round(2).astype(f"f{width}")


class Native:
    """The same calls of C++, for an array, where it is decoded to, and the memory of a frame of it."""

    def __init__(self, library: str, array: Any, out: Any, frame: Any, dtype: str, codec: str) -> None:
        self._library = ctypes.CDLL(str(Path(library).resolve()))
        self._library.calls_new.restype = ctypes.c_void_p
        for name in ("compress", "decompress"):
            getattr(self._library, f"calls_{name}").restype = ctypes.c_double
        addresses = [ctypes.c_void_p(address) for address in (array.data.ptr, out.data.ptr, frame.pointer)]
        codec = "" if codec == "planned" else codec
        made = self._library.calls_new(*addresses, ctypes.c_uint64(array.nbytes), dtype.encode(), codec.encode())
        self._calls = ctypes.c_void_p(made)

    def compress(self) -> float:
        return float(self._library.calls_compress(self._calls))

    def decompress(self) -> float:
        return float(self._library.calls_decompress(self._calls))

    def close(self) -> None:
        self._library.calls_delete(self._calls)


def compressing(array: Any, codec: str | None, frame: Any) -> Callable[[], float]:
    """A call, which says how long it took: as users write it, without a function around it."""
    compress, clock = floe.cuda.compress, time.perf_counter

    def seconds() -> float:
        begin = clock()
        compress(array, codec=codec, out=frame)
        return clock() - begin

    return seconds


def decompressing(frame: Any, out: Any) -> Callable[[], float]:
    decompress, clock = floe.cuda.decompress, time.perf_counter

    def seconds() -> float:
        begin = clock()
        decompress(frame, out=out)
        return clock() - begin

    return seconds


def in_turn(runs: int, calls: list[Callable[[], float]]) -> list[list[float]]:
    """The times of each. All have a call in every round, in any order."""
    times: list[list[float]] = [[] for _ in calls]
    order, turns = random.Random(1), list(range(len(calls)))
    for run in range(-WARM_UP, runs):
        order.shuffle(turns)
        for index in turns:
            seconds = calls[index]()
            if run >= 0:
                times[index].append(seconds)
    return times


def device_seconds(call: Callable[[], Any], runs: int = 5) -> float:
    """How long the device is at work for a call: kernels may overlap."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(runs):
            call()
    events = [event for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    busy = end = 0.0
    for begin, stop in sorted((event.time_range.start, event.time_range.end) for event in events):
        busy += max(stop, end) - max(begin, end)
        end = max(stop, end)
    return busy / runs / 1e6


def row(
    codec: str, size: int, call: str, native: Callable[[], float], ours: list[Callable[[], float] | None], runs: int
) -> None:
    there = [call for call in ours if call is not None]
    times = in_turn(runs, [native, *there])
    told = []
    for summary in (min, statistics.median):
        theirs, *of_python = (1e6 * summary(each) for each in times)
        told.append(f"{theirs:.1f}")
        for call_of_library in ours:
            value = of_python.pop(0) if call_of_library else None
            told.append("" if value is None else f"{value:.1f} ({100 * (value / theirs - 1):+.1f} %)")
    device = [f"{1e6 * device_seconds(each):.1f}" for each in (native, there[-1])]
    print(f"| {codec} | {size >> 20} | {call} | {' | '.join([*told, *device])} |", flush=True)


def calls(library: str, runs: int, sizes: list[int]) -> None:
    head = "C++ | CuPy | PyTorch"
    print(f"| codec | MiB | call | {head}, best, us | {head}, median, us | device, C++ | device, Python |")
    print("| --- | ---: | --- " + "| ---: " * 8 + "|")
    for codec, dtype in CASES:
        for size in sizes:
            array = cupy.tile(cupy.asarray(part(dtype)), (size << 20) // PART_BYTES)
            out = cupy.empty_like(array)
            tensors = [torch.from_dlpack(each) for each in (array, out)]
            if dtype == "bf16":
                tensors = [each.view(torch.bfloat16) for each in tensors]
            chosen = None if codec == "planned" else codec
            frame = floe.cuda.compress(tensors[0], codec=chosen)
            native = Native(library, array, out, frame, dtype, codec)
            pairs = [None if dtype == "bf16" else (array, out), tuple(tensors)]
            made = [pair and compressing(pair[0], chosen, frame) for pair in pairs]
            row(codec, array.nbytes, "compress", native.compress, made, runs)
            out.fill(0)
            restored = [pair and decompressing(frame, pair[1]) for pair in pairs]
            row(codec, array.nbytes, "decompress", native.decompress, restored, runs)
            assert bool((out.view("u2") == array.view("u2")).all())
            native.close()
            del array, out, tensors, pairs, made, restored, frame, native
            cupy.get_default_memory_pool().free_all_blocks()
            floe.cuda.free_memory()


def files(runs: int, folder: Path) -> None:
    """How fast content of files comes to a GPU, decoded there or by the CPU. GB/s of content."""
    import h5py

    import floe.hdf5
    import floe.torch

    print("\n| what | read to the GPU, decoded | GB/s |\n| --- | --- | ---: |")

    def file_row(what: str, how: str, size: int, seconds: float) -> None:
        print(f"| {what} | {how} | {size / seconds / 1e9:.2f} |", flush=True)

    state = {f"layer{i}": (torch.randn(4096, 4096) / 64).to(torch.bfloat16) for i in range(8)}
    size = sum(tensor.numel() * 2 for tensor in state.values())
    floe.torch.save(state, folder / "c.floe", "balance")
    file_row(
        "checkpoint of bf16",
        "there",
        size,
        best_seconds(runs, lambda: floe.torch.load(folder / "c.floe", device="cuda")),
    )
    file_row("checkpoint of bf16", "on the host", size,
        best_seconds(runs, lambda: [t.cuda() for t in floe.torch.load(folder / "c.floe").values()]))  # fmt: skip
    field = np.tile(part(), 4).reshape(256, 1024, 256)
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("x", data=field, chunks=(1, 1024, 256), **floe.hdf5.Filter("speed"))
    with h5py.File(folder / "a.h5") as file:
        dataset, out = file["x"], cupy.empty(field.shape, "f4")
        file_row(
            "HDF5, 256 chunks of 1 MiB",
            "there",
            field.nbytes,
            best_seconds(runs, lambda: floe.hdf5.read(dataset, out=out)),
        )
        assert bool((out == cupy.asarray(field)).all())
        file_row("HDF5, 256 chunks of 1 MiB", "on the host, all cores", field.nbytes,
            best_seconds(runs, lambda: cupy.asarray(floe.hdf5.read(dataset))))  # fmt: skip
        file_row(
            "HDF5, 256 chunks of 1 MiB", "by h5py", field.nbytes, best_seconds(runs, lambda: cupy.asarray(dataset[:]))
        )


def main() -> int:
    library, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 101
    sizes = [int(size) for size in sys.argv[3:]]
    calls(library, runs, sizes or [64, 256, 1024, 4096])
    if sizes:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        files(min(runs, 3), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
