#!/usr/bin/env python3
"""How much faster are two threads, and two callers, than one? Runs the program scaling with every instruction set.

Usage: scaling.py [--program PROGRAM] [--floe FLOE] [--output FILE.csv] [--page FILE.md] [--isas A,B] [--seconds S] ARRAY...
"""

import argparse
import csv
import os
import statistics
import subprocess
import sys
from pathlib import Path

from measure import available_isas
from page import grouped, size_name

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import replace_block, table  # noqa: E402

# The columns of CSV that the page shows.
GAINS = ("compress_threads", "decompress_threads", "compress_callers_undisturbed", "decompress_callers_undisturbed")
ALL_CALLERS = ("compress_callers", "decompress_callers")


def measure(program: str, isas: list[str], seconds: float, arrays: list[str]) -> list[dict]:
    rows = []
    for isa in isas:
        command = [program, "--seconds", f"{seconds:g}", *arrays]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"FLOE_ISA": isa})
        rows += list(csv.DictReader(done.stdout.splitlines()))
        print(f"{isa}: {len(rows)} rows", file=sys.stderr)
    return rows


def disturbances(group: list[dict]) -> list[str]:
    """Medians of two callers by all pairs, and the share of pairs that nobody disturbed."""
    if not group[0]["undisturbed"]:
        return ["", ""]
    medians = [statistics.median(float(row[way]) for row in group) for way in ALL_CALLERS]
    share = statistics.mean(float(row["undisturbed"]) for row in group)
    return ["{:.2f}, {:.2f}".format(*medians), f"{100 * share:.0f} %"]


def scaling_table(rows: list[dict]) -> str:
    ways = [f"{way}, 2 {what}" for what in ("threads", "callers") for way in ("compress", "decompress")]
    header = ["codec", "instructions", "array", *ways, "all pairs", "undisturbed"]
    lines = []
    for (codec, isa, size), group in grouped(rows, "codec", "isa", "bytes").items():
        cells = []
        for gain in GAINS:
            values = [float(row[gain]) for row in group if row[gain]]
            cells.append(f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})" if values else "")
        lines.append([codec, isa, size_name(int(size)), *cells, *disturbances(group)])
    order = list(dict.fromkeys(row["codec"] for row in rows))
    return table(header, sorted(lines, key=lambda line: order.index(line[0])), left_columns=3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/bench/bench/scaling", help="the program scaling")
    parser.add_argument("--floe", default="build/release/floe", help="the program floe, which knows the instruction sets")
    parser.add_argument("--isas", help="default: all that the processor has")
    parser.add_argument("--output", type=Path, help="write every row to this CSV")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    parser.add_argument("--seconds", type=float, default=0.2, help="per array, codec, size and way (default 0.2)")
    parser.add_argument("arrays", nargs="+", metavar="ARRAY")
    arguments = parser.parse_args()
    isas = arguments.isas.split(",") if arguments.isas else available_isas(arguments.floe, arguments.arrays[0])
    rows = measure(arguments.program, isas, arguments.seconds, arguments.arrays)
    if arguments.output:
        with arguments.output.open("w", newline="", encoding="utf-8") as output:
            writer = csv.DictWriter(output, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if arguments.page:
        replace_block(arguments.page, "scaling", scaling_table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
