#!/usr/bin/env python3
"""Who may include whom? Holds every #include of src/, research/, apps/ and include/ against the table below.

Usage: check_includes.py [REPOSITORY]. Prints one line per forbidden include; exits 1 if there is one.
The table is explained in docs/architecture.md. Tests (*_test.cpp) may include everything.
"""

import re
import sys
from pathlib import Path

# What a module may include besides itself and the standard library. "floe" stands for the public headers.
ALLOWED = {
    "src/core": {"floe"},
    "src/simd": {"chunks/cpu", "core"},
    "src/chunks/stages": {"core"},
    "src/chunks/codecs": {"chunks/stages", "core"},
    "src/chunks/reference": {"chunks/codecs", "chunks/stages", "core"},
    "src/chunks/cpu": {"chunks/codecs", "chunks/stages", "core"},
    "src/chunks/registry": {"chunks", "core"},
    "src/chunks": {"container", "core"},
    "src/encodings": {"chunks", "simd", "core"},
    "src/tree": {"encodings", "core", "floe"},
    "src/plan": {"tree", "encodings", "simd", "chunks", "core"},
    "src/container": {"rows", "chunks", "core", "floe"},
    "src/pipeline": {"plan", "tree", "encodings", "rows", "container", "core", "floe"},
    "src/rows": {"pipeline", "container", "core", "floe"},
    "src/published": {"chunks", "core", "floe"},
    "src/api/c": {"floe"},
    "src/api": {"pipeline", "rows", "container", "chunks", "core", "floe"},
    "src/gpu/warp": {"gpu", "core"},
    "src/gpu": {"pipeline", "plan", "tree", "encodings", "simd", "container", "chunks", "api/c", "core", "floe"},
    "research": {"plan", "tree", "encodings", "rows", "chunks", "container", "core", "floe"},
    "apps/cli/base": {"floe"},
    "apps/cli/arguments": {"base", "floe"},
    "apps/cli/input": {"arguments", "base", "floe"},
    "apps/cli/output": {"arguments", "input", "base", "floe"},
    "apps/cli/frames": {"arguments", "input", "base", "research", "floe"},
    "apps/cli/report": {"base", "floe"},
    "apps/cli/bench": {"frames", "arguments", "input", "base", "floe"},
    "apps/cli": {"commands", "bench", "report", "frames", "output", "input", "arguments", "base", "research", "floe"},
    "include/floe": set(),
}
# Outside the standard library: only the program uses packages; CUB comes with nvcc.
PACKAGES = {"apps/cli": ("CLI/", "fmt/"), "src/gpu": ("cub/",)}

SUFFIXES = {".hpp", ".h", ".cpp", ".c", ".inl", ".cu", ".cuh", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def module_of(path: Path, root: Path) -> str | None:
    """The row of the table that a file belongs to: the longest one that its path starts with."""
    relative = path.relative_to(root).as_posix()
    rows = [row for row in ALLOWED if relative.startswith(row + "/")]
    return max(rows, key=len, default=None)


def is_allowed(module: str, bracket: str, target: str) -> bool:
    name = module.removeprefix("src/").removeprefix("include/").removeprefix("apps/cli/")
    if bracket == "<":
        # Headers of the standard library and of the compiler lie in no folder.
        is_system = "/" not in target or target.startswith(("sys/", "cuda/std/"))
        packages = [names for top, names in PACKAGES.items() if (module + "/").startswith(top + "/")]
        return is_system or any(target.startswith(names) for names in packages)
    if "/" not in target:
        return False
    if target.startswith(name + "/"):
        return ".." not in target
    return any(target.startswith(row + "/") for row in ALLOWED[module]) and ".." not in target


def forbidden_includes(root: Path) -> list[str]:
    findings = []
    for top in ("src", "research", "apps", "include"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SUFFIXES or path.stem.endswith("_test"):
                continue
            where = path.relative_to(root).as_posix()
            module = module_of(path, root)
            if module is None:
                findings.append(f"{where}: this folder is in no row of the table of tools/check_includes.py")
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if match and not is_allowed(module, match[1], match[2]):
                    findings.append(f"{where}:{number}: {module} may not include {match[2]}")
    return findings


def main() -> int:
    findings = forbidden_includes(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
