#!/usr/bin/env python3
"""How small do text, tables and files of several kinds get with floe and with general compressors?

    bench/text/sizes.py [--program FLOE] FILE...
    bench/text/sizes.py --page

The first form writes docs/benchmarks/text.csv, the second one the tables of docs/benchmarks/text.md. Every frame of floe is decompressed
and compared. Needs zstandard.
"""

import argparse
import csv
import lzma
import math
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "benchmarks"
sys.path.insert(0, str(ROOT / "tools"))
from markdown_block import replace_block, table  # noqa: E402

GOALS = ("balance", "ratio", "max")
OTHERS = ("zstd -3", "zstd -9", "zstd -19", "xz -9e")
SIZES = (*(f"floe {goal}" for goal in GOALS), *OTHERS)
COLUMNS = ("kind", "file", "input_bytes", *SIZES)
KINDS = ("numeric", "mixed", "text", "binary")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|NA|nan", re.IGNORECASE)


def is_text_column(cells: Iterable[str]) -> bool:
    filled = [cell.strip() for cell in cells if cell.strip()]
    return sum(not NUMBER.fullmatch(cell) for cell in filled) * 2 > len(filled)


def kind_of(path: Path) -> str:
    content = path.read_bytes()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return "binary"
    if "\0" in text:
        return "binary"
    if path.suffix != ".csv":
        return "text"
    rows = list(csv.reader(text.splitlines()[1:500]))
    columns = zip(*(row for row in rows if len(row) == len(rows[-1])))
    return "mixed" if any(map(is_text_column, columns)) else "numeric"


def floe_bytes(program: str, goal: str, path: Path) -> int:
    frame = subprocess.run([program, "-q", "-c", "--threads", "1", "--goal", goal, path], check=True, stdout=subprocess.PIPE).stdout
    again = subprocess.run([program, "-q", "-d", "-c"], check=True, input=frame, stdout=subprocess.PIPE).stdout
    if again != path.read_bytes():
        raise ValueError(f"{path.name} does not come back")
    return len(frame)


def sizes_of(program: str, path: Path) -> list[int]:
    import zstandard

    content = path.read_bytes()
    sizes = [floe_bytes(program, goal, path) for goal in GOALS]
    sizes += [len(zstandard.ZstdCompressor(level=level).compress(content)) for level in (3, 9, 19)]
    return [*sizes, len(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))]


def mean(rows: list[dict], size: str, of: str) -> float:
    return math.exp(sum(math.log(int(row[size]) / int(row[of])) for row in rows) / len(rows))


def kind_table(rows: list[dict]) -> str:
    lines = [[Path(row["file"]).stem, row["input_bytes"], *(f"{int(row['input_bytes']) / int(row[size]):.2f}" for size in SIZES)] for row in rows]
    lines.sort(key=lambda line: -int(line[1]))
    means = ["**geometric mean**", "", *(f"**{1 / mean(rows, size, 'input_bytes'):.2f}**" for size in SIZES)]
    return table(["file", "bytes", *SIZES], [*lines, means])


def read_rows() -> list[dict]:
    with (PAGES / "text.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/floe")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.files:
        with (PAGES / "text.csv").open("w", newline="", encoding="utf-8") as output:
            writer = csv.writer(output, lineterminator="\n")
            writer.writerow(COLUMNS)
            for path in arguments.files:
                writer.writerow((kind_of(path), path.name, path.stat().st_size, *sizes_of(arguments.program, path)))
                output.flush()
    if arguments.page:
        for kind in KINDS:
            replace_block(PAGES / "text.md", kind, kind_table([row for row in read_rows() if row["kind"] == kind]))


if __name__ == "__main__":
    main()
