#!/usr/bin/env python3
"""How many bytes does floe store for real files, and how many more than the published programs? Are all files restored exactly?

Usage: compare_sizes.py [--program PROGRAM] [--output FILE.csv] [--page FILE.md] FOLDER REFERENCE.csv

FOLDER holds arrays (x_f32_26x1800x3600.bin) and tables (x_csv_100x3.csv, taken as plain bytes). REFERENCE.csv has the columns file, codec,
input_bytes and reference_bytes: what the published programs store. Every codec that takes a file is tried. Exits 1 if a file does
not come back exactly, if a limit is broken, or if a reference has no file here.

Limits: a frame may exceed the published stream by 0.2 % of the input + 256 bytes for its tables and checksums; codec gfc, whose chunks are sized
differently, may exceed the published program with 1000 chunks (codec gfc-dim1-n1000 in REFERENCE.csv) by 1 % + 256 bytes.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_block import replace_block, table

TABLE_BYTES = 256
# What a codec is called in REFERENCE.csv, if otherwise, and the excess that it may have, as a share of the input.
REFERENCE_NAMES = {"gfc": "gfc-dim1-n1000"}
ALLOWED_SHARE = {"gfc": 0.01}
USUAL_SHARE = 0.002
COLUMNS = ["file", "dtype", "codec", "input_bytes", "stored_bytes", "reference_bytes", "excess_bytes", "allowed_bytes", "exact"]


def codecs_by_type(program: str) -> dict[str, list[str]]:
    """The codecs that take each element type, as the program lists them."""
    listed = json.loads(subprocess.run([program, "codecs", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    names: dict[str, list[str]] = {}
    for codec in listed:
        for dtype in codec["dtypes"]:
            names.setdefault(dtype, []).append(codec["name"])
    return names


def files_in(folder: Path) -> list[tuple[Path, str]]:
    """The files that are measured, with their element types."""
    found = ((path, re.search(r"_([a-z]+\d*)_\d+(?:x\d+)*\.(bin|csv)$", path.name)) for path in sorted(folder.iterdir()))
    return [(path, "u8" if name[1] == "csv" else name[1]) for path, name in found if name]


def stored_size(program: str, file: Path, dtype: str, codec: str) -> tuple[int, bool]:
    """Bytes of the frame, and whether what comes back from it is the file."""
    with tempfile.TemporaryDirectory() as folder:
        frame, restored = Path(folder) / "frame.floe", Path(folder) / "restored"
        # For plain bytes the type must be said, as the shape in the name counts something else.
        plain = ["--dtype", "u8", "--shape", str(file.stat().st_size)] if dtype == "u8" else []
        subprocess.run([program, "--quiet", "--codec", codec, *plain, "-o", frame, file], check=True)
        subprocess.run([program, "--quiet", "-d", "-o", restored, frame], check=True)
        return frame.stat().st_size, restored.read_bytes() == file.read_bytes()


def read_references(path: Path) -> dict[tuple[str, str], int]:
    with path.open(newline="", encoding="utf-8") as file:
        return {(row["file"], row["codec"]): int(row["reference_bytes"]) for row in csv.DictReader(file)}


def measure(program: str, folder: Path, references: dict[tuple[str, str], int]) -> list[dict]:
    rows, codecs = [], codecs_by_type(program)
    for file, dtype in files_in(folder):
        for codec in codecs[dtype]:
            stored_bytes, exact = stored_size(program, file, dtype, codec)
            row = {"file": file.name, "dtype": dtype, "codec": codec, "input_bytes": file.stat().st_size}
            row |= {"stored_bytes": stored_bytes, "exact": "yes" if exact else "no"}
            reference = references.get((file.name, REFERENCE_NAMES.get(codec, codec)))
            if reference is not None:
                allowed_bytes = int(row["input_bytes"] * ALLOWED_SHARE.get(codec, USUAL_SHARE)) + TABLE_BYTES
                row |= {"reference_bytes": reference, "excess_bytes": stored_bytes - reference, "allowed_bytes": allowed_bytes}
            rows.append(row)
    return rows


def complaints(rows: list[dict], references: dict[tuple[str, str], int]) -> list[str]:
    """One line for everything that is not as promised."""
    found = [f"{row['file']}, {row['codec']}: what comes back differs" for row in rows if row["exact"] != "yes"]
    for row in rows:
        if "excess_bytes" in row and row["excess_bytes"] > row["allowed_bytes"]:
            found.append(f"{row['file']}, {row['codec']}: {row['excess_bytes']} bytes above the reference, allowed are {row['allowed_bytes']}")
    measured = {(row["file"], REFERENCE_NAMES.get(row["codec"], row["codec"])) for row in rows}
    seen_codecs = {codec for _, codec in measured}
    for file, codec in sorted(references):
        if codec in seen_codecs and (file, codec) not in measured:
            found.append(f"{file}, {codec}: has a reference, but was not measured")
    return found


def excess_text(row: dict) -> str:
    if "excess_bytes" not in row:
        return "–"
    return f"{row['excess_bytes']:+d} ({100 * row['excess_bytes'] / row['input_bytes']:+.3f} %)"


def page_table(rows: list[dict]) -> str:
    header = ["file", "codec", "input bytes", "stored bytes", "ratio", "published bytes", "floe − published", "allowed", "exact"]
    lines = []
    for row in rows:
        ratio = f"{row['input_bytes'] / row['stored_bytes']:.3f}"
        reference, allowed = str(row.get("reference_bytes", "–")), str(row.get("allowed_bytes", "–"))
        numbers = [str(row["input_bytes"]), str(row["stored_bytes"]), ratio, reference, excess_text(row), allowed]
        lines.append([row["file"], row["codec"], *numbers, row["exact"]])
    return table(header, lines, left_columns=2)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/floe", help="the program floe")
    parser.add_argument("--output", type=Path, help="write the sizes to this CSV")
    parser.add_argument("--page", type=Path, help="write them as a table into this page, too")
    parser.add_argument("folder", type=Path)
    parser.add_argument("references", type=Path)
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    references = read_references(arguments.references)
    rows = measure(arguments.program, arguments.folder, references)
    if arguments.output:
        with arguments.output.open("w", newline="", encoding="utf-8") as output:
            writer = csv.DictWriter(output, COLUMNS, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if arguments.page:
        replace_block(arguments.page, "sizes", page_table(rows))
    found = complaints(rows, references)
    for line in found:
        print(line)
    files = {row["file"] for row in rows}
    compared = sum("excess_bytes" in row for row in rows)
    print(f"{len(files)} files, {len(rows)} round trips, {compared} sizes compared, {len(found)} complaints")
    return 1 if found or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
