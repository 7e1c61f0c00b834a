#!/usr/bin/env python3
"""Does floe keep its promises on size and memory: how much does incompressible input grow, how much memory do a long pipe and a large table take?

Usage: measure.py [--program PROGRAM] [--page FILE.md] [--output FILE.csv] [--pipe-gib N] [--folder FOLDER] [--only PART]
Prints what it finds; exits 1 if a limit is broken or a byte does not come back. Needs nothing but Python and the program.
"""

import argparse
import csv
import random
import sys
from pathlib import Path

from growth import growth_rows, growth_table
from pipe import pipe_rows, pipe_table
from tables import table_rows, table_table

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import replace_block  # noqa: E402


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/floe", help="the program floe")
    parser.add_argument("--page", type=Path, help="write the tables into this page")
    parser.add_argument("--output", type=Path, help="write the growth of every input to this CSV")
    parser.add_argument("--pipe-gib", type=float, default=5, help="length of the pipes in GiB (default 5)")
    parser.add_argument("--only", choices=("pipes", "tables", "growth"), help="measure this part alone")
    parser.add_argument("--folder", help="where the large table and what becomes of it lie for a while: 5 GB")
    parser.add_argument("--table", type=Path, help="the large table, made by `floe series generate -o TABLE ROWS` (default: it is made)")
    parser.add_argument("--table-rows", type=int, default=30_000_000, help="its rows (default 30000000, about 2 GB)")
    return parser.parse_args()


def write_csv(path: Path, rows: list[dict]) -> None:
    with path.open("w", newline="", encoding="utf-8") as output:
        writer = csv.DictWriter(output, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> int:
    arguments = parse_arguments()
    # Growth comes last: the kernel counts the memory of whoever starts a program as the program's, so this process must be small.
    measurements = {
        "pipes": lambda: pipe_rows(arguments.program, round(arguments.pipe_gib * 2**30)),
        "tables": lambda: table_rows(arguments.program, arguments.folder, arguments.table_rows, arguments.table),
        "growth": lambda: growth_rows(arguments.program, random.Random(1)),
    }
    texts = {"pipes": pipe_table, "tables": table_table, "growth": growth_table}
    broken = []
    for part, measure in measurements.items():
        if arguments.only not in (None, part):
            continue
        rows = measure()
        print(texts[part](rows), flush=True)
        if arguments.page:
            replace_block(arguments.page, part, texts[part](rows))
        if arguments.output and part == "growth":
            write_csv(arguments.output, rows)
        broken += [row for row in rows if row["within"] != "yes"]
    for row in broken:
        print("limit broken:", row)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
