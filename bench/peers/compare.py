#!/usr/bin/env python3
"""How do floe and its peers compare on the same arrays, on this machine? Writes a CSV, and beside it the conditions as JSON.

Usage: compare.py [--program PROGRAM] [--seconds S] --output FILE.csv ARRAY...
Arrays are raw files with names such as x_f32_721x1440.bin. `run` installs what this needs.
"""

import argparse
import csv
import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

# Freed memory stays with the process, so that peers that allocate their output find touched pages, as callers who keep their buffers do.
# It consists of huge pages for everybody: with small ones, which lines share a place in the cache is chance, which a process keeps.
WARM_ALLOCATOR = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26)}
WARM_ALLOCATOR["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"

GOALS = ("speed", "balance", "ratio", "max")
SPEEDS = [f"{kind}_gbps{end}" for kind in ("compress", "decompress", "memcpy") for end in ("", "_min", "_max")]
COLUMNS = ["file", "dtype", "compressor", "setting", "isa", "version", "input_bytes", "stored_bytes", "exact", "runs", *SPEEDS]


def floe_rows(program: str, path: Path, effort, isa: str = "", goals: tuple[str, ...] = GOALS) -> Iterator[dict]:
    """What `floe bench` says; it fails unless every bit comes back. With an `isa` only the goals, limited to its kernels."""
    environment = os.environ | ({"FLOE_ISA": isa} if isa else {})

    def bench(*options: str) -> list[dict]:
        command = [program, "bench", "--json", "--threads", "1", *options, str(path)]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout)

    version = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]
    codecs = ("--codec", "none") if isa else ()
    for record in bench("--seconds", str(effort.seconds), *codecs, "--goal", ",".join(goals)):
        is_goal = record["codec"] in goals
        if record["runs"] < effort.min_runs:
            method = ["--codec", "none", "--goal", record["codec"]] if is_goal else ["--codec", record["codec"]]
            (record,) = bench(*method, "--runs", str(effort.min_runs))
        row = {name: record[name] for name in COLUMNS if name in record}
        setting = f"--goal {record['codec']}" if is_goal else record["codec"]
        yield row | {"file": path.name, "compressor": "floe", "setting": setting, "version": version, "exact": True}


def peer_rows(array, missing: dict[str, str], failures: list[str], effort) -> Iterator[dict]:
    from compressors import PEERS
    from measure import measure

    for module, settings in PEERS.items():
        if module in missing:
            continue
        try:
            found = list(settings(array))
        except Exception as error:
            failures.append(f"{module} on {array.file}: {error}")
            print(f"failed: {failures[-1]}", file=sys.stderr)
            continue
        for setting in found:
            try:
                result = measure(setting, array, effort)
            except Exception as error:  # A peer that fails on an array is a result, too.
                failures.append(f"{setting.compressor} {setting.name} on {array.file}: {error}")
                print(f"failed: {failures[-1]}", file=sys.stderr)
                continue
            yield peer_row(array, setting, result)


def peer_row(array, setting, result) -> dict:
    row = {"file": array.file, "dtype": array.dtype, "compressor": setting.compressor, "setting": setting.name}
    row |= {"version": setting.version, "input_bytes": array.bytes.size, "stored_bytes": result.stored_bytes}
    row |= {"exact": result.exact, "runs": result.runs}
    for kind in ("compress", "decompress", "memcpy"):
        values = getattr(result, kind)
        row |= {f"{kind}_gbps": values.median, f"{kind}_gbps_min": values.slowest, f"{kind}_gbps_max": values.fastest}
    return row


def speed_text(gbps: float) -> str:
    """Empty where only sizes are compared."""
    return "" if math.isnan(gbps) else f"{gbps:.4g}"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/floe", help="the program floe")
    parser.add_argument("--seconds", type=float, default=1, help="time for each setting and array (default 1)")
    parser.add_argument("--max-seconds", type=float, default=10, help="slow settings stop after this time (default 10)")
    parser.add_argument("--min-runs", type=int, default=5, help="unless that takes longer than --max-seconds (default 5)")
    parser.add_argument("--output", type=Path, required=True, help="the CSV; conditions go beside it with the ending .json")
    parser.add_argument("arrays", nargs="+", type=Path)
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    if any(os.environ.get(name) != value for name, value in WARM_ALLOCATOR.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | WARM_ALLOCATOR)

    from arrays import load
    from compressors import missing_peers
    from conditions import conditions
    from measure import Effort

    effort = Effort(arguments.seconds, arguments.min_runs, arguments.max_seconds)
    missing = missing_peers()
    for module, reason in missing.items():
        print(f"not measured: {module}: {reason}", file=sys.stderr)
    facts = conditions(arguments.program) | {"not_measured": missing, "seconds": effort.seconds, "min_runs": effort.min_runs}
    facts["max_seconds"] = effort.max_seconds
    start, failures = time.time(), []
    with arguments.output.open("w", newline="", encoding="utf-8") as output:
        writer = csv.DictWriter(output, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for path in arguments.arrays:
            print(path.name, file=sys.stderr)
            array = load(path)
            ours = list(floe_rows(arguments.program, path, effort))
            facts["floe"]["isa"] = ours[0]["isa"]
            if facts["floe"]["isa"] != "avx2" and platform.machine() == "x86_64":
                ours += floe_rows(arguments.program, path, effort, "avx2")
            for row in (*ours, *peer_rows(array, missing, failures, effort)):
                writer.writerow(row | {"exact": "yes" if row["exact"] else "no"} | {name: speed_text(row[name]) for name in SPEEDS})
                output.flush()
    facts |= {"failures": failures, "minutes": round((time.time() - start) / 60, 1), "load_after": os.getloadavg()[0]}
    arguments.output.with_suffix(".json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
