"""What do the measurements say about each compressor? Geometric means over the files of a class, and worst cases."""

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CLASSES = {"f32": ("f32",), "f64": ("f64",), "integers": ("i32", "i64"), "halves": ("f16", "bf16")}
# In classes of several types floe has a codec of each kind per width of word; the kinds are what can be compared.
KINDS = {"spspeed": "speed", "dpspeed": "speed", "speed16": "speed", "spratio": "ratio", "dpratio": "ratio"}


@dataclass(frozen=True)
class Row:
    file: str
    dtype: str
    compressor: str
    setting: str
    isa: str
    exact: bool
    ratio: float
    compress: float
    decompress: float
    memcpy: float

    @property
    def array(self) -> str:
        """The file without its type and shape."""
        return self.file.split(f"_{self.dtype}_")[0]

    @property
    def domain(self) -> str:
        return self.file.split("-")[0]


@dataclass(frozen=True)
class Summary:
    """Speeds in GB/s, not a number if only sizes are compared. `worst_ratio` is the row with the smallest ratio, and so on."""

    compressor: str
    setting: str
    files: int
    ratio: float
    compress: float
    decompress: float
    worst_ratio: Row
    slowest_compress: Row
    slowest_decompress: Row

    @property
    def name(self) -> str:
        return f"{self.compressor} {self.setting}"

    @property
    def is_floe(self) -> bool:
        return self.compressor == "floe"

    @property
    def is_timed(self) -> bool:
        return not math.isnan(self.compress)


def read_rows(path: Path, isa: str = "") -> list[Row]:
    """The rows of the peers, and floe's with the kernels `isa` where there are such, else with those that the processor prefers."""
    rows = all_rows(path)
    if not any(row.isa == isa != "" for row in rows):
        isa = next(row.isa for row in rows if row.isa)
    return [row for row in rows if row.isa in ("", isa)]


def all_rows(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Row(
                record["file"],
                record["dtype"],
                record["compressor"],
                record["setting"],
                record["isa"],
                record["exact"] == "yes",
                int(record["input_bytes"]) / int(record["stored_bytes"]),
                *(float(record[f"{kind}_gbps"] or math.nan) for kind in ("compress", "decompress", "memcpy")),
            )
            for record in csv.DictReader(file)
        ]


def geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def domain_mean(rows: list[Row]) -> float:
    """Geometric mean of ratios in which each domain counts once, however many files it has."""
    domains: dict[str, list[float]] = {}
    for row in rows:
        domains.setdefault(row.domain, []).append(row.ratio)
    return geometric_mean(geometric_mean(ratios) for ratios in domains.values())


def files_of(rows: list[Row], class_: str) -> list[str]:
    return sorted({row.file for row in rows if row.dtype in CLASSES[class_]})


def memcpy_of(rows: list[Row], class_: str) -> float:
    """The yardstick of floe's own runs, which is compiled and not called from Python."""
    return geometric_mean(row.memcpy for row in rows if row.dtype in CLASSES[class_] and row.compressor == "floe")


def summaries(rows: list[Row], class_: str) -> list[Summary]:
    """All settings that restored every file of the class that they took, the best ratio first."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.dtype in CLASSES[class_]:
            setting = KINDS.get(row.setting, row.setting) if len(CLASSES[class_]) > 1 else row.setting
            groups.setdefault((row.compressor, setting), []).append(row)
    found = [
        Summary(
            *name,
            len(group),
            *(geometric_mean(getattr(row, kind) for row in group) for kind in ("ratio", "compress", "decompress")),
            *(min(group, key=lambda row: getattr(row, kind)) for kind in ("ratio", "compress", "decompress")),
        )
        for name, group in groups.items()
        if all(row.exact for row in group)
    ]
    return sorted(found, key=lambda summary: -summary.ratio)


def frontier(found: list[Summary], speed: str) -> list[Summary]:
    """Those that no other one beats in both ratio and speed, the best ratio first."""
    front: list[Summary] = []
    for summary in sorted(found, key=lambda summary: (-summary.ratio, -getattr(summary, speed))):
        if not front or getattr(summary, speed) > getattr(front[-1], speed):
            front.append(summary)
    return front
