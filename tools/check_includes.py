#!/usr/bin/env python3
"""Who may include whom? Holds every #include of src/, research/, apps/ and include/ against the table below.

Usage: check_includes.py [REPOSITORY]. Prints one line per forbidden include, and per entry of the table that nothing
needs any more; exits 1 if there is one. The floors of src/ stand in the order of the table: a floor includes only
floors above it in the table. docs/architecture.md explains them. Tests (*_test.cpp) may include everything.
"""

import re
import sys
from pathlib import Path

# What a module may include besides itself and the standard library. "floe" stands for the public headers.
ALLOWED = {
    "src/core": {"floe"},
    "src/chunks/stages": {"core"},
    "src/chunks/codecs": {"chunks/stages"},
    "src/chunks/cpu": {"chunks/codecs", "chunks/stages", "core"},
    "src/chunks/registry": {"chunks", "core"},
    "src/chunks": {"core", "floe"},
    "src/simd": {"chunks/cpu", "core"},
    "src/encodings": {"chunks", "simd", "core"},
    "src/tree": {"encodings", "chunks", "core", "floe"},
    "src/plan": {"tree", "encodings", "simd", "chunks", "core"},
    "src/container": {"simd", "core", "floe"},
    "src/rows": {"container", "core", "floe"},
    "src/pipeline": {"rows", "container", "plan", "tree", "chunks", "core", "floe"},
    "src/recovery": {"pipeline", "container", "tree", "chunks", "core", "floe"},
    "src/api/c": {"core", "floe"},
    "src/api": {"recovery", "pipeline", "rows", "container", "chunks", "core", "floe"},
    "src/gpu/warp": {"core"},
    "src/gpu": {"pipeline", "plan", "tree", "encodings", "container", "chunks", "api/c", "core", "floe"},
    "research": {"plan", "tree", "encodings", "rows", "chunks", "core", "floe"},
    "apps/cli/base": {"floe"},
    "apps/cli/arguments": {"base", "floe"},
    "apps/cli/input": {"arguments", "base", "floe"},
    "apps/cli/output": {"arguments", "input", "base", "floe"},
    "apps/cli/frames": {"arguments", "input", "base", "research", "floe"},
    "apps/cli/report": {"base", "floe"},
    "apps/cli/tensors": {"frames", "report", "arguments", "input", "base", "floe"},
    "apps/cli/bench": {"frames", "arguments", "input", "base", "floe"},
    "apps/cli": {"commands", "tensors", "bench", "report", "frames", "output", "input", "arguments", "base", "research", "floe", "integrations/hdf5"},
    "include/floe": set(),
}
# Outside the standard library: only the program uses packages; CUB comes with nvcc.
PACKAGES = {"apps/cli": ("CLI/", "fmt/", "rapidjson/"), "src/gpu": ("cub/",)}

SUFFIXES = {".hpp", ".h", ".cpp", ".c", ".inl", ".cu", ".cuh", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def module_of(path: Path, root: Path) -> str | None:
    """The row of the table that a file belongs to: the longest one that its path starts with."""
    relative = path.relative_to(root).as_posix()
    rows = [row for row in ALLOWED if relative.startswith(row + "/")]
    return max(rows, key=len, default=None)


def name_of(module: str) -> str:
    return module.removeprefix("src/").removeprefix("include/").removeprefix("apps/cli/")


def is_system(module: str, target: str) -> bool:
    """Headers of the standard library and of the compiler lie in no folder."""
    packages = [names for top, names in PACKAGES.items() if (module + "/").startswith(top + "/")]
    return "/" not in target or target.startswith(("sys/", "cuda/std/")) or any(target.startswith(names) for names in packages)


def entry_for(module: str, target: str) -> str | None:
    """The entry of the table that allows the include: the longest one, the module itself last; none if it is forbidden."""
    if "/" not in target or ".." in target:
        return None
    entries = [entry for entry in ALLOWED[module] if target.startswith(entry + "/")]
    if target.startswith(name_of(module) + "/") and not any(len(entry) > len(name_of(module)) for entry in entries):
        return name_of(module)
    return max(entries, key=len, default=None)


def forbidden_includes(root: Path, used: set[tuple[str, str]] | None = None) -> list[str]:
    """Also adds to `used` which entries of which rows were needed."""
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
                if not match or (match[1] == "<" and is_system(module, match[2])):
                    continue
                entry = entry_for(module, match[2]) if match[1] == '"' else None
                if entry is None:
                    findings.append(f"{where}:{number}: {module} may not include {match[2]}")
                elif used is not None:
                    used.add((module, entry))
    return findings


def unused_entries(used: set[tuple[str, str]]) -> list[str]:
    return [
        f"tools/check_includes.py: {module} no longer needs {entry}"
        for module, entries in ALLOWED.items()
        for entry in sorted(entries)
        if (module, entry) not in used
    ]


def upward_entries() -> list[str]:
    """Entries of floors of src/ that name a floor further down in the table. Floors are folders of src/, not what lies in them."""
    floors = [name_of(row) for row in ALLOWED if row.startswith("src/") and row.count("/") == 1]
    return [
        f"tools/check_includes.py: {floor} may not stand below {entry} and be included by it"
        for number, floor in enumerate(floors)
        for entry in sorted(ALLOWED["src/" + floor])
        if entry in floors[number + 1 :]
    ]


def main() -> int:
    used: set[tuple[str, str]] = set()
    findings = forbidden_includes(Path(sys.argv[1] if len(sys.argv) > 1 else "."), used)
    findings += unused_entries(used) + upward_entries()
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
