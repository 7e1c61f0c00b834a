#!/usr/bin/env python3
"""Fills the tables of FOLDER/time-series.md from time-series-results.csv, time-series-encodings.csv and time-series-peers.csv there. Usage: page.py FOLDER"""

import csv
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import replace_block, table  # noqa: E402

# What the thesis reports, row by row: published ratios, and for the mixed series those of its single tree, counted in bytes.
THESIS = {
    ("GEN1", "CSV"): "17.43",
    ("trace", "Pattern B; 26 packs of 5000"): "4.90",
    ("large", "Pattern A"): "266.4",
    ("large", "Pattern B"): "8.00",
    ("large", "Time"): "33.77",
    ("mixed", "B"): "1.80 (single tree 2.16)",
    ("mixed", "A+B"): "4.71 (2.68)",
    ("mixed", "Time+A"): "9.75 (3.12)",
    ("mixed", "A+B+MaxPrec"): "2.00 (1.60)",
    ("mixed", "Time+Cons+Rand"): "1.37 (2.40)",
    ("samples", "times"): "177.0 (another series)",
    ("samples", "float; at most 3 decimals"): "4.04",
    ("samples", "random int [10;10000)"): "2.28",
    ("samples", "consecutive int"): "625",
    ("samples", "int Pattern A"): "236.7",
    ("samples", "float Pattern A"): "221.0",
    ("samples", "int Pattern B"): "7.86",
    ("samples", "float Pattern B"): "4.23",
} | {
    ("outliers", f"{percent} %"): ratio
    for percent, ratio in zip((1, 2, 5, 10, 15, 20, 25, 30, 35, 40), ("40.3", "28.9", "25.4", "21.2", "18.2", "15.9", "14.2", "12.8", "11.6", "10.7"))
}
THESIS_SPEED = {
    ("large", "Pattern A"): ("0.43", "1.28"),
    ("large", "Pattern B"): ("0.55", "0.85"),
    ("large", "Time"): ("0.26", "1.13"),
}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def number(text: str | None) -> str:
    if text is None:
        return ""
    value = float(text)
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 100 else f"{value:.2f}"


# Heads of columns and what they show; those without a value in any row are left out.
QUANTITIES = {
    "thesis's planner, repaired": "thesis's planner",
    "floe": "balanced",
    "floe, ratio": "ratio",
    "search for each pack": "search for each pack",
}


def ratio_table(results: dict, name: str) -> str:
    rows = {key: values for key, values in results.items() if key[0] == name and key[1] != "columns in memory"}
    shown = {head: quantity for head, quantity in QUANTITIES.items() if any(quantity in values for values in rows.values())}
    lines = []
    for key, values in rows.items():
        lines.append([key[1].replace(";", ","), THESIS.get(key, ""), *(number(values.get(quantity)) for quantity in shown.values())])
    return table(["data", "thesis", *shown], lines)


def speed_table(results: dict) -> str:
    rows = []
    for key, values in results.items():
        if "compress GB/s" in values:
            thesis = THESIS_SPEED.get(key, ("", ""))
            label = f"{key[0]}, {key[1]}" if key[0] == "GEN1" else key[1]
            ours = [[number(values.get(f"{way} GB/s{threads}")) for threads in ("", " with 2 threads")] for way in ("compress", "decompress")]
            rows.append([label, thesis[0], *ours[0], thesis[1], *ours[1]])
    head = ["thesis, GPU: {}", "floe, one thread", "two threads"]
    return table(["data", *(cell.format(way) for way in ("compress", "decompress") for cell in head)], rows)


def planning_table(results: dict) -> str:
    rows = [[key[1].replace(";", ",").replace(" 1 segments", " 1 segment"), number(values["GB/s"]), f"{float(values['percent']):.1f} %"] for key, values in results.items() if key[0] == "planning"]
    return table(["data", "encode with the trees given, GB/s", "planning adds"], rows)


def threads_table(results: dict) -> str:
    rows = [[key[1].replace(";", ",").replace(" 1 segments", " 1 segment"), number(values["one"]), number(values["two"])] for key, values in results.items() if key[0] == "threads"]
    return table(["table", "one thread, GB/s", "two threads, GB/s"], rows)


def encodings_table(rows: list[dict[str, str]]) -> str:
    """One row per data and tree, from the names of the benchmarks: memcpy, encode/DATA/TREE, decode/DATA/TREE."""
    speeds = {row["name"]: f"{float(row['bytes_per_second']) / 1e9:.2f}" for row in rows}
    ratios = {row["name"]: number(row["ratio"]) for row in rows}
    lines = [["(memcpy)", "", "", speeds["memcpy"], speeds["memcpy"]]]
    for name in dict.fromkeys(name.split("/", 1)[1] for name in speeds if "/" in name):
        data, tree = name.split("/", 1)
        shown = f"`{tree}`" if tree != "planned" else tree
        lines.append([data, shown, ratios[f"encode/{name}"], speeds[f"encode/{name}"], speeds[f"decode/{name}"]])
    return table(["data", "tree", "ratio", "encode, GB/s", "decode, GB/s"], lines, 2)


def peer_table(rows: list[dict[str, str]], is_csv: bool) -> str:
    files = list(dict.fromkeys(row["file"] for row in rows if row["file"].endswith(".csv") == is_csv))
    compressors = list(dict.fromkeys(row["compressor"] for row in rows))
    ratios = {(row["file"], row["compressor"]): int(row["input_bytes"]) / int(row["output_bytes"]) for row in rows}
    lines = [[name.rsplit(".", 1)[0], *(f"{ratios[name, compressor]:.2f}" for compressor in compressors)] for name in files]
    means = [math.exp(sum(math.log(ratios[name, compressor]) for name in files) / len(files)) for compressor in compressors]
    lines.append(["**geometric mean**", *(f"**{mean:.2f}**" for mean in means)])
    return table(["file", *compressors], lines)


def main() -> None:
    folder = Path(sys.argv[1])
    page = folder / "time-series.md"
    results: dict[tuple[str, str], dict[str, str]] = {}
    for row in read(folder / "time-series-results.csv"):
        results.setdefault((row["table"], row["row"]), {})[row["quantity"]] = row["value"]
    for name in ("GEN1", "trace", "large", "mixed", "outliers", "samples"):
        replace_block(page, name.lower(), ratio_table(results, name))
    replace_block(page, "speed", speed_table(results))
    replace_block(page, "planning", planning_table(results))
    replace_block(page, "threads", threads_table(results))
    csv_row = results["GEN1", "CSV"]
    replace_block(
        page, "reading", table(["step", "GB/s of text"], [["find the cells", number(csv_row["find cells GB/s"])], ["find the cells and read all columns", number(csv_row["read cells GB/s"])]])
    )
    replace_block(page, "encodings", encodings_table(read(folder / "time-series-encodings.csv")))
    peers = read(folder / "time-series-peers.csv")
    replace_block(page, "tables", peer_table(peers, True))
    replace_block(page, "columns", peer_table(peers, False))


if __name__ == "__main__":
    main()
