#!/usr/bin/env python3
"""Does floe keep its promises on size and memory: how much does incompressible input grow, how much memory does a long pipe take?

Usage: measure.py [--program PROGRAM] [--page FILE.md] [--output FILE.csv] [--pipe-gib N]
Prints what it finds; exits 1 if a limit is broken or a byte does not come back. Needs nothing but Python and the program.
"""

import argparse
import csv
import random
import sys
from pathlib import Path

from growth import growth_rows, growth_table
from pipe import pipe_rows, pipe_table

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import replace_block  # noqa: E402


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/floe", help="the program floe")
    parser.add_argument("--page", type=Path, help="write the tables into this page")
    parser.add_argument("--output", type=Path, help="write the growth of every input to this CSV")
    parser.add_argument("--pipe-gib", type=float, default=5, help="length of the pipes in GiB (default 5)")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    # First, while this process is small: the kernel counts the memory of whoever starts a program as the program's.
    pipes = pipe_rows(arguments.program, round(arguments.pipe_gib * 2**30))
    print(pipe_table(pipes))
    growths = growth_rows(arguments.program, random.Random(1))
    print(growth_table(growths))
    if arguments.output:
        with arguments.output.open("w", newline="", encoding="utf-8") as output:
            writer = csv.DictWriter(output, list(growths[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(growths)
    if arguments.page:
        replace_block(arguments.page, "pipes", pipe_table(pipes))
        replace_block(arguments.page, "growth", growth_table(growths))
    broken = [row for row in (*pipes, *growths) if row["within"] != "yes"]
    for row in broken:
        print("limit broken:", row)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
