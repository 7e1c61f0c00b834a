"""On which machine and with which program was measured? What a reader needs to judge the numbers, without names of hosts or folders."""

import os
import platform
import re
import subprocess
import time
from pathlib import Path


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"LC_ALL": "C"}).stdout.strip()


def processor() -> dict[str, str]:
    fields = dict(re.findall(r"^(.+?):\s+(.*)$", output_of("lscpu"), re.MULTILINE))
    names = {"model": "Model name", "cores": "CPU(s)", "l1d": "L1d cache", "l2": "L2 cache", "l3": "L3 cache", "hypervisor": "Hypervisor vendor"}
    widest = next((isa for isa in ("avx512f", "avx2", "sse2") if isa in fields.get("Flags", "").split()), "")
    return {name: fields[field] for name, field in names.items() if field in fields} | {"simd": widest}


def build(program: str) -> dict[str, str]:
    """The compiler and its options, from CMake's cache beside the program."""
    cache = Path(program).resolve().parent / "CMakeCache.txt"
    values = dict(re.findall(r"^([A-Z_]+):\w+=(.*)$", cache.read_text(encoding="utf-8"), re.MULTILINE)) if cache.exists() else {}
    compiler = values.get("CMAKE_CXX_COMPILER")
    if not compiler:
        return {"compiler": "unknown", "options": "unknown"}
    options = f"{values.get('CMAKE_CXX_FLAGS', '')} {values.get('CMAKE_CXX_FLAGS_RELEASE', '')}".strip()
    return {"compiler": f"{Path(compiler).name} {output_of(compiler, '-dumpfullversion', '-dumpversion')}", "options": options}


def commit() -> str:
    changed = output_of("git", "status", "--porcelain", "--untracked-files=no", "--", "src", "include", "apps", "cmake")
    return output_of("git", "rev-parse", "--short=10", "HEAD") + (" with changes" if changed else "")


def memory_gib() -> float:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)


def system() -> str:
    names = dict(re.findall(r'^(\w+)="?(.*?)"?$', Path("/etc/os-release").read_text(encoding="utf-8"), re.MULTILINE))
    return f"{names.get('PRETTY_NAME', 'Linux')}, Linux {platform.release().split('-')[0]}"


def conditions(program: str) -> dict:
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": processor(),
        "memory_gib": memory_gib(),
        "system": system(),
        "python": platform.python_version(),
        "floe": {"commit": commit(), **build(program)},
        "load_before": os.getloadavg()[0],
    }
