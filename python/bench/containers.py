#!/usr/bin/env python3
"""What do filters of HDF5 and codecs of Zarr make of arrays?

Usage: containers.py [--runs N] hdf5 FILES | zarr FILES. FILES are named as NAME_f32_26x1800x3600.bin, of f32 and
f64. Needs floe, h5py, hdf5plugin, zarr, numcodecs, pcodec and zfpy. Everything is in memory, in chunks of 1 MiB, on one thread; the best of N runs counts. Prints tables in Markdown.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FILE_BYTES = 8 << 20
CHUNK_BYTES = 1 << 20
TYPES = {"f32": "f4", "f64": "f8"}
Measured = tuple[float, float, float]  # ratio, seconds to write, seconds to read


def best(runs: int, call: Callable[[], Any]) -> float:
    seconds = []
    for _ in range(runs):
        gc.collect()
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def load(path: Path) -> tuple[str, np.ndarray]:
    kind = next(part for part in path.stem.split("_") if part in TYPES)
    return kind, np.fromfile(path, TYPES[kind], FILE_BYTES // np.dtype(TYPES[kind]).itemsize)


def chunk_of(array: np.ndarray) -> tuple[int]:
    return (min(CHUNK_BYTES // array.itemsize, len(array)),)


def hdf5_filters() -> dict[str, Any]:
    import hdf5plugin

    from floe.hdf5 import Filter

    return {
        **{f"**floe, {goal}**": Filter(goal) for goal in ("speed", "balance", "ratio", "max")},
        "gzip 6, shuffle": {"compression": "gzip", "compression_opts": 6, "shuffle": True},
        "Bitshuffle, LZ4": hdf5plugin.Bitshuffle(cname="lz4"),
        "Bitshuffle, zstd 3": hdf5plugin.Bitshuffle(cname="zstd", clevel=3),
        "Blosc2, zstd 5, bitshuffle": hdf5plugin.Blosc2(cname="zstd", clevel=5, filters=hdf5plugin.Blosc2.BITSHUFFLE),
        "zstd 3, shuffle": {"shuffle": True, **hdf5plugin.Zstd(clevel=3)},
        "zfp, reversible": hdf5plugin.Zfp(reversible=True),
    }


def through_hdf5(array: np.ndarray, options: Any, runs: int) -> Measured:
    import h5py

    def write() -> None:
        with h5py.File("memory.h5", "w", driver="core", backing_store=False, rdcc_nbytes=0) as file:
            file.create_dataset("x", data=array, chunks=chunk_of(array), **options)

    with h5py.File("kept.h5", "w", driver="core", backing_store=False, rdcc_nbytes=0) as file:
        dataset = file.create_dataset("x", data=array, chunks=chunk_of(array), **options)
        room = np.empty_like(array)
        reading = best(runs, lambda: dataset.read_direct(room))
        if room.tobytes() != array.tobytes():
            raise ValueError(f"numbers do not come back with {options}")
        return array.nbytes / dataset.id.get_storage_size(), best(runs, write), reading


def zarr_codecs() -> dict[str, Any]:
    import numcodecs
    import zarr

    from floe.zarr import FloeCodec

    numcodecs.blosc.set_nthreads(1)
    zarr.config.set({"async.concurrency": 1, "threading.max_workers": 1})
    bits = zarr.codecs.BloscCodec(cname="zstd", clevel=5, shuffle="bitshuffle")
    from zarr.codecs.numcodecs import ZFPY, PCodec

    return {
        **{
            f"**floe, {goal}**": {"serializer": FloeCodec(goal), "compressors": None}
            for goal in ("speed", "balance", "ratio", "max")
        },
        "zstd 0 (default)": {},
        "Blosc, zstd 5, bitshuffle": {"compressors": bits},
        "pcodec 8": {"serializer": PCodec(level=8), "compressors": None},
        "zfp, reversible": {"serializer": ZFPY(), "compressors": None},  # the default, though it has another name
    }


def through_zarr(array: np.ndarray, options: Any, runs: int) -> Measured:
    import zarr

    def write() -> Any:
        made = zarr.create_array({}, shape=array.shape, chunks=chunk_of(array), dtype=array.dtype, **options)
        made[:] = array
        return made

    kept = write()
    if kept[:].tobytes() != array.tobytes():
        raise ValueError(f"numbers do not come back with {options}")
    return array.nbytes / kept.nbytes_stored(), best(runs, write), best(runs, lambda: kept[:])


def table(
    files: list[Path], ways: dict[str, Any], measure: Callable[[np.ndarray, Any, int], Measured], runs: int
) -> None:
    print("|  | type | ratio | write, GB/s | read, GB/s |\n| --- | --- | ---: | ---: | ---: |")
    loaded = [load(file) for file in files]
    for kind in sorted({kind for kind, _ in loaded}):
        arrays = [array for found, array in loaded if found == kind]
        for name, options in ways.items():
            measured = [(array.nbytes, *measure(array, options, runs)) for array in arrays]
            ratio = statistics.geometric_mean(m[1] for m in measured)
            writing, reading = (statistics.median(m[0] / m[i] / 1e9 for m in measured) for i in (2, 3))
            print(f"| {name} | {kind} | {ratio:.3f} | {writing:.2f} | {reading:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("what", choices=("hdf5", "zarr"))
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    if arguments.what == "hdf5":
        table(arguments.files, hdf5_filters(), through_hdf5, arguments.runs)
    else:
        table(arguments.files, zarr_codecs(), through_zarr, arguments.runs)


if __name__ == "__main__":
    main()
