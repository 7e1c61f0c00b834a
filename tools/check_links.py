#!/usr/bin/env python3
"""Do the links between the Markdown pages resolve? Files and headings are checked, addresses on the network are not.

Usage: check_links.py [REPOSITORY]. Prints one line per broken link; exits 1 if there is one.
"""

import os
import re
import sys
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)[^)]*\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
SKIPPED = {".git", "build"}  # which has environments of Python, with many thousands of files


def anchors(text: str) -> set[str]:
    """The names that a page's headings get: lower case, spaces as hyphens, punctuation dropped."""
    headings = re.findall(r"^#+\s+(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def pages(root: Path) -> list[Path]:
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = set(folders) - SKIPPED
        found += [Path(folder) / file for file in files if file.endswith(".md")]
    return sorted(found)


def broken_links(root: Path) -> list[str]:
    findings = []
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        for match in LINK.finditer(CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)):
            target, _, anchor = match[1].partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            file = page.parent / target if target else page
            where = f"{page.relative_to(root).as_posix()}:{text.count(chr(10), 0, match.start()) + 1}"
            if not file.exists():
                findings.append(f"{where}: there is no {target}")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                findings.append(f"{where}: {target or page.name} has no heading #{anchor}")
    return findings


def main() -> int:
    findings = broken_links(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
