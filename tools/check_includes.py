#!/usr/bin/env python3
"""Who may include whom? Holds every #include of src/, apps/ and include/ against the table below.

Usage: check_includes.py [REPOSITORY]. Prints one line per forbidden include; exits 1 if there is one.
The table is explained in docs/architecture.md. Tests (*_test.cpp) may include everything.
"""

import re
import sys
from pathlib import Path

# What a module may include besides itself and the standard library. "floe" stands for the public headers.
ALLOWED = {
    "src/core": set(),
    "src/stages": {"core"},
    "src/codecs": {"stages", "core"},
    "src/backend/reference": {"codecs", "stages", "core"},
    "src/backend/cpu": {"codecs", "stages", "core"},
    "src/backend/cuda": {"codecs", "stages", "core"},
    "src/registry": {"codecs", "stages", "backend/reference", "backend/cpu", "core"},
    "src/format": {"core", "floe"},
    "src/c_abi": {"floe"},
    "src/api": {"c_abi", "registry", "format", "core", "floe"},
    "src/offload": {"api", "registry", "format", "core", "floe"},
    "src/published": {"registry", "core", "floe"},
    "src/series": {"registry", "backend/cpu", "stages", "core", "floe"},
    "src/cuda": {"backend/cuda", "c_abi", "format", "core", "floe"},
    "src/series_cuda": {"series", "cuda", "backend/cuda", "stages", "core", "floe"},
    "src/gpu": {"offload", "cuda", "api", "format", "core", "floe"},
    "src/nccl": {"gpu", "api", "format", "core", "floe"},
    "src/tables": {"series", "api", "format", "core", "floe"},
    "apps/cli": {"floe"},
    "include/floe": set(),
}
# Outside the standard library: only the program uses packages; CUB comes with nvcc.
PACKAGES = {"apps/cli": ("CLI/", "fmt/", "nlohmann/"), "src/cuda": ("cub/",)}

SUFFIXES = {".hpp", ".h", ".cpp", ".c", ".inl", ".cu", ".cuh", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def module_of(path: Path, root: Path) -> str | None:
    """The row of the table that a file belongs to: the longest one that its path starts with."""
    relative = path.relative_to(root).as_posix()
    rows = [row for row in ALLOWED if relative.startswith(row + "/")]
    return max(rows, key=len, default=None)


def is_allowed(module: str, bracket: str, target: str) -> bool:
    name = module.removeprefix("src/").removeprefix("include/")
    if bracket == "<":
        # Headers of the standard library and of the compiler lie in no folder.
        is_system = "/" not in target or target.startswith(("sys/", "cuda/std/"))
        return is_system or target.startswith(PACKAGES.get(module, ()))
    if "/" not in target:
        return module.startswith("apps/")  # a program's own files lie beside each other
    if target.startswith(name + "/"):
        return ".." not in target
    return any(target.startswith(row + "/") for row in ALLOWED[module]) and ".." not in target


def forbidden_includes(root: Path) -> list[str]:
    findings = []
    for top in ("src", "apps", "include"):
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
