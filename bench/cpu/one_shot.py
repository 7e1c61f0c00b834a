#!/usr/bin/env python3
"""How much slower are short arrays, each compressed by one call, than long ones? What planning costs shows there.

Usage: one_shot.py [--program PROGRAM] [--output FILE.csv] [--page FILE.md] [--isa ISA] [--sizes A,B] [--seconds S] ARRAY...

Short arrays are taken from the middle of long ones, which should have at least four times as many bytes. Keep the machine quiet meanwhile.
"""

import argparse
import shlex
import statistics
import sys
from pathlib import Path

from measure import available_isas, bench, write_csv
from page import conditions_text, size_name

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import replace_block, table  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
from conditions import conditions  # noqa: E402

GOALS = ("speed", "balance")
SIZES = ("64K", "256K", "1M")
COLUMNS = "file dtype codec isa asked runs input_bytes stored_bytes compress_gbps decompress_gbps".split()


def measure(program: str, isa: str, sizes: list[str], seconds: float, arrays: list[str]) -> list[dict]:
    """Of every array and goal a row for each size, and one for the whole array."""
    rows = []
    for array in arrays:
        for size in [*sizes, "whole"]:
            options = ["--codec", "none", "--goal", ",".join(GOALS), "--threads", "1", "--seconds", f"{seconds:g}"]
            options += [] if size == "whole" else ["--size", size]
            rows += [row | {"asked": size} for row in bench(program, isa, options, [array])]
        print(f"{Path(array).name}: {len(rows)} rows", file=sys.stderr)
    return rows


def share_table(rows: list[dict]) -> str:
    """Medians over the arrays, and parts of what the whole array reaches."""
    wholes = {(row["file"], row["codec"]): row for row in rows if row["asked"] == "whole"}
    header = ["goal", "array", "compress GB/s", "of the whole array", "range", "decompress GB/s", "of the whole array", "range"]
    lines = []
    for goal in GOALS:
        for size in dict.fromkeys(row["asked"] for row in rows):
            group = [row for row in rows if row["asked"] == size and row["codec"] == goal]
            cells = [goal, size if size == "whole" else size_name(round(group[0]["input_bytes"] / 1024) * 1024)]
            for what in ("compress_gbps", "decompress_gbps"):
                shares = [row[what] / wholes[row["file"], goal][what] for row in group]
                cells += [f"{statistics.median(row[what] for row in group):.2f}", f"{statistics.median(shares):.2f}"]
                cells.append(f"{min(shares):.2f}–{max(shares):.2f}")
            lines.append(cells)
    return table(header, lines, left_columns=2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/floe", help="the program floe")
    parser.add_argument("--isa", help="instruction set, such as avx2; default: the best one")
    parser.add_argument("--sizes", default=",".join(SIZES), help=f"default {','.join(SIZES)}")
    parser.add_argument("--output", type=Path, help="write every row to this CSV")
    parser.add_argument("--page", type=Path, help="write conditions and the table into this page")
    parser.add_argument("--seconds", type=float, default=0.5, help="per array, goal and size (default 0.5)")
    parser.add_argument("arrays", nargs="+", metavar="ARRAY")
    arguments = parser.parse_args()
    facts = conditions(arguments.program)
    isa = arguments.isa or available_isas(arguments.program, arguments.arrays[0])[0]
    options = ["--isa", isa, "--sizes", arguments.sizes, "--seconds", f"{arguments.seconds:g}"]
    facts["command"] = shlex.join(["bench/cpu/one_shot.py", *options, *(Path(array).name for array in arguments.arrays)])
    rows = measure(arguments.program, isa, arguments.sizes.split(","), arguments.seconds, arguments.arrays)
    if arguments.output:
        write_csv(arguments.output, COLUMNS, rows)
    if arguments.page:
        replace_block(arguments.page, "one_shot_conditions", conditions_text(facts))
        replace_block(arguments.page, "one_shot", share_table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
