"""How much memory do the two programs of a long pipe take: content | floe | floe -d, and does every byte arrive?"""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import table  # noqa: E402

PEAK_LIMIT_MIB = 512
# Element type, codec, and kind of content.
PIPES = (
    ("f32", "spspeed", "f32"),
    ("f32", "spratio", "f32"),
    ("f64", "dpspeed", "f64"),
    ("f64", "dpratio", "f64"),
    ("f64", "dpratio", "noise"),
    ("f64", "gfc", "f64"),
)
CONTENT_NAMES = {"f32": "noisy wave", "f64": "noisy wave", "noise": "random bytes"}


def peak_mib(process: subprocess.Popen) -> float:
    """Waits for the process to end. The kernel counts what this process had when it started the other one, so it must stay small."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return usage.ru_maxrss / 1024


def pipe_row(program: str, dtype: str, codec: str, kind: str, content_bytes: int) -> dict:
    start = time.monotonic()
    content = [sys.executable, "-B", Path(__file__).with_name("content.py"), kind, str(content_bytes)]
    writing = subprocess.Popen(content, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    packing = subprocess.Popen([program, "-c", "--dtype", dtype, "--codec", codec], stdin=writing.stdout, stdout=subprocess.PIPE)
    unpacking = subprocess.Popen([program, "-d", "-c"], stdin=packing.stdout, stdout=subprocess.PIPE)
    writing.stdout.close()
    packing.stdout.close()
    received, arrived_bytes = hashlib.sha256(), 0
    while piece := unpacking.stdout.read1(1 << 20):
        received.update(piece)
        arrived_bytes += len(piece)
    sent = writing.stderr.read().strip()
    writing.wait()
    peaks = peak_mib(packing), peak_mib(unpacking)
    exact = arrived_bytes == content_bytes and received.hexdigest() == sent
    row = {"dtype": dtype, "codec": codec, "content": CONTENT_NAMES[kind], "content_bytes": content_bytes}
    row |= {"seconds": time.monotonic() - start, "compress_peak_mib": peaks[0], "decompress_peak_mib": peaks[1]}
    return row | {"exact": "yes" if exact else "no", "within": "yes" if exact and max(peaks) < PEAK_LIMIT_MIB else "NO"}


def pipe_rows(program: str, content_bytes: int) -> list[dict]:
    return [pipe_row(program, *pipe, content_bytes) for pipe in PIPES]


def pipe_table(rows: list[dict]) -> str:
    header = ["codec", "type", "content", "GiB", "seconds for all", "peak of `floe -c`", "peak of `floe -d`", "SHA-256 equal"]
    lines = []
    for row in rows:
        peaks = [f"{row[name]:.0f} MiB" for name in ("compress_peak_mib", "decompress_peak_mib")]
        names = [row["codec"], row["dtype"], row["content"]]
        lines.append([*names, f"{row['content_bytes'] / 2**30:g}", f"{row['seconds']:.0f}", *peaks, row["exact"]])
    return table(header, lines, left_columns=3)
