#!/usr/bin/env python3
"""Does a change make kernels execute more instructions? Counts them with callgrind and compares with the numbers that are stored here.

Usage: check.py [--program PROGRAM] [--update]

Unlike times, counts do not depend on what else the machine does; they do depend on the compiler. valgrind knows no AVX-512.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

EXPECTED = Path(__file__).with_name("expected.csv")
COLUMNS = ("isa", "codec", "direction", "instructions_per_chunk")
KERNELS = [(codec, direction) for codec in ("spspeed", "dpspeed", "spratio") for direction in ("encode", "decode")]
ISAS = ("generic", "avx2")
TOLERANCE = 0.02  # of the stored number: less is the compiler's mood after changes elsewhere
ROUNDS = (1, 3)


def instructions(program: str, isa: str, codec: str, direction: str, rounds: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, codec, direction, str(rounds)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"FLOE_ISA": isa}, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{codec} {direction} cannot be counted:\n{done.stderr}")
    return int(found[1])


def chunks(program: str, codec: str, direction: str, rounds: int) -> int:
    return int(subprocess.run([program, codec, direction, str(rounds)], check=True, stdout=subprocess.PIPE, text=True).stdout)


def count(program: str, isa: str, codec: str, direction: str) -> int:
    """Of one chunk: what more rounds cost, so that the start of the program does not count."""
    few, many = (instructions(program, isa, codec, direction, rounds) for rounds in ROUNDS)
    return round((many - few) / (chunks(program, codec, direction, ROUNDS[1]) - chunks(program, codec, direction, ROUNDS[0])))


def stored() -> dict[tuple[str, str, str], int]:
    with EXPECTED.open(newline="", encoding="utf-8") as file:
        return {(row["isa"], row["codec"], row["direction"]): int(row["instructions_per_chunk"]) for row in csv.DictReader(file)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/bench/bench/kernel_instructions")
    parser.add_argument("--update", action="store_true", help="store the counts instead")
    arguments = parser.parse_args()

    expected = {} if arguments.update else stored()
    counts, slower = {}, []
    for isa in ISAS:
        for codec, direction in KERNELS:
            kernel = (isa, codec, direction)
            counts[kernel] = count(arguments.program, *kernel)
            change = "" if arguments.update else f"{counts[kernel] / expected[kernel] - 1:+8.2%}"
            print(f"{isa:8} {codec:8} {direction:7} {counts[kernel]:8} per chunk {change}", flush=True)
            if not arguments.update and counts[kernel] > expected[kernel] * (1 + TOLERANCE):
                slower.append(" ".join(kernel))
    if arguments.update:
        with EXPECTED.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows((*kernel, number) for kernel, number in counts.items())
    if slower:
        print(f"More than {TOLERANCE:.0%} above {EXPECTED.name}: {', '.join(slower)}. If that is worth it, run ./dev bench --instructions --update.")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
