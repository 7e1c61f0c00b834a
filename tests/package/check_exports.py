#!/usr/bin/env python3
"""Does a shared library show the functions of its headers, with the types that they had, and nothing else?

Usage: check_exports.py LIBRARY LIST [--update]. LIST has a line for each function of the ABI, C names first. A function that is
missing or has other arguments breaks programs that were linked before: after a release that needs a new version of the
shared library. --update writes the list.
"""
import subprocess
import sys
from pathlib import Path



def exported(library):
    """Functions and data that are defined there; instances of templates, which every program has itself, are weak."""
    lines = subprocess.run(["nm", "-D", "--defined-only", "--demangle", library], capture_output=True, text=True, check=True).stdout.splitlines()
    symbols = [line.split(" ", 2)[1:] for line in lines]
    return sorted({name for kind, name in symbols if kind in "TDBR"}, key=lambda name: ("::" in name, name))


def foreign(names):
    """Names that belong to no header: of inner namespaces, or of no namespace of floe."""
    return [name for name in names if not name.startswith("floe_") and not name.startswith("floe::")]


def main():
    library, path = sys.argv[1], Path(sys.argv[2])
    names = exported(library)
    if "--update" in sys.argv[3:]:
        path.write_text("".join(name + "\n" for name in names), encoding="utf-8")
        return 0
    expected = path.read_text(encoding="utf-8").splitlines()
    problems = [f"is gone: {name}" for name in expected if name not in names]
    problems += [f"is not in the list: {name}" for name in names if name not in expected]
    problems += [f"belongs to no header: {name}" for name in foreign(names)]
    if problems:
        print(*problems, f"{path} is written by: {' '.join(sys.argv[:3])} --update", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
