#!/usr/bin/env python3
"""Which lines and branches of the library do the tests run?

Usage: coverage.py BUILD [--missing] [--at-least LINES BRANCHES] [--without WORD] [FOLDER...]. BUILD is a folder whose sources, or some of them, were
compiled to count, and whose tests have run; FOLDERs of the sources are src and include/floe by default. Prints a line for each
folder, in percent of lines and of branches; branches that an exception takes do not count, nor do lines of tests. --missing adds
the lines that no test has run, and behind "branches" the lines that always went the same way. --at-least fails if all together
have fewer percent. --without leaves out sources with that word in their paths, as avx512 where a machine has none.
"""
import argparse
import json
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def reports_of(data):
    """What gcov says about one object."""
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", data], cwd=data.parent, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line]


class Counts:
    """Of one source: templates and headers are compiled many times, and count as run if one of them was."""

    def __init__(self):
        self.lines = defaultdict(int)
        self.branches = defaultdict(int)

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        for index, branch in enumerate(branch for branch in line["branches"] if not branch["throw"]):
            self.branches[number, index] += branch["count"]


def collect(build, folders, left_out):
    counts = defaultdict(Counts)
    with ThreadPoolExecutor() as pool:
        for reports in pool.map(reports_of, sorted(build.rglob("*.gcda"))):
            for report in reports:
                for file in report["files"]:
                    source = Path(report["current_working_directory"], file["file"]).resolve()
                    if not source.is_relative_to(ROOT):
                        continue
                    name = source.relative_to(ROOT).as_posix()
                    if not name.startswith(tuple(f"{folder}/" for folder in folders)) or "_test." in name:
                        continue
                    if left_out and left_out in name:
                        continue
                    for line in file["lines"]:
                        counts[name].add(line)
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
    parser.add_argument("build", type=Path)
    parser.add_argument("folders", nargs="*", default=["src", "include/floe"])
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--at-least", nargs=2, type=float, metavar=("LINES", "BRANCHES"), default=[0, 0])
    parser.add_argument("--without", metavar="WORD")
    arguments = parser.parse_intermixed_args()
    if arguments.without:
        print(f"Sources with {arguments.without} in their paths do not count.")
    counts = collect(arguments.build.resolve(), arguments.folders, arguments.without)
    by_folder = defaultdict(list)
    for name, file in counts.items():
        by_folder["/".join(name.split("/")[:2])].append(file)
    for folder, files in sorted(by_folder.items()):
        print_row(folder, files)
    lines, branches = print_row("all", counts.values())
    if arguments.missing:
        for name, file in sorted(counts.items()):
            missing = sorted(number for number, count in file.lines.items() if count == 0)
            one_way = sorted({number for (number, _), count in file.branches.items() if count == 0} - set(missing))
            if missing or one_way:
                print(f"{name}: {' '.join(map(str, missing))} branches {' '.join(map(str, one_way))}")
    if not counts:
        sys.exit(f"nothing was counted in {arguments.build}")
    if lines < arguments.at_least[0] or branches < arguments.at_least[1]:
        sys.exit("wanted are {:g} % of lines and {:g} % of branches".format(*arguments.at_least))


if __name__ == "__main__":
    main()
