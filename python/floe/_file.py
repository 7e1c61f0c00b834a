"""Arrays and tables in files: opened, and written at once."""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from . import _floe
from ._array_file import ArrayFile
from ._arrays import _compress_on_device, write_elements
from ._arrow_tables import is_table
from ._cuda_arrays import is_on_device
from ._elements import elements_of
from ._opened import File
from ._options import Goal, Profile, Progress, options_of
from ._table_file import TableFile

__all__ = ["ArrayFile", "File", "TableFile", "load", "new_file", "open", "save"]


def open(source: str | os.PathLike[str] | Any, *, threads: int = 0) -> Any:
    """Opens a frame to read parts of it: an `ArrayFile` or a `TableFile`.

    Args:
        source: A path, a file that is open for reading bytes and can seek (of fsspec, too), or a frame in memory.
        threads: At most so many decode; 0 is as many as this process may use.

    Raises:
        CorruptError, TruncatedError, UnsupportedError: The bytes are no frame that this floe reads.
        OSError: The file cannot be read.
    """
    opened = None
    try:
        if isinstance(source, (str, os.PathLike)):
            name = os.fspath(source)
            opened = io.FileIO(name)
            reader = _floe.Reader(opened.fileno(), os.fstat(opened.fileno()).st_size)
        elif hasattr(source, "seek") and hasattr(source, "read"):
            name = str(getattr(source, "name", ""))
            reader = _floe.Reader(_read_at(source), source.seek(0, io.SEEK_END))
        else:
            name = ""
            reader = _floe.Reader(source)
        kind = ArrayFile if reader.info()["content"] == "array" else TableFile
        return kind(reader, name, opened, threads)
    except BaseException:
        if opened is not None:
            opened.close()
        raise


def _read_at(file: Any) -> Any:
    lock = threading.Lock()

    def read(offset: int, count: int) -> bytes:
        with lock:
            file.seek(offset)
            return bytes(file.read(count))

    return read


def save(
    path: str | os.PathLike[str],
    data: Any,
    goal: Goal = "balance",
    *,
    codec: str | None = None,
    tree: str | None = None,
    threads: int = 0,
    checksum: bool = True,
    profile: Profile = "cpu",
    segment_bytes: int = 0,
    decode_megabytes_per_second: int = 0,
    progress: Progress | None = None,
) -> None:
    """Compresses an array, or a table, into a file. Arguments and errors are those of `compress`.

    The file gets its name when it is complete: an error, or Ctrl-C, leaves what was there. ``floe -d`` restores what
    NumPy would have saved where the order or the type is not plain, else the elements alone.
    """
    options = options_of(goal, codec, tree, threads, checksum, profile, segment_bytes, decode_megabytes_per_second)
    with new_file(path) as file:
        if is_on_device(data):
            file.write(bytes(_compress_on_device(data, options)))
        elif isinstance(data, Mapping) or is_table(data):
            from ._tables import columns_of

            columns_of(data).write(file.write, options, progress)
        else:
            write_elements(file.write, elements_of(data), options, progress)


@contextlib.contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Any]:
    """A file that is open for writing bytes, and gets its name when the block ends without an exception."""
    target = os.fspath(path)
    mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o666 & ~_umask()
    descriptor, temporary = tempfile.mkstemp(".tmp", os.path.basename(target), os.path.dirname(target) or ".")
    try:
        with builtins.open(descriptor, "wb") as file:
            yield file
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    """Without changing it, which other threads would notice."""
    try:
        with builtins.open("/proc/self/status") as status:
            return int(next(line for line in status if line.startswith("Umask:")).split()[1], 8)
    except (OSError, StopIteration):
        return 0o077


def load(path: str | os.PathLike[str] | Any, *, threads: int = 0, progress: Progress | None = None) -> Any:
    """All of a file: an array, or the columns of a table. Arguments and errors are those of `open` and `decompress`."""
    with open(path, threads=threads) as file:
        return file.read(progress=progress)
