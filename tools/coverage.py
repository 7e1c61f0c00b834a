#!/usr/bin/env python3
"""Which lines and branches of the library do the tests run?

Usage: coverage.py COUNTS PROGRAM... [--missing] [--at-least LINES BRANCHES] [--without WORD]. The PROGRAMs have code that clang
compiled to count; COUNTS is the folder with what they counted when they ran. Prints a line for each folder of the library, in percent of lines and of branches: each condition has two, one where it holds and one where it does not.
Conditions that the compiler knows do not count, nor do lines of tests, of comments or of brackets alone. --missing adds the lines
that no test has run, and behind "branches" those with a condition that always went the same way. --at-least fails if all together
have fewer percent. --without leaves out sources with that word in their paths, as avx512 where a machine has none.
"""
import argparse
import bisect
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src/", "include/floe/")
NO_CODE = re.compile(r"\s*(//.*|[{}()\[\];,]*)\s*$")  # of a line: nothing to run


def export(counts, programs):
    """What llvm-cov says about the sources of all programs, counts of all runs added up."""
    counted = sorted(counts.glob("*.profraw"))
    if not counted:
        sys.exit(f"nothing was counted in {counts}")
    data = counts / "all.profdata"
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", data, *counted], check=True)
    objects = [word for program in programs[1:] for word in ("-object", program)]
    command = ["llvm-cov", "export", "-skip-expansions", "-skip-functions", "-instr-profile", data, programs[0], *objects]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["data"][0]["files"]


class Counts:
    """Of one source: templates and headers are compiled many times, and count as run if one of them was."""

    def __init__(self, file, text):
        self.segments = [tuple(segment) for segment in file["segments"]]
        self.lines = dict(self.count_lines(text))
        self.branches = defaultdict(int)
        for first, column, last, end, taken, not_taken, *_ in file["branches"]:
            self.branches[first, column, last, end, True] += taken
            self.branches[first, column, last, end, False] += not_taken
        known = {key[:4] for key in self.branches if not self.branches[key[:4] + (True,)] + self.branches[key[:4] + (False,)]
                 and self.count_at(key[0], key[1])}
        for place in known:  # what was run, and neither held nor did not hold, the compiler knew
            del self.branches[place + (True,)], self.branches[place + (False,)]

    def count_at(self, line, column):
        index = bisect.bisect_right(self.segments, (line, column, sys.maxsize)) - 1
        return self.segments[index][2] if index >= 0 and self.segments[index][3] else 0

    def count_lines(self, text):
        """Each line that something can run of, as llvm-cov tells it: by what began before it and what begins on it."""
        begins = defaultdict(list)
        for segment in self.segments:
            begins[segment[0]].append(segment)
        before = None
        for number, line in enumerate(text, 1):
            here = begins.get(number, [])
            entries = [count for _, _, count, has_count, is_entry, is_gap in here if has_count and is_entry and not is_gap]
            is_skipped = here and not here[0][3] and here[0][4]
            if not is_skipped and (entries or (before and before[3])) and not NO_CODE.match(line):
                yield number, max(entries + [before[2]] if before and before[3] else entries)
            if here:
                before = here[-1]


def collect(files, left_out):
    counts = {}
    for file in files:
        source = Path(file["filename"]).resolve()
        if not source.is_relative_to(ROOT):
            continue
        name = source.relative_to(ROOT).as_posix()
        if not name.startswith(FOLDERS) or "_test." in name or (left_out and left_out in name):
            continue
        counts[name] = Counts(file, source.read_text().splitlines())
    return counts


def percent(values):
    values = list(values)
    return 100 * sum(value > 0 for value in values) / len(values) if values else 100


def print_row(name, files):
    """Gives the percentages, too."""
    lines = [count for file in files for count in file.lines.values()]
    branches = [count for file in files for count in file.branches.values()]
    print(f"{name:28} {len(lines):>7} lines {percent(lines):6.1f} %   {len(branches):>7} branches {percent(branches):6.1f} %")
    return percent(lines), percent(branches)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", type=Path)
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--at-least", nargs=2, type=float, metavar=("LINES", "BRANCHES"), default=[0, 0])
    parser.add_argument("--without", metavar="WORD")
    arguments = parser.parse_intermixed_args()
    if arguments.without:
        print(f"Sources with {arguments.without} in their paths do not count.")
    counts = collect(export(arguments.counts, arguments.programs), arguments.without)
    by_folder = defaultdict(list)
    for name, file in counts.items():
        by_folder["/".join(name.split("/")[:2])].append(file)
    for folder, files in sorted(by_folder.items()):
        print_row(folder, files)
    lines, branches = print_row("all", counts.values())
    if arguments.missing:
        for name, file in sorted(counts.items()):
            missing = sorted(number for number, count in file.lines.items() if count == 0)
            one_way = sorted({key[0] for key, count in file.branches.items() if count == 0} - set(missing))
            if missing or one_way:
                print(f"{name}: {' '.join(map(str, missing))} branches {' '.join(map(str, one_way))}")
    if lines < arguments.at_least[0] or branches < arguments.at_least[1]:
        sys.exit("wanted are {:g} % of lines and {:g} % of branches".format(*arguments.at_least))


if __name__ == "__main__":
    main()
