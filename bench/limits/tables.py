"""How much memory and time does a table of gigabytes take: compressed, restored, planned, and read in parts?"""

import filecmp
import os
import random
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path

from pipe import peak_mib

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import table  # noqa: E402

PEAK_LIMIT_MIB = 512
# What is done, in its order, and the command line, in which {text}, {table} and others stand for files.
STEPS = (
    ("compress, one thread", "compress -q -T 1 -o {table} {text}"),
    ("compress", "compress -q -o {table} {text}"),
    ("decompress", "decompress -q -o {again} {table}"),
    ("read one column", "decompress -q --columns TIME -o {column} {table}"),
    ("read 1000 rows in the middle", "decompress -q --rows {middle}:1000 -o {rows} {table}"),
    ("plan, with a picture", "plan --picture {page} {text}"),
    ("compress records of 256 bytes", "compress -q --schema {header} -o {table} {records}"),
    ("decompress records of 256 bytes", "decompress -q -o {again} {table}"),
)
RECORD_COLUMNS = 32
RECORD_BLOCKS = 40  # of 12.8 MB


def write_records(records: str, header: str) -> None:
    """Integers of 64 bits that grow, with some noise."""
    rng = random.Random(1)
    block = array("Q", (i * i % 1000003 + rng.randrange(64) for i in range(RECORD_COLUMNS * 50000))).tobytes()
    with open(records, "wb") as file:
        for _ in range(RECORD_BLOCKS):
            file.write(block)
    Path(header).write_text("".join(f"c{i},u64,0\n" for i in range(RECORD_COLUMNS)), encoding="utf-8")


def run(program: str, *words: str) -> tuple[float, float, float]:
    """Wall-clock seconds, seconds of processors, and the peak in MiB."""
    before = os.times()
    start = time.monotonic()
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL)
    peak = peak_mib(process)
    seconds = time.monotonic() - start
    after = os.times()
    return seconds, after.children_user + after.children_system - before.children_user - before.children_system, peak


def table_rows(program: str, folder: str | None, row_count: int, text: Path | None) -> list[dict]:
    """`text`: a table made by `floe series generate -o TEXT row_count`; made here if there is none."""
    rows = []
    with tempfile.TemporaryDirectory(dir=folder) as made:
        names = {name: str(Path(made, name)) for name in ("text", "table", "again", "column", "rows", "page", "records", "header")}
        names["middle"] = str(row_count // 2)
        if text:
            names["text"] = str(text)
        else:
            run(program, "series", "generate", "-o", names["text"], str(row_count))
        for step, words in STEPS:
            source = names["records" if "records" in step else "text"]
            if not os.path.exists(source):
                write_records(names["records"], names["header"])
            seconds, of_processors, peak = run(program, *(word.format(**names) for word in words.split()), "--force")
            exact = not step.startswith("decompress") or filecmp.cmp(source, names["again"], shallow=False)
            row = {"step": step, "source_bytes": os.path.getsize(source), "seconds": seconds, "processor_seconds": of_processors, "peak_mib": peak}
            rows.append(row | {"within": "yes" if exact and peak < PEAK_LIMIT_MIB else "NO"})
    return rows


def table_table(rows: list[dict]) -> str:
    header = ["`floe`", "seconds", "seconds of processors", "GB/s", "peak", "within the limit"]
    lines = []
    for row in rows:
        speed = f"{row['source_bytes'] / row['seconds'] / 1e9:.2f}" if not row["step"].startswith("read") else ""
        lines.append([row["step"], f"{row['seconds']:.2f}", f"{row['processor_seconds']:.2f}", speed, f"{row['peak_mib']:.0f} MiB", row["within"]])
    return table(header, lines, left_columns=1)
