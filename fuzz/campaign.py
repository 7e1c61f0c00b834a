#!/usr/bin/env python3
"""Runs fuzz targets, each from the inputs that it has collected so far, and keeps the books.

Usage: campaign.py FOLDER [--seconds N] [--jobs N] [--for SECONDS] [--minimise] [--pack N] [--replay PROGRAM] [--afl] [--totals] [TARGET...]. FOLDER holds the
built targets; inputs are kept in FOLDER/../corpus, those of tests/fuzz/corpus first, and FOLDER/../executions.csv gets a line for every run: when, commit, target,
build, executions, decoded inputs, seconds, new findings. With --for, runs follow one another for that long, always of the target that
has the fewest decoded inputs. --minimise keeps in FOLDER/../minimised, of the collected inputs up to 4 KiB, those that reach
what no other does; --pack N writes about N of those of each target to tests/fuzz/corpus. --replay runs fuzz_replay instead, on the
inputs of tests/fuzz/corpus and changes of them: ten to a hundred times as fast, without sanitizers and without learning. --afl runs targets
that were built with AFL++ by afl-fuzz, on the inputs of tests/fuzz/corpus. --totals
adds the lines of all builds beside FOLDER/.. up by target and runs nothing. Exits 1 if a run found something.
"""
import argparse
import csv
import datetime
import functools
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

FIELDS = ["when", "commit", "build", "target", "executions", "decoded", "seconds", "findings"]
PACK_BYTES = 1 << 17
ROOT = Path(__file__).resolve().parent.parent
SEEDS = {"frame_fuzz": "arrays tables newer reject unusual", "recovery_fuzz": "arrays tables newer reject unusual"}
LONGEST = {"device_fuzz": 600, "frame_fuzz": 8192, "recovery_fuzz": 8192, "round_trip_fuzz": 1024, "table_fuzz": 1024}
AFL = {"AFL_NO_UI": "1", "AFL_SKIP_CPUFREQ": "1", "AFL_NO_AFFINITY": "1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1"}
LIMITS = ["-timeout=10", "-rss_limit_mb=2048", "-entropic=0", "-print_final_stats=1"]
# A run of these is worth that many decoded inputs of others: they encode, plan and decode.
WORTH = {"round_trip_fuzz": 10, "table_fuzz": 10, "tree_fuzz": 10, "c_api_fuzz": 10, "program_fuzz": 10}


@functools.cache
def commit():
    def git(*arguments):
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False).stdout.strip()

    return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def number_of(name, output):
    said = re.findall(rf"^stat::number_of_{name}:\s*(\d+)", output, re.MULTILINE)
    return int(said[-1]) if said else 0


def executions_of(output):
    """What libFuzzer says at its end; else, as after a finding, the last number of its lines of progress."""
    progress = max((int(n) for n in re.findall(r"^#(\d+)\s", output, re.MULTILINE)), default=0)
    return number_of("executed_units", output) or progress


def findings_in(folder, name):
    return {path.name for path in folder.glob(f"{name}-*") if path.is_file()}


def seeds_of(name):
    return [str(ROOT / "tests/golden" / folder) for folder in SEEDS.get(name, "").split()]


def replay(program, target, seconds, turn):
    """The same for fuzz_replay, whose targets are named by files of inputs."""
    begin = datetime.datetime.now(datetime.timezone.utc)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, target.name, target.with_suffix(".pack"), str(seconds), str(int(begin.timestamp() * 1000) + turn)],
                              capture_output=True, text=True, errors="replace", cwd=folder, check=False)  # fmt: skip
        found = Path(folder, "fuzz-finding")
        if found.exists():
            shutil.copy(found, f"{program}-{target.name}-{turn}")
    return line_of(begin, "release", target.name, done.stderr, done.returncode != 0)


