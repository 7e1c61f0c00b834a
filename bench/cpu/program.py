#!/usr/bin/env python3
"""How long does the program take for a file in the page cache, beside `cp` and `cat` of the same file on the same file system?

Usage: program.py [--program PROGRAM[,PROGRAM]] [--folder FOLDER] [--gib N] [--runs N] [--threads N] [--page FILE.md] --codec CODEC ARRAY

ARRAY is a raw file with a name such as x_f32_721x1440.bin; its content is repeated to N GiB. All programs take turns, so that what changes
on the machine changes for all. Before each run memory is touched and given back: in a virtual machine memory that was free for some
seconds may belong to the host, and then the first one to use it pays for the way back. Keep the machine quiet meanwhile.
"""

import argparse
import filecmp
import mmap
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import replace_block, table  # noqa: E402


def repeated(array: Path, target: Path, byte_count: int) -> None:
    content = array.read_bytes()
    with target.open("wb") as file:
        for at in range(0, byte_count, len(content)):
            file.write(content[: byte_count - at])


def touch_free_memory(byte_count: int) -> None:
    """In a process of its own, whose end gives everything back."""
    child = os.fork()
    if child == 0:
        memory = mmap.mmap(-1, byte_count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, byte_count, mmap.PAGESIZE):
            memory[at] = 1
        os._exit(0)
    os.waitpid(child, 0)


def seconds(command: list[str], target: Path, byte_count: int) -> tuple[float, float]:
    """Elapsed, and of the processors. The file that it writes is new."""
    target.unlink(missing_ok=True)
    touch_free_memory(2 * byte_count)
    before, begin = os.times(), time.perf_counter()
    subprocess.run(command, check=True)
    elapsed, after = time.perf_counter() - begin, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return elapsed, used


def measure(arguments: argparse.Namespace, folder: Path) -> tuple[dict[str, list[tuple[float, float]]], str]:
    source, copy, packed, back = (folder / name for name in (f"source{arguments.array.suffix}", "copy", "packed.floe", "back"))
    byte_count = round(arguments.gib * 2**27) * 8
    repeated(arguments.array, source, byte_count)
    dtype = arguments.array.stem.split("_")[-2]
    found: dict[str, list[tuple[float, float]]] = {}
    for run in range(arguments.runs + 1):  # the first one warms up
        def note(what: str, command: list[str], target: Path) -> None:
            taken = seconds(command, target, byte_count)
            if run > 0:
                found.setdefault(what, []).append(taken)

        note("cp", ["cp", str(source), str(copy)], copy)
        note("cat", ["sh", "-c", 'cat "$0" > "$1"', str(source), str(copy)], copy)
        copy.unlink()
        for program in arguments.program:
            name = f"{program} " if len(arguments.program) > 1 else ""
            options = ["-q", "-k", "--threads", str(arguments.threads)]
            note(f"{name}compress", [program, *options, "--dtype", dtype, "--codec", arguments.codec, "-o", str(packed), str(source)], packed)
            note(f"{name}decompress", [program, "-d", *options, "-o", str(back), str(packed)], back)
            if not filecmp.cmp(source, back, shallow=False):
                sys.exit("the file did not come back")
            ratio = byte_count / packed.stat().st_size
            packed.unlink()
            back.unlink()
    file_system = subprocess.run(["df", "--output=fstype", folder], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]
    what = f"`{arguments.array.name}` repeated to {arguments.gib:g} GiB, `{arguments.codec}`, ratio {ratio:.2f}, {arguments.threads or 'all'} threads, "
    return found, what + f"{file_system}, medians of {arguments.runs}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=lambda text: text.split(","), default=["build/release/floe"], help="the program floe, or several")
    parser.add_argument("--folder", help="where the files are written (default: where temporary files are)")
    parser.add_argument("--gib", type=float, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="default 0: all")
    parser.add_argument("--codec", required=True)
    parser.add_argument("--page", type=Path, help="write the table into this page")
    parser.add_argument("array", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        found, what = measure(arguments, Path(folder))
    cp = statistics.median(elapsed for elapsed, _ in found["cp"])
    lines = []
    for name, taken in found.items():
        elapsed, used = [run[0] for run in taken], statistics.median(run[1] for run in taken)
        median = statistics.median(elapsed)
        lines.append([name, f"{median:.3f}", f"{min(elapsed):.3f}–{max(elapsed):.3f}", f"{median / cp:.2f}", f"{used:.2f}"])
    text = f"{what}:\n\n" + table(["", "s", "range", "of cp", "s of processors"], lines)
    print(text)
    if arguments.page:
        replace_block(arguments.page, "program", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
