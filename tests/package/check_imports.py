#!/usr/bin/env python3
"""Does a binary import nothing that opens connections, makes files with names that can be guessed, or runs programs?

Usage: check_imports.py BINARY [--allow NAME]...
"""
import argparse
import re
import subprocess
import sys

CONNECTIONS = "socket|connect|bind|listen|accept4?|getaddrinfo|gethostby.*"
PROGRAMS = "system|popen|fork|vfork|posix_spawnp?|exec[lv]p?e?|execvpe|fexecve"
GUESSED_NAMES = "tmpnam(_r)?|tempnam|mktemp|tmpfile(64)?"


def imported(binary):
    """Names without the versions of the C library."""
    lines = subprocess.run(["nm", "-D", "--undefined-only", binary], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--allow", action="append", default=[])
    arguments = parser.parse_args()
    refused = re.compile("|".join([CONNECTIONS, PROGRAMS, GUESSED_NAMES]))
    names = imported(arguments.binary)
    found = sorted(name for name in names if refused.fullmatch(name) and name not in arguments.allow)
    if found:
        print(f"{arguments.binary} imports {', '.join(found)}")
    elif not names:
        print(f"nm finds no imports of {arguments.binary}")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main())
