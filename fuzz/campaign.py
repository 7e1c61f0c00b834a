#!/usr/bin/env python3
"""Runs fuzz targets, each from the inputs that it has collected so far, and keeps the books.

Usage: campaign.py FOLDER [--seconds N] [--totals] [TARGET...]. FOLDER holds the built targets; inputs are kept in
FOLDER/../corpus, and FOLDER/../executions.csv gets a line for every run: when, commit, target, executions, seconds, new
findings. --totals adds the lines up by target and runs nothing. Exits 1 if a run found something.
"""
import argparse
import csv
import datetime
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

FIELDS = ["when", "commit", "target", "executions", "seconds", "findings"]
ROOT = Path(__file__).resolve().parent.parent
SEEDS = {"frame_fuzz": "arrays tables newer reject unusual", "recovery_fuzz": "arrays tables newer reject unusual"}


def commit():
    def git(*arguments):
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False).stdout.strip()

    return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def executions_of(output):
    """What libFuzzer says at its end; else, as after a finding, the last number of its lines of progress."""
    said = re.findall(r"^stat::number_of_executed_units:\s*(\d+)", output, re.MULTILINE)
    return int(said[-1]) if said else max((int(n) for n in re.findall(r"^#(\d+)\s", output, re.MULTILINE)), default=0)


def findings_in(folder, name):
    return {path.name for path in folder.glob(f"{name}-*") if path.is_file()}


def run(target, folder, seconds):
    """Returns the line of the log."""
    corpus = folder / "corpus" / target.name
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = [str(ROOT / "tests/golden" / name) for name in SEEDS.get(target.name, "").split()]
    before = findings_in(corpus.parent, target.name)
    begin = datetime.datetime.now(datetime.timezone.utc)
    done = subprocess.run(
        [target, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={corpus}-", corpus, *seeds],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)  # fmt: skip
    took = (datetime.datetime.now(datetime.timezone.utc) - begin).total_seconds()
    found = findings_in(corpus.parent, target.name) - before
    if done.returncode != 0 and not found:
        found = {f"exit code {done.returncode}"}
    if found:
        print(done.stdout[-4000:], f"{target.name}: {', '.join(sorted(found))}", sep="\n", file=sys.stderr)
    values = begin.isoformat(timespec="seconds"), commit(), target.name, executions_of(done.stdout), round(took, 1), len(found)
    return dict(zip(FIELDS, values))


def append(log, line):
    is_new = not log.exists()
    with log.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        if is_new:
            writer.writeheader()
        writer.writerow(line)


def totals(log):
    """[(target, executions, hours, findings)] and their sum."""
    sums = defaultdict(lambda: [0, 0.0, 0])
    if log.exists():
        with log.open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                for name in (line["target"], "total"):
                    sums[name][0] += int(line["executions"])
                    sums[name][1] += float(line["seconds"]) / 3600
                    sums[name][2] += int(line["findings"])
    return [(name, *sums[name]) for name in sorted(sums, key=lambda name: (name == "total", name))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--totals", action="store_true")
    arguments = parser.parse_intermixed_args()
    folder = arguments.folder.resolve().parent
    log = folder / "executions.csv"
    found = 0
    if not arguments.totals:
        targets = sorted(path for path in arguments.folder.resolve().glob("*_fuzz") if os.access(path, os.X_OK))
        unknown = set(arguments.targets) - {path.name for path in targets}
        if unknown or not targets:
            sys.exit(f"there is no target {', '.join(sorted(unknown)) or 'at all'} in {arguments.folder}")
        for target in targets:
            if arguments.targets and target.name not in arguments.targets:
                continue
            line = run(target, folder, arguments.seconds)
            append(log, line)
            print(f"{line['target']:20} {line['executions']:>12,} executions in {line['seconds']:>7} s, {line['findings']} findings", flush=True)
            found += line["findings"]
    for name, executions, hours, findings in totals(log):
        print(f"{name:20} {executions:>14,} executions in all, {hours:8.2f} h, {findings} findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