def line_of(begin, build, name, output, findings):
    took = (datetime.datetime.now(datetime.timezone.utc) - begin).total_seconds()
    values = (begin.isoformat(timespec="seconds"), commit(), build, name, executions_of(output),
              number_of("decoded_inputs", output), round(took, 1), int(findings))  # fmt: skip
    return dict(zip(FIELDS, values))


def unpack(name, into):
    """Writes the inputs that are stored for a target to a folder, one file each."""
    packed = ROOT / "tests/fuzz/corpus" / f"{name}.pack"
    data = packed.read_bytes() if packed.exists() else b""
    at = number = 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        (into / f"stored-{number}").write_bytes(data[at + 4 : at + 4 + length])
        at, number = at + 4 + length, number + 1


def run_afl(target, folder, seconds):
    """The same with afl-fuzz, which counts executions only."""
    begin = datetime.datetime.now(datetime.timezone.utc)
    inputs, results = folder / "inputs" / target.name, folder / "results" / target.name
    inputs.mkdir(parents=True, exist_ok=True)
    results.parent.mkdir(exist_ok=True)
    unpack(target.name, inputs)
    done = subprocess.run(["afl-fuzz", "-i", inputs, "-o", results, "-V", str(seconds), "-t", "10000", "-m", "none", "--", target],
                          env={**os.environ, **AFL}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)  # fmt: skip
    said = results / "default/fuzzer_stats"
    stats = dict(re.findall(r"^(\w+)\s*: (.*)$", said.read_text(encoding="utf-8"), re.MULTILINE)) if said.exists() else {}
    if done.returncode != 0:
        print(done.stdout[-4000:], file=sys.stderr)
    findings = int(stats.get("saved_crashes", 0)) + int(stats.get("saved_hangs", 0)) + (done.returncode != 0)
    return line_of(begin, "afl", target.name, f"stat::number_of_executed_units: {stats.get('execs_done', 0)}", findings)


