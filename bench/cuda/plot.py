#!/usr/bin/env python3
"""Where do floe and nvCOMP stand between ratio and speed in the memory of a GPU?

Draws FOLDER/CARD_decompress.svg and FOLDER/CARD_compress.svg from FOLDER/CARD_resident.csv and FOLDER/CARD_nvcomp.csv.

Usage: plot.py FOLDER CARD
"""

import csv
import sys
from pathlib import Path

import matplotlib

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
from plot import STYLE, draw  # noqa: E402
from summary import Row, Summary, files_of, geometric_mean, summaries  # noqa: E402


def read_rows(path: Path) -> list[Row]:
    """Rows of single files; the speed of memcpy is that of a copy within the device."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Row(
                record["data"],
                record["type"],
                "nvCOMP" if record["codec"].startswith("nvcomp-") else "floe",
                record["codec"].removeprefix("nvcomp-"),
                "GPU",
                record["exact"] == "yes",
                float(record["ratio"]),
                *(float(record[f"{kind}_gbps"]) for kind in ("compress", "decompress", "copy")),
            )
            for record in csv.DictReader(file)
            if not record["data"].startswith("all_")
        ]


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, card = Path(sys.argv[1]), sys.argv[2]
    rows = read_rows(folder / f"{card}_resident.csv") + read_rows(folder / f"{card}_nvcomp.csv")
    panels: list[tuple[str, list[Summary], float]] = []
    for class_ in ("f32", "f64"):
        copy = geometric_mean(row.memcpy for row in rows if row.dtype == class_)
        panels.append((f"{class_}, {len(files_of(rows, class_))} files", summaries(rows, class_), copy))
    with matplotlib.rc_context(STYLE):
        for speed in ("decompress", "compress"):
            draw(folder / f"{card}_{speed}.svg", panels, speed, "copy", "GB/s, 1 GiB in device memory (geometric mean)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
