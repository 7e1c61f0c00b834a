#!/usr/bin/env python3
"""What do the shells around the library cost: Python, HDF5, Zarr and MPI, each beside what is inside of it, in turn?

Usage: shells.py [--runs N] [--programs FOLDER] [--mpirun COMMAND] [WHAT ...], where WHAT are of calls, filter, hdf5,
parallel, zarr and ranks (all). Needs floe, h5py and Zarr; for calls and filter the programs of build/bench; for ranks
mpi4py, mpirun and FLOE_MPI_LIBRARY. On one array of 64 MiB of f32, a random walk rounded to hundredths, with goal balance, best of N runs.
Prints a table in Markdown: the last columns have what was aimed at, and whether it holds.
"""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import floe
import floe.hdf5
import h5py
import numpy as np

MIB = 1 << 20
ROUNDS = 3  # of programs that are measured in turn


def in_turn(runs: int, *calls: Callable[[], Any]) -> list[float]:
    """The best seconds of each call."""
    best = [float("inf")] * len(calls)
    for _ in range(runs):
        for i, call in enumerate(calls):
            gc.collect()
            begin = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - begin)
    return best


def row(what: str, speed: str, measured: str, aim: str, holds: bool) -> None:
    print(f"| {what} | {speed} | {measured} | {aim} | {'yes' if holds else 'NO'} |", flush=True)


def speeds(size: int, *seconds: float) -> str:
    return " / ".join(f"{size / s / 1e9:.2f}" for s in seconds)


def calls(array: np.ndarray, runs: int, program: str, folder: Path) -> None:
    """Python beside C++."""
    array.tofile(folder / "array.f32")
    frame, room = floe.compress(array, threads=1), np.empty_like(array)
    words = [program, str(folder / "array.f32"), "f32", "balance", str(runs)]
    python, native = [float("inf")] * 2, [float("inf")] * 2
    for _ in range(ROUNDS):
        compress, _, into = map(float, subprocess.run(words, capture_output=True, check=True).stdout.split())
        # Each by itself, as in C++: what the one leaves in the caches is not what the other needs.
        ours = (
            *in_turn(runs, lambda: floe.compress(array, threads=1)),
            *in_turn(runs, lambda: floe.decompress_into(frame, room, threads=1)),
        )
        python, native = list(map(min, python, ours)), list(map(min, native, (compress, into)))
    for name, seconds, inside in zip(("compress", "decompress_into"), python, native, strict=True):
        longer = seconds / inside - 1
        speed = speeds(array.nbytes, seconds, inside)
        row(f"Python / C++, {name}", speed, f"{100 * longer:+.1f} %", "3 % longer", longer <= 0.03)


def chunk_filter(array: np.ndarray, runs: int, program: str, folder: Path) -> None:
    """The function of the plugin that HDF5 calls for a chunk, beside the library."""
    array.tofile(folder / "array.f32")
    plugin = next(Path(floe.hdf5.plugin_folder()).glob("*h5floe.*"))
    words = [program, str(plugin), str(folder / "array.f32"), "f32", "1", str(runs)]
    best = [float("inf")] * 4
    for _ in range(ROUNDS):
        best = list(map(min, best, map(float, subprocess.run(words, capture_output=True, check=True).stdout.split())))
    for name, inside, seconds in (("encodes", *best[:2]), ("decodes", *best[2:])):
        longer = seconds / inside - 1
        speed = speeds(array.nbytes, seconds, inside)
        row(f"The filter {name} chunks of 1 MiB / library", speed, f"{100 * longer:+.1f} %", "5 % longer", longer <= 0.05)


def hdf5(array: np.ndarray, runs: int) -> None:
    """The filter beside the library and beside what HDF5 does without a filter."""
    with h5py.File("memory.h5", "w", driver="core", backing_store=False, rdcc_nbytes=0) as file:
        dataset = file.create_dataset("x", array.shape, "f4", chunks=(1, array.shape[1]), **floe.hdf5.Filter())
        plain = file.create_dataset("plain", array.shape, "f4", chunks=dataset.chunks)
        tree = floe.hdf5.Filter(tree=floe.plan(array[0]).tree)
        given = file.create_dataset("given", array.shape, "f4", chunks=dataset.chunks, **tree)

        def write(to: h5py.Dataset) -> None:
            for i, chunk in enumerate(array):
                to[i] = chunk
            file.flush()

        room = np.empty_like(array)
        library, copied, written, quickly = in_turn(
            runs,
            lambda: [floe.compress(chunk, threads=1) for chunk in array],
            lambda: write(plain),
            lambda: write(dataset),
            lambda: write(given),
        )
        frames = [dataset.id.read_direct_chunk((i, 0))[1] for i in range(len(array))]
        into = [room[i : i + 1].reshape(-1).view("u1") for i in range(len(array))]
        inside, moved, read = in_turn(
            runs,
            lambda: [floe.decompress_into(f, to, threads=1) for f, to in zip(frames, into, strict=True)],
            lambda: plain.read_direct(room),
            lambda: dataset.read_direct(room),
        )
    for name, seconds, parts in (("writes", written, (library, copied)), ("reads", read, (inside, moved))):
        longer = seconds / sum(parts) - 1
        speed = speeds(array.nbytes, seconds, *parts)
        what = f"HDF5 {name} 64 chunks / library / HDF5 without a filter"
        row(what, speed, f"{100 * longer:+.1f} % beside both", "5 % longer", longer <= 0.05)
    times = written / quickly
    speed = speeds(array.nbytes, quickly, written)
    row("HDF5 writes 64 chunks by a given tree / planned", speed, f"{times:.2f} times", "1.0 times", times >= 1)


