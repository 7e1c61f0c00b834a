"""What does each encoding bring? Sizes of arrays and tables with one encoding at a time refused.

    python3 -B bench/goals/ablation.py [--goals ratio,max] [--first BYTES] FOLDER/*
    python3 -B bench/goals/ablation.py --page

The first form writes docs/benchmarks/ablation_GOAL.csv, the second one their tables into the page. `./dev build bench` makes what
it needs. `floe` must restore every file; trees must not have what is refused.
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "benchmarks"
sys.path.insert(0, str(ROOT / "tools"))
from markdown_block import replace_block, table  # noqa: E402

NONE = "nothing"
# What is refused together brings the same: `unique` is for dictionaries that `dict` has no codes for, `multi_entropy` is `entropy`
# with several tables. raw, constant and bitpack are what is left for any stream.
REFUSED = (NONE, "entropy,multi_entropy", "multi_entropy", "delta", "linear", "sortable", "grid", "divide", "narrow", "decimal",
           "affine", "int_mult", "dict,unique", "dict", "unique", "sparse", "rle", "split", "stride_split", "match", "codec")
ARRAY = re.compile(r"(.*)_([a-z]+)(8|16|32|64)_(\d+(?:x\d+)*)\.bin$")
COLUMNS = ("goal", "without", "file", "class", "input_bytes", "stored_bytes")
CLASSES = {"f32": "f32", "f64": "f64", "csv": "tables"}


def class_of(name):
    array = ARRAY.match(name)
    dtype = array[2] + array[3] if array else "csv"
    return CLASSES.get(dtype, "other types")


def first_part(path, max_bytes, folder):
    """The first planes or rows of an array, or the first lines of a table, in a file with a name that fits."""
    content, array = path.read_bytes(), ARRAY.match(path.name)
    if max_bytes == 0 or len(content) <= max_bytes:
        return path
    if not array:
        part = folder / path.name
        part.write_bytes(content[:content.rindex(b"\n", 0, max_bytes) + 1])
        return part
    shape, size = [int(text) for text in array[4].split("x")], len(content)
    while size > max_bytes:
        plane = size // shape[0]
        if plane > max_bytes:
            shape, size = shape[1:], plane
        else:
            shape[0] = max_bytes // plane
            size = shape[0] * plane
    part = folder / f"{array[1]}_{array[2]}{array[3]}_{'x'.join(map(str, shape))}.bin"
    part.write_bytes(content[:size])
    return part


def nodes_of(value):
    """The names of encodings in all trees that `floe inspect` prints."""
    if isinstance(value, dict):
        return set().union(*(nodes_of(inner) for key, inner in value.items() if key != "file"))
    if isinstance(value, list):
        return set().union(*map(nodes_of, value))
    return set(re.findall(r"[a-z_]+", value)) if isinstance(value, str) else set()


def stored_bytes(build, goal, refused, path, folder):
    frame, back = folder / "frame", folder / "back"
    environment = os.environ | {"FLOE_WITHOUT": "" if refused == NONE else refused}
    common = ["-q", "-f", "--threads", "1"]
    subprocess.run([build / "bench" / "floe_without", *common, "--goal", goal, "-o", frame, path], check=True, env=environment)
    subprocess.run([build / "floe", "-d", *common, "-o", back, frame], check=True)
    if back.read_bytes() != path.read_bytes():
        raise ValueError(f"{path.name} without {refused}: not restored")
    plans = subprocess.run([build / "floe", "inspect", "--json", frame], check=True, stdout=subprocess.PIPE).stdout
    if found := nodes_of(json.loads(plans)) & set(refused.split(",")):
        raise ValueError(f"{path.name} has {found}")
    return frame.stat().st_size


def measure(arguments):
    for goal in arguments.goals.split(","):
        with tempfile.TemporaryDirectory() as name, (PAGES / f"ablation_{goal}.csv").open("w", newline="") as output:
            folder = Path(name)
            parts = [first_part(path, arguments.first, folder) for path in arguments.files if path.suffix in (".bin", ".csv")]
            writer = csv.writer(output, lineterminator="\n")
            writer.writerow(COLUMNS)
            for refused in REFUSED:
                for part in parts:
                    row = (goal, refused, part.name, class_of(part.name), part.stat().st_size)
                    writer.writerow((*row, stored_bytes(arguments.build, goal, refused, part, folder)))
                    output.flush()


def percent(growth):
    return f"{round(100 * growth, 2) + 0.0:+.2f} %"  # no -0.00


def goal_table(goal):
    with (PAGES / f"ablation_{goal}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    whole = {row["file"]: int(row["stored_bytes"]) for row in rows if row["without"] == NONE}
    growths = defaultdict(list)
    for row in rows:
        if row["without"] != NONE:
            growths[row["without"]].append((math.log(int(row["stored_bytes"]) / whole[row["file"]]), row["class"], row["file"]))

    def mean(of, class_=None):
        logarithms = [growth for growth, at, _ in of if class_ in (None, at)]
        return math.expm1(sum(logarithms) / len(logarithms)) if logarithms else math.nan

    classes = list(dict.fromkeys(row["class"] for row in sorted(rows, key=lambda row: row["class"])))
    lines = []
    for refused, of in sorted(growths.items(), key=lambda item: -mean(item[1])):
        growth, _, file = max(of)
        largest = f"{percent(math.expm1(growth))} ({re.split(r'_(?=[a-z]+[0-9]*_)', file)[0]})" if growth > 0 else "–"
        lines.append([refused.replace(",", ", "), percent(mean(of)), *(percent(mean(of, class_)) for class_ in classes), largest])
    counts = [f"{class_}, {len({row['file'] for row in rows if row['class'] == class_})} files" for class_ in classes]
    return table(["without", "all", *counts, "largest growth"], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goals", default="ratio")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument("--first", type=int, default=0, help="of each file, only so many bytes")
    parser.add_argument("--page", action="store_true", help="writes the tables of the page")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.files:
        measure(arguments)
    if arguments.page:
        for goal in ("ratio", "max"):
            replace_block(PAGES / "ablation.md", goal, goal_table(goal))


if __name__ == "__main__":
    main()
