"""``python -m floe``: .npy, .npz, CSV, Parquet, Arrow and safetensors files to .floe and back; what is in them; doctor.

The program `floe`, which is built by ``./dev build``, does this and more without Python.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import zlib
from pathlib import Path

import numpy as np

import floe
import floe.safetensors


def _source(path: Path) -> object:
    """An array of an .npy file, a table of an .npz, Parquet or Arrow file, or bytes. Raises CorruptError."""
    try:
        return _load(path)
    except (OSError, ImportError):
        raise
    except Exception as problem:  # NumPy, zipfile, zlib and PyArrow have errors of many kinds
        raise floe.CorruptError("corrupt_frame", 0, f"this is no {path.suffix} file: {problem}") from problem


def _load(path: Path) -> object:
    if path.suffix == ".npy":
        return np.load(path, mmap_mode="r", allow_pickle=False)
    if path.suffix == ".npz":
        return dict(np.load(path, allow_pickle=False))
    if path.suffix == ".parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path)
    if path.suffix in (".arrow", ".feather"):
        import pyarrow.feather

        return pyarrow.feather.read_table(path)
    return np.fromfile(path, np.uint8)


def _is_text(path: Path) -> bool:
    """Whether it is CSV text, by its name without .gz."""
    return (path.with_suffix("") if path.suffix == ".gz" else path).suffix in (".csv", ".tsv")


def _is_weights(path: Path) -> bool:
    """Whether it is a file of `floe.safetensors`, which begins with the length of a header in JSON; frames do not."""
    with path.open("rb") as file:
        begin = file.read(9)
    return begin[:4] != b"FLOE" and begin[8:] == b"{"


def _compress(path: Path, target: Path | None, arguments: argparse.Namespace) -> str:
    if path.suffix == ".safetensors":
        if arguments.codec:
            raise floe.InvalidArgumentError(
                "invalid_argument", 0, "tensors have types of their own: give a goal, no codec"
            )
        target = target or path.with_name(path.name + ".floe")
        floe.safetensors.compress_file(path, target, arguments.goal, threads=arguments.threads)
    elif _is_text(path):
        is_gzip = path.suffix == ".gz"
        target = target or path.with_name((path.stem if is_gzip else path.name) + ".floe")
        with gzip.open(path) if is_gzip else path.open("rb") as text:
            frame = floe.compress_csv(text, arguments.goal, threads=arguments.threads)
        target.write_bytes(frame)
    else:
        target = target or path.with_name(path.name + ".floe")
        floe.save(target, _source(path), arguments.goal, codec=arguments.codec, threads=arguments.threads)
    return f"{path} -> {target}: {path.stat().st_size} -> {target.stat().st_size} bytes"


def _decompress(path: Path, target: Path | None, arguments: argparse.Namespace) -> str:
    if target is None:
        if path.suffix != ".floe":
            raise floe.InvalidArgumentError("invalid_argument", 0, f"{path} does not end with .floe; say -o NAME")
        target = path.with_suffix("")
    if _is_weights(path):
        floe.safetensors.restore_file(path, target, threads=arguments.threads)
        return f"{path} -> {target}"
    with floe.open(path, threads=arguments.threads) as file:
        if target.suffix == ".npy":
            np.save(target, file.read())
        elif target.suffix == ".npz":
            np.savez(target, **file.read())
        elif target.suffix == ".parquet":
            import pyarrow.parquet

            pyarrow.parquet.write_table(pyarrow.table(file), target)
        elif target.suffix in (".arrow", ".feather"):
            import pyarrow.feather

            pyarrow.feather.write_feather(pyarrow.table(file), target)
        else:
            with target.open("wb") as out:
                file.restore(out)
    return f"{path} -> {target}"


def _describe_weights(path: Path, is_tested: bool) -> str:
    with floe.safetensors.open(path) as model:
        if is_tested:
            for name in model:
                model.lazy(name).verify()
            return f"{path}: ok"
        lines = [f"{path}: {len(model)} tensors, as `floe.safetensors` stores them"]
        for name in model:
            tensor = model.lazy(name)
            stored, trees = tensor.info["frame_bytes"], tensor.plan[0]["columns"][0]["trees"] if tensor.size else []
            lines.append(
                f"{name}: {tensor.dtype} {tensor.shape}, {tensor.nbytes} -> {stored} bytes  {'  '.join(trees)}"
            )
        return "\n".join(lines)


def _describe(path: Path, target: Path | None, arguments: argparse.Namespace) -> str:
    if _is_weights(path):
        return _describe_weights(path, arguments.command == "test")
    with floe.open(path) as file:
        if arguments.command == "test":
            file.verify()
            return f"{path}: ok"
        return f"{path}\n{file.info}\n{file.plan}"


def main(words: list[str] | None = None) -> int:
    """Returns the exit status: 0, 1 for an error, 2 for usage, 3 for damaged files."""
    parser = argparse.ArgumentParser(prog="python -m floe", description="Lossless compression of arrays and tables.")
    parser.add_argument("--version", action="version", version=floe.__version__)
    parser.add_argument("command", choices=("compress", "decompress", "inspect", "test", "doctor"))
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        help=".npy, .npz (columns), .csv, .tsv, .csv.gz, .parquet, .arrow, .safetensors, others as bytes; or .floe",
    )
    parser.add_argument("-o", "--output", type=Path, help="of a single file")
    parser.add_argument("--goal", choices=("speed", "balance", "ratio", "max"), default="balance")
    parser.add_argument("--codec", choices=tuple(floe.codecs()), help="instead of a goal")
    parser.add_argument("-T", "--threads", type=int, default=0)
    arguments = parser.parse_intermixed_args(words)
    if arguments.command == "doctor":
        from ._doctor import main as examine_all

        return examine_all()
    if not arguments.files:
        parser.error("there are no files")
    if arguments.output and len(arguments.files) > 1:
        parser.error("--output goes with a single file")
    run = {"compress": _compress, "decompress": _decompress}.get(arguments.command, _describe)
    status = 0
    for path in arguments.files:
        try:
            print(run(path, arguments.output, arguments))
        except (floe.Error, OSError, EOFError, ValueError, zlib.error) as problem:
            print(f"floe: {path}: {problem}", file=sys.stderr)
            status = max(status, 3 if isinstance(problem, floe.CorruptError) else 1)
    return status


if __name__ == "__main__":
    sys.exit(main())