def parallel(array: np.ndarray, runs: int, folder: Path) -> None:
    """`floe.hdf5.read` beside h5py."""
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("x", data=array, chunks=(1, array.shape[1]), **floe.hdf5.Filter())
    threads, room = min(2, floe.available_threads()), np.empty_like(array)
    with h5py.File(folder / "a.h5", rdcc_nbytes=0) as file:
        dataset = file["x"]
        for memory, out in (("new", None), ("old", room)):
            theirs, ours = in_turn(
                runs,
                lambda out=out: dataset[:] if out is None else dataset.read_direct(out),
                lambda out=out: floe.hdf5.read(dataset, out=out, threads=threads),
            )
            what = f"floe.hdf5.read, {threads} threads / h5py, to {memory} memory"
            row(
                what,
                speeds(array.nbytes, ours, theirs),
                f"{theirs / ours:.2f} times",
                "1.7 times",
                theirs >= 1.7 * ours,
            )


def zarr(array: np.ndarray, runs: int) -> None:
    """A slice beside all."""
    import zarr

    from floe.zarr import FloeCodec

    zarr.config.set({"async.concurrency": 1, "threading.max_workers": 1})
    options = {"chunks": (array.size // 8,), "dtype": "f4", "serializer": FloeCodec(), "compressors": None}
    stored = zarr.create_array({}, shape=(array.size,), **options)
    stored[:] = array.reshape(-1)
    tenth = array.size // 10
    positions = (0, array.size // 3, array.size - tenth)
    whole, *parts = in_turn(runs, lambda: stored[:], *(lambda at=at: stored[at : at + tenth] for at in positions))
    part = max(parts) / whole
    speed = f"{speeds(array.nbytes // 10, max(parts))} / {speeds(array.nbytes, whole)}"
    row("Zarr reads a tenth / all, chunks of 8 MiB", speed, f"{100 * part:.1f} % of the time", "15 %", part <= 0.15)


def ranks(runs: int, mpirun: str, folder: Path) -> None:
    """Ranks beside one, on the cores that there are."""
    best: dict[int, float] = {}
    cores = floe.available_threads()
    for _ in range(ROUNDS):
        for count in (1, 2, 4):
            words = [*shlex.split(mpirun), "-n", str(count), sys.executable, str(Path(__file__).with_name("ranks.py"))]
            threads = cores if count == 1 else 1
            done = subprocess.run([*words, str(folder), str(runs), str(threads)], capture_output=True, check=True)
            best[count] = min(best.get(count, float("inf")), float(done.stdout))
    for count in (2, 4):
        speed = speeds(256 * MIB, best[count], best[1])
        share = best[1] / best[count]
        row(f"{count} ranks write / 1 rank of {cores} threads", speed, f"{share:.2f} times", "1.0 times", share >= 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--programs", type=Path, default=Path("build/bench/bench"))
    parser.add_argument("--mpirun", default="mpirun --oversubscribe --bind-to none")
    parser.add_argument("what", nargs="*", default=["calls", "filter", "hdf5", "parallel", "zarr", "ranks"])
    arguments = parser.parse_args()
    noise = np.random.default_rng(1).normal(size=1 << 24)
    array = (280 + np.cumsum(noise) / 100).round(2).astype("f4").reshape(64, -1)
    print("| what | GB/s | measured | aim | holds |\n| --- | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as name:
        folder = Path(name)
        for what in arguments.what:
            if what == "calls":
                calls(array, arguments.runs, str(arguments.programs / "python_calls"), folder)
            elif what == "filter":
                chunk_filter(array, arguments.runs, str(arguments.programs / "hdf5_filter_calls"), folder)
            elif what == "hdf5":
                hdf5(array, arguments.runs)
            elif what == "parallel":
                parallel(array, arguments.runs, folder)
            elif what == "zarr":
                zarr(array, arguments.runs)
            elif what == "ranks":
                ranks(arguments.runs, arguments.mpirun, folder)
            else:
                parser.error(f"there is no {what}")


if __name__ == "__main__":
    main()
