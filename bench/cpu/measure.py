#!/usr/bin/env python3
"""How fast is every codec with every instruction set, in the caches and beyond, beside what the memory of this machine can do?

Usage: measure.py [--program PROGRAM] [--output FILE.csv] [--page FILE.md] [--sizes A,B] [--isas A,B] [--seconds S] ARRAY...

Arrays are raw files with names such as x_f32_721x1440.bin; their content is repeated to each size, or cut. Keep the machine quiet meanwhile.
"""

import argparse
import csv
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from page import write_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
from conditions import conditions  # noqa: E402

SIZES = {"16K": 1 << 14, "256K": 1 << 18, "8M": 1 << 23, "256M": 1 << 28, "1G": 1 << 30}
LARGEST_BYTES_OF_LESSER_ISAS = 1 << 28
ISAS = ("avx512", "avx2", "neon", "generic")  # best first
CODECS = ("spspeed", "dpspeed", "spratio", "dpratio", "gfc")
COLUMNS = (
    "file dtype codec isa threads callers runs input_bytes stored_bytes compress_gbps compress_gbps_min compress_gbps_max decompress_gbps "
    "decompress_gbps_min decompress_gbps_max memcpy_gbps memcpy_gbps_min memcpy_gbps_max stream_copy_gbps read_gbps"
).split()


def bench(program: str, isa: str, options: list[str], files: list[str]) -> list[dict]:
    command = [program, "bench", "--json", *options, *files]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"FLOE_ISA": isa})
    rows = json.loads(done.stdout)
    for row in rows:
        row["file"] = Path(row["file"]).name
    return rows


def available_isas(program: str, file: str) -> list[str]:
    """The program takes the best instruction set if it does not have the one that it is asked for."""
    found = []
    for isa in ISAS:
        rows = bench(program, isa, ["--runs", "1", "--size", "16K", "--codec", ",".join(CODECS)], [file])
        if rows and rows[0]["isa"] == isa:
            found.append(isa)
    return found


def measure(arguments: argparse.Namespace) -> list[dict]:
    rows = []
    isas = available_isas(arguments.program, arguments.arrays[0])
    for isa in isas:
        if arguments.isas and isa not in arguments.isas:
            continue
        for size in arguments.sizes:
            if SIZES[size] > LARGEST_BYTES_OF_LESSER_ISAS and isa != isas[0]:
                continue
            common = ["--size", size, "--codec", ",".join(CODECS), "--seconds", str(arguments.seconds)]
            for file in arguments.arrays:
                rows += bench(arguments.program, isa, [*common, "--threads", "1,2"], [file])
            print(f"{isa} {size}: {len(rows)} rows", file=sys.stderr)
    return rows


def write_csv(path: Path, columns: list[str], rows: list[dict]) -> None:
    with path.open("w", newline="", encoding="utf-8") as output:
        writer = csv.DictWriter(output, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()} for row in rows)


def listed(allowed):
    def parse(text: str) -> list[str]:
        names = text.split(",")
        if unknown := [name for name in names if name not in allowed]:
            raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(allowed)}")
        return names

    return parse


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/floe", help="the program floe")
    parser.add_argument("--output", type=Path, help="write every row to this CSV")
    parser.add_argument("--page", type=Path, help="write the tables into this page")
    parser.add_argument("--sizes", type=listed(SIZES), default=list(SIZES), help=f"default {','.join(SIZES)}")
    parser.add_argument("--isas", type=listed(ISAS), help="default: all that the processor has")
    parser.add_argument("--seconds", type=float, default=1, help="per array, codec and setting (default 1)")
    parser.add_argument("arrays", nargs="+", metavar="ARRAY")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    facts = conditions(arguments.program)
    isas = ["--isas", ",".join(arguments.isas)] if arguments.isas else []
    options = ["--sizes", ",".join(arguments.sizes), *isas, "--seconds", f"{arguments.seconds:g}"]
    facts["command"] = shlex.join(["bench/cpu/run", *options, *(Path(array).name for array in arguments.arrays)])
    rows = measure(arguments)
    if arguments.output:
        write_csv(arguments.output, COLUMNS, rows)
    if arguments.page:
        write_page(arguments.page, rows, facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
