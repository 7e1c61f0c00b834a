"""What do the rows of measure.py say? Medians over the arrays, as tables of docs/benchmarks/cpu.md."""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import replace_block, table  # noqa: E402

# What was aimed at, compress and decompress, relative to memcpy: one thread, AVX-512, of 256 MiB and, in the second cache, of 256 KiB.
LARGE, SMALL = 256 << 20, 256 << 10
AIMS = {
    ("spspeed", LARGE): (1.0, 1.2),
    ("dpspeed", LARGE): (1.0, 1.2),
    ("gfc", LARGE): (0.8, 1.0),
    ("spratio", LARGE): (0.6, 0.55),
    ("dpratio", LARGE): (0.03, 0.15),
    ("spspeed", SMALL): (0.35, 0.28),
}
AIM_OF_AVX2 = 0.45  # of these, for the large ones
UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def size_name(count: int) -> str:
    return next(f"{count / unit:g} {name}" for unit, name in UNITS if count >= unit)


def grouped(rows: list[dict], *keys: str) -> dict[tuple, list[dict]]:
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def median_of(rows: list[dict], key: str) -> float:
    return statistics.median(row[key] for row in rows)


def relative(rows: list[dict], key: str) -> list[float]:
    """The speeds as parts of memcpy of the same bytes in the same run."""
    return [row[key] / row["memcpy_gbps"] for row in rows]


def speeds(rows: list[dict], what: str) -> list[str]:
    ratios = relative(rows, f"{what}_gbps")
    return [f"{median_of(rows, f'{what}_gbps'):.1f}", f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f}–{max(ratios):.2f}"]


def speed_table(rows: list[dict]) -> str:
    """One thread and one caller: every codec, instruction set and size."""
    header = ["codec", "instructions", "array", "compress GB/s", "of memcpy", "range", "decompress GB/s", "of memcpy", "range", "arrays"]
    single = [row for row in rows if row["threads"] == 1 and row["callers"] == 1]
    lines = []
    for (codec, isa, size), group in grouped(single, "codec", "isa", "rounded_bytes").items():
        lines.append([codec, isa, size_name(size), *speeds(group, "compress"), *speeds(group, "decompress"), str(len(group))])
    order = list(dict.fromkeys(row["codec"] for row in rows))
    return table(header, sorted(lines, key=lambda line: order.index(line[0])), left_columns=3)


def aim_table(rows: list[dict]) -> str:
    header = ["codec", "instructions", "array", "aim", "reached", "short by"]
    groups = grouped([row for row in rows if row["threads"] == 1 and row["callers"] == 1], "codec", "isa", "rounded_bytes")
    lines = []
    for isa, part in (("avx512", 1), ("avx2", AIM_OF_AVX2)):
        for (codec, size), aims in AIMS.items():
            group = groups.get((codec, isa, size))
            if not group or (isa != "avx512" and size != LARGE):
                continue
            wanted = [part * aim for aim in aims]
            reached = [round(statistics.median(relative(group, f"{what}_gbps")), 2) for what in ("compress", "decompress")]
            short = [f"{aim - value:.2f}" if value < round(aim, 2) else "–" for aim, value in zip(wanted, reached)]
            lines.append([codec, isa, size_name(size), *(f"{a:.2f} / {b:.2f}" for a, b in (wanted, reached)), " / ".join(short)])
    return table(header, lines, left_columns=3)


def memory_table(rows: list[dict]) -> str:
    header = ["array", "threads", "memcpy GB/s", "copy past the caches GB/s", "read GB/s"]
    lines = []
    for (size, threads), group in sorted(grouped([row for row in rows if row["callers"] == 1], "rounded_bytes", "threads").items()):
        values = [f"{median_of(group, key):.1f}" for key in ("memcpy_gbps", "stream_copy_gbps", "read_gbps")]
        lines.append([size_name(size), str(threads), *values])
    return table(header, lines, left_columns=2)


def conditions_text(facts: dict) -> str:
    processor = facts["processor"]
    caches = ", ".join(f"{name.upper()} {processor[name]}" for name in ("l1d", "l2", "l3") if name in processor)
    machine = f"{processor.get('model', 'unknown processor')}, {processor.get('cores', '?')} CPUs ({caches}), {facts['memory_gib']} GiB of memory"
    floe = facts["floe"]
    lines = [
        f"- Machine: {machine}{', virtual' if 'hypervisor' in processor else ''}; {facts['system']}; load before: {facts['load_before']:.2f}",
        f"- floe: commit {floe['commit']}, {floe['compiler']}, `{floe['options']}`",
        f"- Date: {facts['date']}",
        f"- Command: `{facts['command']}`",
    ]
    return "\n".join(lines)


def with_rounded_sizes(rows: list[dict]) -> list[dict]:
    """Arrays hold whole elements; what is a few bytes short of a size counts as that size."""
    return [row | {"rounded_bytes": -(-row["input_bytes"] // 1024) * 1024} for row in rows]


def write_page(page: Path, rows: list[dict], facts: dict) -> None:
    rows = with_rounded_sizes(rows)
    replace_block(page, "conditions", conditions_text(facts))
    replace_block(page, "aims", aim_table(rows))
    replace_block(page, "memory", memory_table(rows))
    replace_block(page, "speeds", speed_table(rows))