def run(target, folder, seconds):
    """Returns the line of the log."""
    corpus = folder / "corpus" / target.name
    if not corpus.exists():
        corpus.mkdir(parents=True)
        unpack(target.name, corpus)
    before = findings_in(corpus.parent, target.name)
    begin = datetime.datetime.now(datetime.timezone.utc)
    done = subprocess.run(
        [target, f"-max_total_time={seconds}", f"-max_len={LONGEST.get(target.name, 4096)}", f"-artifact_prefix={corpus}-",
         *LIMITS, corpus, *seeds_of(target.name)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)  # fmt: skip
    found = findings_in(corpus.parent, target.name) - before
    if done.returncode != 0 and not found:
        found = {f"exit code {done.returncode}"}
    if found:
        print(done.stdout[-4000:], f"{target.name}: {', '.join(sorted(found))}", sep="\n", file=sys.stderr)
    return line_of(begin, "sanitizers", target.name, done.stdout, len(found))


def minimise(target, folder):
    """Returns how many inputs remain."""
    kept = folder / "minimised" / target.name
    kept.mkdir(parents=True, exist_ok=True)
    subprocess.run([target, "-merge=1", "-max_len=4096", "-timeout=10", kept, folder / "corpus" / target.name],
                   capture_output=True, check=False)  # fmt: skip
    return len(list(kept.iterdir()))


def pack(folder, name, most, into):
    """Writes minimised inputs, from short to long so many as fit PACK_BYTES, and all findings to one file for fuzz_replay."""
    inputs = sorted((path.read_bytes() for path in (folder / "minimised" / name).iterdir()), key=lambda data: (len(data), data))
    inputs = inputs[:: max(1, len(inputs) // most)]
    while sum(map(len, inputs)) > PACK_BYTES:
        inputs = inputs[::2]
    inputs += sorted(path.read_bytes() for path in (folder / "corpus").glob(f"{name}-*"))
    data = b"".join(struct.pack("<I", len(data)) + data for data in inputs)
    (into / f"{name}.pack").write_bytes(data)
    return len(inputs), len(data)


def append(log, line):
    is_new = not log.exists()
    with log.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        if is_new:
            writer.writeheader()
        writer.writerow(line)


def totals(logs):
    """[(target, executions, decoded inputs, hours, findings)] and their sum."""
    sums = defaultdict(lambda: [0, 0, 0.0, 0])
    for log in logs:
        with log.open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                for name in (line["target"], "total"):
                    sums[name][0] += int(line["executions"])
                    sums[name][1] += int(line["decoded"])
                    sums[name][2] += float(line["seconds"]) / 3600
                    sums[name][3] += int(line["findings"])
    return [(name, *sums[name]) for name in sorted(sums, key=lambda name: (name == "total", name))]


def runs(targets, folder, arguments):
    """The lines of all runs, as they end: each target once, or the one that is behind again and again."""
    progress = {target: 0 for target in targets}
    end = time.monotonic() + arguments.duration
    waiting = list(targets)
    running = {}
    turn = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        while waiting or running:
            while waiting and len(running) < arguments.jobs:
                target = waiting.pop(0)
                turn += 1
                if arguments.replay:
                    work = (replay, arguments.replay, target, arguments.seconds, turn)
                else:
                    work = (run_afl if arguments.afl else run, target, folder, arguments.seconds)
                running[pool.submit(*work)] = target
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                target, line = running.pop(future), future.result()
                progress[target] += line["decoded"] or line["executions"] * WORTH.get(target.name, 1)
                yield line
            # What runs counts as half as good as what has run, so that no target gets all of the jobs.
            while time.monotonic() + arguments.seconds < end and len(waiting) + len(running) < arguments.jobs:
                busy = [*running.values(), *waiting]
                waiting.append(min(targets, key=lambda target: (progress[target] + 1) * (1 + busy.count(target) / 4)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--for", type=int, default=0, dest="duration")
    parser.add_argument("--minimise", action="store_true")
    parser.add_argument("--pack", type=int)
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--afl", action="store_true")
    parser.add_argument("--totals", action="store_true")
    arguments = parser.parse_intermixed_args()
    folder = arguments.folder.resolve().parent
    log = folder / "executions.csv"
    found = 0
    targets = sorted(path for path in arguments.folder.resolve().glob("*_fuzz") if os.access(path, os.X_OK))
    if arguments.replay:
        arguments.replay = arguments.replay.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        targets = sorted(path.with_suffix("") for path in (ROOT / "tests/fuzz/corpus").glob("*.pack"))
    if not arguments.totals:
        unknown = set(arguments.targets) - {path.name for path in targets}
        if unknown or not targets:
            sys.exit(f"there is no target {', '.join(sorted(unknown)) or 'at all'} in {arguments.folder}")
        targets = [target for target in targets if not arguments.targets or target.name in arguments.targets]
        if arguments.minimise:
            with ThreadPoolExecutor(arguments.jobs) as pool:
                for target, count in zip(targets, pool.map(lambda target: minimise(target, folder), targets)):
                    print(f"{target.name:20} {count:>6,} inputs remain", flush=True)
            return
        if arguments.pack:
            for target in targets:
                print(f"{target.name:20} %d inputs, %d bytes" % pack(folder, target.name, arguments.pack, ROOT / "tests/fuzz/corpus"))
            return
        for line in runs(targets, folder, arguments):
            append(log, line)
            print(f"{line['target']:20} {line['executions']:>12,} executions, {line['decoded']:>12,} decoded inputs in"
                  f" {line['seconds']:>7} s, {line['findings']} findings", flush=True)  # fmt: skip
            found += line["findings"]
    for name, executions, decoded, hours, findings in totals(sorted(folder.parent.glob("*/executions.csv"))):
        print(f"{name:20} {executions:>14,} executions, {decoded:>14,} decoded inputs in all, {hours:8.2f} h, {findings} findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
