#!/usr/bin/env python3
"""What did the comparison find? Fills the blocks of FOLDER/peers.md and of the README from FOLDER/peers.csv and FOLDER/peers.json.

Usage: page.py FOLDER [README]
"""

import json
import math
import statistics
import sys
from pathlib import Path

from summary import CLASSES, Row, Summary, domain_mean, files_of, geometric_mean, memcpy_of, read_rows, summaries

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import replace_block, table  # noqa: E402

# What the README shows of the peers: one row each, with the setting that a user gets without asking.
README_SETTINGS = {
    ("lz4", "default"),
    ("zstd", "-3"),
    ("blosc2", "shuffle zstd -5"),
    ("blosc2", "bitshuffle lz4 -5"),
    ("pcodec", "-8"),
    ("openzl", "generic, untrained"),
    ("zfp", "reversible"),
    ("fpzip", "lossless"),
}


# The measurement itself is a load of 1.
QUIET_LOAD = 1.5
BUSY = "The machine was busy with other work meanwhile: sizes are right, speeds are too low and uneven."


def is_busy(facts: dict) -> bool:
    return max(facts["load_before"], facts["load_after"]) > QUIET_LOAD


def speed_text(gbps: float) -> str:
    if math.isnan(gbps):
        return "–"
    return f"{gbps:.2g}" if gbps < 0.1 else f"{gbps:.2f}"


def bold_if(condition: bool, text: str) -> str:
    return f"**{text}**" if condition else text


def conditions_text(facts: dict) -> str:
    processor, floe = facts["processor"], facts["floe"]
    virtual = f", a virtual machine ({processor['hypervisor']})" if "hypervisor" in processor else ""
    lines = [
        f"- Machine: {processor['model']}, {processor['cores']} cores, {processor['simd']}, L1d {processor['l1d']}, L2 {processor['l2']}, "
        f"L3 {processor['l3']}, {facts['memory_gib']} GiB of memory{virtual}.",
        f"- System: {facts['system']}, Python {facts['python']}. Load before {facts['load_before']:.1f}, after {facts['load_after']:.1f} "
        f"(1 is the measurement itself), {facts['date']}, {facts['minutes']:.0f} minutes.",
        f"- floe: commit {floe['commit']}, {floe['compiler']}, `{floe['options']}`, kernels: {floe['isa']}. Peers: wheels from PyPI, compiled by their makers.",
        f"- Runs: until {facts['seconds']:g} s are over and at least {facts['min_runs']}, after one that does not count; settings that need "
        f"more than {facts['max_seconds']:g} s for that have fewer, the CSV says how many.",
    ]
    for name, reason in facts["not_measured"].items():
        lines.append(f"- Not measured: {name}, as it could not be loaded: {reason}.")
    lines += [f"- Failed: {failure}." for failure in facts["failures"]]
    if is_busy(facts):
        lines.append(f"- **{BUSY}**")
    return "\n".join(lines)


def worst_text(row: Row, kind: str) -> str:
    value = getattr(row, kind)
    if math.isnan(value):
        return "–"
    return f"{value:.2f} ({row.array})" if kind == "ratio" else f"{speed_text(value)} ({row.array})"


def class_table(rows: list[Row], class_: str) -> str:
    total = len(files_of(rows, class_))
    header = ["compressor", "setting", "files", "ratio", "compress", "decompress", "worst ratio", "slowest compress", "slowest decompress"]
    lines = []
    for summary in summaries(rows, class_):
        numbers = [f"{summary.ratio:.3f}", speed_text(summary.compress), speed_text(summary.decompress)]
        worst = [
            worst_text(summary.worst_ratio, "ratio"),
            worst_text(summary.slowest_compress, "compress"),
            worst_text(summary.slowest_decompress, "decompress"),
        ]
        files = str(summary.files) if summary.files == total else f"{summary.files} of {total}"
        lines.append([bold_if(summary.is_floe, summary.compressor), summary.setting, files, *(bold_if(summary.is_floe, n) for n in numbers), *worst])
    return table(header, lines, left_columns=2) + f"\n\nmemcpy in the same runs: {memcpy_of(rows, class_):.1f} GB/s (geometric mean)."


