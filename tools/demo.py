#!/usr/bin/env python3
"""Does floe restore typical arrays exactly, how small do they get and how fast? Prints a table; exits 1 unless all are exact.

Usage: demo.py PROGRAM FOLDER, with the files that demo_data.py wrote.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


GOALS = ("speed", "balance", "ratio", "max")


def measurements(program: str, files: list[Path]) -> list[dict]:
    """One record per file and goal, or codec that can take it."""
    command = [program, "bench", "--json", "--goal", ",".join(GOALS), "--seconds", "0.15", *files]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def is_exact(program: str, file: Path, method: str) -> bool:
    """Compresses the file, restores it from what was written and compares byte for byte."""
    with tempfile.TemporaryDirectory() as folder:
        frame, restored = Path(folder) / "frame.floe", Path(folder) / "restored.bin"
        option = "--goal" if method in GOALS else "--codec"
        subprocess.run([program, "--quiet", option, method, "-o", frame, file], check=True)
        subprocess.run([program, "--quiet", "-d", "-o", restored, frame], check=True)
        return restored.read_bytes() == file.read_bytes()


def main() -> int:
    program, folder = sys.argv[1], Path(sys.argv[2])
    files = sorted(folder.glob("*.bin"))
    row = "{:<28} {:<11} {:>6} {:>14} {:>16}  {}"
    print(row.format("file", "codec, goal", "ratio", "compress GB/s", "decompress GB/s", "exact"))
    all_exact = True
    records = measurements(program, files)
    for record in records:
        file = folder / Path(record["file"]).name
        exact = is_exact(program, file, record["codec"])
        all_exact = all_exact and exact
        ratio = record["input_bytes"] / record["stored_bytes"]
        speeds = [f"{speed:.{4 if speed < 0.1 else 2}f}" for speed in (record["compress_gbps"], record["decompress_gbps"])]
        print(row.format(file.name, record["codec"], f"{ratio:.2f}", *speeds, "yes" if exact else "NO"), flush=True)
    memcpy = statistics.median(record["memcpy_gbps"] for record in records)
    print(f"\nMedians; {records[0]['isa']} instructions, threads: {records[0]['threads']}. Copying the same bytes (memcpy) runs at {memcpy:.2f} GB/s.")
    return 0 if all_exact else 1


if __name__ == "__main__":
    sys.exit(main())
