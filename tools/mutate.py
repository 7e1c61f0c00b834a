#!/usr/bin/env python3
"""Do the tests notice when the code is wrong? Changes one operator or number at a time, and runs tests on each mutant.

Usage: mutate.py BUILD [--test PROGRAM[:FILTER]]... [--mutants N] [--jobs N] [--seed N] FILE...

BUILD is a folder that CMake and Ninja have built without precompiled headers. A mutant is compiled to an object that is linked
before the libraries, so that it takes the place of the one there. It is killed if it does not link, if a test fails, or if tests
take ten times as long. Prints the mutants that survive, and how many were killed; those that the compiler refuses do not count.
"""
import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "), (" && ", " || "),
         (" || ", " && "), (" + ", " - "), (" - ", " + "), (" * ", " + "), (" % ", " / "), (" & ", " | "), (" | ", " & "),
         (" << ", " >> "), (" >> ", " << "), (" += ", " -= "), ("if (!", "if ("), ("return true", "return false"),
         ("return false", "return true"), ("++", "--"), ("--", "++")]  # fmt: skip
NUMBER = re.compile(r"(?<![\w.{'x])(\d+)(?![\w.'])")
SKIPPED = re.compile(r"^\s*(//|#|static_assert|assert|template|using )|\boperator\b")


def mutants_of(text):
    """[(line, column, what stands there, what shall)]"""
    found = []
    for number, line in enumerate(text.splitlines()):
        if SKIPPED.search(line):
            continue
        code = re.sub(r'"(\\.|[^"\\])*"', lambda match: " " * len(match.group()), line.split("//")[0])
        for old, new in SWAPS:
            at = code.find(old)
            while at >= 0:
                found.append((number, at, old, new))
                at = code.find(old, at + 1)
        for match in NUMBER.finditer(code):
            found.append((number, match.start(), match.group(), str(int(match.group()) + 1)))
    return found


def mutated(text, mutant):
    number, at, old, new = mutant
    lines = text.splitlines(keepends=True)
    lines[number] = lines[number][:at] + new + lines[number][at + len(old) :]
    return "".join(lines)


class Build:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        commands = json.loads((self.folder / "compile_commands.json").read_text(encoding="utf-8"))
        self.compile = {Path(entry["file"]).resolve(): shlex.split(entry["command"]) for entry in commands}

    def compile_command(self, source, mutant, target):
        command = list(self.compile[source.resolve()])
        if "ccache" in command[0]:
            command = command[1:]
        command[command.index("-o") + 1] = str(target)
        return [str(mutant) if word == str(source.resolve()) else word for word in command] + [f"-I{source.resolve().parent}"]

    def link_command(self, program):
        text = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "-s", program], capture_output=True, text=True, check=True).stdout
        line = text.strip().splitlines()[-1]
        return shlex.split(line.split("&&")[1])


def tests_hold(build, links, target, folder, limits):
    for (program, test_filter), command in links.items():
        command = list(command)
        output = folder / Path(program).name
        at = command.index("-o")
        command[at + 1] = str(output)
        command.insert(at + 2, str(target))
        if subprocess.run(command, cwd=build.folder, capture_output=True, check=False).returncode:
            return False
        try:
            done = subprocess.run([output, *test_filter], cwd=build.folder.parent.parent, capture_output=True, check=False,
                                  timeout=limits.get(program, 600))  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        if done.returncode:
            return False
    return True


def judge(build, links, limits, source, text, mutant):
    """None if the compiler refuses the mutant, else whether it is killed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        changed, target = folder / source.name, folder / "mutant.o"
        changed.write_text(mutated(text, mutant), encoding="utf-8")
        command = build.compile_command(source, changed, target)
        if subprocess.run(command, cwd=build.folder, capture_output=True, check=False).returncode:
            return None
        return not tests_hold(build, links, target, folder, limits)


def unchanged_holds(build, links, limits):
    for (program, test_filter), command in links.items():
        begin = time.monotonic()
        done = subprocess.run([build.folder / command[command.index("-o") + 1], *test_filter], cwd=build.folder.parent.parent,
                              capture_output=True, check=False)  # fmt: skip
        if done.returncode:
            sys.exit(f"{program} fails without a mutation")
        limits[program] = 10 * (time.monotonic() - begin) + 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--test", action="append")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_intermixed_args()
    build = Build(arguments.build)
    links, limits = {}, {}
    for test in arguments.test or ["tests/container_tests"]:
        program, _, test_filter = test.partition(":")
        options = ("--gtest_brief=1", "--gtest_fail_fast") + ((f"--gtest_filter={test_filter}",) if test_filter else ())
        links[program, options] = build.link_command(program)
    unchanged_holds(build, links, limits)
    sources = [source for source in arguments.files if source.resolve() in build.compile]
    texts = {source: source.read_text(encoding="utf-8") for source in sources}
    all_mutants = [(source, mutant) for source, text in texts.items() for mutant in mutants_of(text)]
    chosen = random.Random(arguments.seed).sample(all_mutants, min(arguments.mutants, len(all_mutants)))
    killed = survived = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda one: judge(build, links, limits, one[0], texts[one[0]], one[1]), chosen)
        for (source, (number, _, old, new)), is_killed in zip(chosen, results):
            killed += is_killed is True
            survived += is_killed is False
            if is_killed is False:
                line = texts[source].splitlines()[number].strip()
                print(f"{source}:{number + 1}: '{old.strip()}' became '{new.strip()}': {line}", flush=True)
    print(f"{killed} of {killed + survived} mutants were killed ({len(all_mutants)} are possible; {len(chosen) - killed - survived} did not compile)")


if __name__ == "__main__":
    main()