def goals_table(rows: list[Row]) -> str:
    """Each goal beside pcodec -8 of the same runs: medians over the files, of multiples, too; ratios over the domains."""
    lines = []
    for class_ in ("f32", "f64"):
        of_class = [row for row in rows if row.dtype == class_]
        settings = ("--goal speed", "--goal balance", "--goal ratio", "--goal max", "-8")
        groups = {name: [row for row in of_class if row.setting == name and row.compressor in ("floe", "pcodec")] for name in settings}
        peers = {row.file: row for row in groups["-8"]}
        speeds = {name: [statistics.median(getattr(row, kind) for row in group) for kind in ("compress", "decompress")] for name, group in groups.items()}
        for name, group in groups.items():
            times = [f"{ours / theirs:.2f}" for ours, theirs in zip(speeds[name], speeds["-8"])]
            ours = group[0].compressor == "floe"
            multiples = [f"{statistics.median(getattr(row, kind) / getattr(peers[row.file], kind) for row in group):.2f}" for kind in ("compress", "decompress")]
            cells = [class_, f"{domain_mean(group):.3f}", *map(speed_text, speeds[name]), *times, *multiples]
            lines.append([bold_if(ours, f"{group[0].compressor} {name}"), *cells])
    header = ["", "type", "ratio", "compress", "decompress", "compress, of pcodec -8", "decompress, of pcodec -8", "median multiple, compress", "median multiple, decompress"]
    return table(header, lines, left_columns=2)


def inexact_text(rows: list[Row]) -> str:
    inexact = [f"- {row.compressor} {row.setting} on {row.file}" for row in rows if not row.exact]
    return "Not exact, and therefore not in the tables:\n\n" + "\n".join(inexact) if inexact else f"All {len(rows)} round trips were exact."


def best_per_file(rows: list[Row]) -> str:
    """Where each of the two aims is reached: the smallest frame, and floe's smallest beside it."""
    header = ["file", "type", "smallest", "ratio", "floe's smallest", "ratio"]
    lines = []
    for file in sorted({row.file for row in rows}):
        group = [row for row in rows if row.file == file and row.exact]
        best = max(group, key=lambda row: row.ratio)
        ours = max((row for row in group if row.compressor == "floe"), key=lambda row: row.ratio)
        lines.append([ours.array, ours.dtype, f"{best.compressor} {best.setting}", f"{best.ratio:.3f}", ours.setting, f"{ours.ratio:.3f}"])
    return table(header, lines, left_columns=3)


def readme_table(rows: list[Row], facts: dict) -> str:
    chosen: dict[str, dict[str, Summary]] = {
        class_: {s.name: s for s in summaries(rows, class_) if s.is_floe or (s.compressor, s.setting) in README_SETTINGS} for class_ in ("f32", "f64")
    }
    header = ["", "f32: ratio", "compress", "decompress", "f64: ratio", "compress", "decompress"]

    def cells(summary: Summary | None) -> list[str]:
        return [f"{summary.ratio:.2f}", speed_text(summary.compress), speed_text(summary.decompress)] if summary else [""] * 3

    def order(name: str) -> tuple[bool, float]:
        found = [chosen[class_][name] for class_ in chosen if name in chosen[class_]]
        return not found[0].is_floe, -geometric_mean(summary.decompress for summary in found)

    names = sorted(set(chosen["f32"]) | set(chosen["f64"]), key=order)
    lines = [[bold_if(name.startswith("floe "), name), *cells(chosen["f32"].get(name)), *cells(chosen["f64"].get(name))] for name in names]
    copies = ["memcpy"] + [cell for class_ in ("f32", "f64") for cell in ("", f"{memcpy_of(rows, class_):.1f}", "")]
    return table(header, [*lines, copies]) + (f"\n\n{BUSY}" if is_busy(facts) else "")


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    rows = read_rows(folder / "peers.csv")
    facts = json.loads((folder / "peers.json").read_text(encoding="utf-8"))
    page = folder / "peers.md"
    replace_block(page, "conditions", conditions_text(facts))
    for class_ in CLASSES:
        replace_block(page, class_, class_table(rows, class_))
    replace_block(page, "goals", goals_table(read_rows(folder / "peers.csv", "avx2")))
    replace_block(page, "files", best_per_file(rows))
    replace_block(page, "exactness", inexact_text(rows))
    if len(sys.argv) == 3:
        replace_block(Path(sys.argv[2]), "peers", readme_table(rows, facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
