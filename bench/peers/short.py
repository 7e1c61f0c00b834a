#!/usr/bin/env python3
"""What do goals cost on short arrays, of which planning is a larger part? The first 256 KiB and 1 MiB of arrays, beside pcodec -8.

Usage: short.py [--program PROGRAM] [--seconds S] FOLDER ARRAY...
Writes FOLDER/peers_short.csv and the block "short" of FOLDER/peers.md. Goals run with AVX2; `run` installs what this needs.
"""

import argparse
import csv
import math
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from compare import SPEEDS, WARM_ALLOCATOR, floe_rows, peer_row, speed_text

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import replace_block, table  # noqa: E402

PARTS = {"256 KiB": 1 << 18, "1 MiB": 1 << 20}
GOALS = ("speed", "balance", "ratio")
PEER = "-8"
COLUMNS = ["part", "file", "dtype", "compressor", "setting", "version", "input_bytes", "stored_bytes", "runs", *SPEEDS[:6]]


def first_rows(values, max_bytes: int):
    """The first rows that take no more bytes, of as many dimensions as go into them; nothing of shorter arrays."""
    if values.nbytes <= max_bytes:
        return None
    while values[:1].nbytes > max_bytes:
        values = values[0]
    return values[: max_bytes // values[:1].nbytes]


def rows_of(part: Path, program: str, effort) -> Iterator[dict]:
    from arrays import load
    from compressors import pcodec
    from measure import measure

    yield from floe_rows(program, part, effort, "avx2", GOALS)
    array = load(part)
    (setting,) = (setting for setting in pcodec(array) if setting.name == PEER)
    yield peer_row(array, setting, measure(setting, array, effort))


def short_table(rows: list[dict]) -> str:
    """For each part and type: ratios, and the median of how many times as fast as the peer a goal is."""
    lines = []
    for part in PARTS:
        for dtype in ("f32", "f64"):
            of_type = [row for row in rows if (row["part"], row["dtype"]) == (part, dtype)]
            peer = {row["file"]: row for row in of_type if row["compressor"] == "pcodec"}
            for setting in (*(f"--goal {goal}" for goal in GOALS), PEER):
                ours = [row for row in of_type if str(row["setting"]) == setting]
                ratio = math.exp(statistics.mean(math.log(int(row["input_bytes"]) / int(row["stored_bytes"])) for row in ours))
                times = [
                    statistics.median(float(row[f"{kind}_gbps"]) / float(peer[row["file"]][f"{kind}_gbps"]) for row in ours)
                    for kind in ("compress", "decompress")
                ]
                speeds = [f"{statistics.median(float(row[f'{kind}_gbps']) for row in ours):.2g}" for kind in ("compress", "decompress")]
                name = f"pcodec {PEER}" if setting == PEER else f"`{setting}`"
                lines.append([part, dtype, str(len(ours)), name, f"{ratio:.2f}", *speeds, *(f"{value:.2f}" for value in times)])
    head = ["part", "type", "arrays", "", "ratio", "compress GB/s", "decompress GB/s", "compress, of pcodec -8", "decompress, of pcodec -8"]
    return table(head, lines, left_columns=4)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/floe", help="the program floe")
    parser.add_argument("--seconds", type=float, default=0.1, help="time for each setting and array (default 0.1)")
    parser.add_argument("folder", type=Path)
    parser.add_argument("arrays", nargs="+", type=Path)
    arguments = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in WARM_ALLOCATOR.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | WARM_ALLOCATOR)

    from arrays import load
    from measure import Effort

    effort, rows = Effort(arguments.seconds, 3, 10 * arguments.seconds), []
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.arrays:
            array = load(path)
            for part, max_bytes in PARTS.items():
                values = first_rows(array.values, max_bytes)
                if values is None or array.dtype not in ("f32", "f64"):
                    continue
                short = Path(folder) / f"{path.name.split('_')[0]}_{array.dtype}_{'x'.join(map(str, values.shape))}.bin"
                values.tofile(short)
                print(part, path.name, file=sys.stderr)
                rows += ({**row, "part": part, "file": path.name} for row in rows_of(short, arguments.program, effort))
    with (arguments.folder / "peers_short.csv").open("w", newline="", encoding="utf-8") as output:
        writer = csv.DictWriter(output, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | {name: speed_text(row[name]) for name in SPEEDS[:6]} for row in rows)
    replace_block(arguments.folder / "peers.md", "short", short_table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
