#!/usr/bin/env python3
"""How small do tables and columns get with floe and with its peers?

Usage: compare.py --program FLOE --output CSV FILE...

FILEs are CSV files, and raw arrays with names such as x_f64_131072.bin. Prints and writes a line per file and compressor: file, compressor,
input bytes, output bytes. Every result of floe is decompressed and compared.
"""

import argparse
import csv
import importlib.metadata
import io
import lzma
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy
import pcodec.standalone
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import zstandard

ARRAY = re.compile(r"_(f64|f32|i64|i32)_\d+(?:x\d+)*\.bin$")
NUMPY_TYPES = {"f64": "<f8", "f32": "<f4", "i64": "<i8", "i32": "<i4"}


def zstd(data: bytes, level: int) -> int:
    return len(zstandard.ZstdCompressor(level=level).compress(data))


def floe(program: str, path: Path, goal: str) -> int:
    """The bytes of the frame; what the file holds is recognised."""
    with tempfile.TemporaryDirectory() as folder:
        frame, again = (os.path.join(folder, name) for name in ("frame.floe", "again"))
        subprocess.run([program, "compress", "-q", "--goal", goal, "-o", frame, path], check=True)
        subprocess.run([program, "decompress", "-q", "-o", again, frame], check=True)
        if Path(again).read_bytes() != path.read_bytes():
            sys.exit(f"{path.name} does not come back")
        return os.path.getsize(frame)


def parquet(table: pyarrow.Table, level: int) -> int:
    """With dictionaries or without, whichever is smaller."""
    sizes_of_ways = []
    for use_dictionary in (True, False):
        sink = io.BytesIO()
        pyarrow.parquet.write_table(table, sink, compression="zstd", compression_level=level, use_dictionary=use_dictionary)
        sizes_of_ways.append(sink.tell())
    return min(sizes_of_ways)


def pco(values: numpy.ndarray, level: int) -> int:
    return len(pcodec.standalone.simple_compress(numpy.ascontiguousarray(values), pcodec.ChunkConfig(compression_level=level)))


def pco_of_table(table: pyarrow.Table) -> int:
    """Numbers by pcodec, missing ones as the one before and a bit; texts by zstd -19."""
    total = 0
    for column in table.columns:
        values = column.combine_chunks()
        if not (pyarrow.types.is_integer(values.type) or pyarrow.types.is_floating(values.type)):
            total += zstd("\n".join(str(value) for value in values.to_pylist()).encode(), 19)
            continue
        if values.null_count:
            total += zstd(numpy.packbits(values.is_valid().to_numpy(zero_copy_only=False)).tobytes(), 19)
            values = values.fill_null(0)
        total += pco(values.to_numpy(zero_copy_only=False), 12)
    return total


def sizes_of_csv(path: Path) -> Iterator[tuple[str, int]]:
    data = path.read_bytes()
    yield "zstd -3", zstd(data, 3)
    yield "zstd -19", zstd(data, 19)
    yield "xz -9e", len(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    table = pyarrow.csv.read_csv(path)
    yield "Parquet, zstd -19", parquet(table, 19)
    yield "pcodec -12 (values)", pco_of_table(table)


def sizes_of_array(path: Path, dtype: str) -> Iterator[tuple[str, int]]:
    data = path.read_bytes()
    values = numpy.frombuffer(data, NUMPY_TYPES[dtype])
    yield "zstd -3", zstd(data, 3)
    yield "zstd -19", zstd(data, 19)
    yield "xz -9e", len(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    yield "Parquet, zstd -19", parquet(pyarrow.table({"values": values}), 19)
    yield "pcodec -12 (values)", pco(values, 12)


def sizes(program: str, path: Path) -> Iterator[tuple[str, int]]:
    yield "floe", floe(program, path, "balance")
    yield "floe --goal ratio", floe(program, path, "ratio")
    yield "floe --goal max", floe(program, path, "max")
    array = ARRAY.search(path.name)
    yield from sizes_of_array(path, array[1]) if array else sizes_of_csv(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    print({name: importlib.metadata.version(name) for name in ("pcodec", "pyarrow", "zstandard")}, file=sys.stderr)
    with arguments.output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "compressor", "input_bytes", "output_bytes"])
        for path in arguments.files:
            for compressor, size in sizes(arguments.program, path):
                writer.writerow([path.name, compressor, path.stat().st_size, size])
                print(f"{path.name} {compressor}: {path.stat().st_size / size:.3f}", file=sys.stderr)


if __name__ == "__main__":
    main()
