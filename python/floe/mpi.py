"""Arrays that the processes of a cluster hold together, as one file: with mpi4py and the library floe_mpi.

>>> from mpi4py import MPI                                                     # doctest: +SKIP
>>> import floe.mpi
>>> floe.mpi.save("field.floe", my_rows)          # every rank its rows        # doctest: +SKIP
>>> with floe.mpi.open("field.floe") as file:     # every rank what it wants   # doctest: +SKIP
...     halo = file[99:105]

The library floe_mpi is built for the MPI of a machine, so it does not come with this package: build floe with
``-DFLOE_MPI=ON -DBUILD_SHARED_LIBS=ON``, or install the package libfloe-mpi. It is looked for where the linker looks,
and by the name in the environment variable FLOE_MPI_LIBRARY.
"""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

import numpy as np
from mpi4py import MPI

from . import _floe
from ._elements import elements_of, npy_header
from ._errors import ReadWriteError, error_of, invalid
from ._file import ArrayFile
from ._options import Goal, options_of

_DTYPES = ("", "f64", "f32", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool")


class _Status(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint32), ("offset", ctypes.c_uint64), ("detail", ctypes.c_char_p))


class _Extent(ctypes.Structure):
    _fields_ = (("size", ctypes.c_uint64 * 8), ("rank", ctypes.c_uint32))


class _Options(ctypes.Structure):
    """floe_options of floe.h; what is not set here stays as the library sets it."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32), ("goal", ctypes.c_uint32), ("tree", ctypes.c_char_p),
        ("profile", ctypes.c_uint32), ("threads", ctypes.c_uint32), ("checksum", ctypes.c_uint32),
        ("decode_megabytes_per_second", ctypes.c_uint32), ("segment_bytes", ctypes.c_uint64),
        ("prefix", ctypes.c_char_p), ("prefix_bytes", ctypes.c_size_t), ("executor", ctypes.c_void_p),
        ("executor_user", ctypes.c_void_p), ("accelerator", ctypes.c_void_p),
    )  # fmt: skip


class _MpiOptions(ctypes.Structure):
    _fields_ = (("struct_size", ctypes.c_uint32), ("stretch_bytes", ctypes.c_uint64), ("memory_bytes", ctypes.c_uint64))


@functools.cache
def _library() -> ctypes.CDLL:
    name = os.environ.get("FLOE_MPI_LIBRARY", "libfloe_mpi.so." + ".".join(_floe.version().split(".")[:2]))
    try:
        library = ctypes.CDLL(name)
    except OSError as problem:
        raise ReadWriteError("io_error", 0, f"the library floe_mpi cannot be loaded: {problem}") from None
    library.floe_mpi_write_f.restype = _Status
    library.floe_mpi_write_f.argtypes = [
        ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.POINTER(_Extent),
        ctypes.POINTER(_Options), ctypes.POINTER(_MpiOptions),
    ]  # fmt: skip
    library.floe_error_name.restype = ctypes.c_char_p
    return library


def _shape_of(part: np.ndarray, communicator: Any) -> tuple[int, ...]:
    """Of the whole. Raises InvalidArgumentError on all ranks where their parts do not fit together."""
    ranks = communicator.allgather((part.shape, part.dtype.str, part.dtype.name))
    if part.ndim == 0 or len({(shape[1:], *dtype) for shape, *dtype in ranks}) != 1:
        raise invalid("the parts of ranks differ in type, or in another dimension than the outermost")
    return (sum(shape[0] for shape, *_ in ranks), *part.shape[1:])


def save(
    path: str | os.PathLike[str],
    part: Any,
    goal: Goal = "balance",
    *,
    communicator: Any = None,
    codec: str | None = None,
    tree: str | None = None,
    threads: int = 1,
    checksum: bool = True,
    segment_bytes: int = 0,
    stretch_bytes: int = 0,
    memory_bytes: int = 1 << 30,
) -> None:
    """Writes an array to one file, of which every rank has some of the outermost entries. Collective.

    The parts follow each other in the order of the ranks. The bytes do not depend on how many ranks there are and what
    each of them has; with a tree or a codec the file is that of `floe.save`.

    Args:
        path: Of the file, which gets its name when it is complete.
        part: An array; of a rank without data one of shape ``(0, ...)`` and the same type.
        goal: As in `floe.compress`, as are the other options; all ranks give the same.
        communicator: ``MPI.COMM_WORLD`` by default.
        codec: As in `floe.compress`.
        tree: As in `floe.compress`.
        threads: Of one rank.
        checksum: As in `floe.compress`.
        segment_bytes: As in `floe.compress`.
        stretch_bytes: What one rank compresses by itself; 0 is 64 MiB. With a goal, trees are chosen for each stretch.
        memory_bytes: What a rank keeps compressed until the sizes of all are known; the rest is compressed twice.

    Raises:
        InvalidArgumentError: The parts of ranks do not fit together, or an option makes no sense.
        UnsupportedError: floe has no such type.
        ReadWriteError: The file cannot be written, or the library floe_mpi is not there.
    """
    communicator = communicator or MPI.COMM_WORLD
    options_of(goal, codec, tree, threads, checksum, "cpu", segment_bytes)
    library = _library()
    array = np.asarray(part)
    shape = _shape_of(array, communicator)
    elements = elements_of(np.ascontiguousarray(array))
    prefix = npy_header(array.dtype, shape, False) if elements.prefix else b""
    extent = _Extent()
    extent.rank = len(elements.shape)
    extent.size[: extent.rank] = (*shape, *elements.shape[len(shape) :])
    compression, options = _Options(), _MpiOptions()
    library.floe_options_default(ctypes.byref(compression))
    library.floe_mpi_options_default(ctypes.byref(options))
    compression.goal = _floe.Goal[goal].value
    compression.tree = (codec or tree or "").encode() or None
    compression.threads, compression.checksum, compression.segment_bytes = threads, checksum, segment_bytes
    compression.prefix, compression.prefix_bytes = prefix, len(prefix)
    options.stretch_bytes, options.memory_bytes = stretch_bytes, memory_bytes
    status = library.floe_mpi_write_f(
        communicator.py2f(), os.fsencode(path), elements.data.ctypes.data, elements.data.nbytes,
        _DTYPES.index(elements.dtype), ctypes.byref(extent), ctypes.byref(compression), ctypes.byref(options),
    )  # fmt: skip
    if status.code != 0:
        raise error_of(library.floe_error_name(status.code).decode(), status.offset, status.detail.decode())


class SharedArrayFile(ArrayFile):
    """A file of which every rank reads what it wants: an `floe.ArrayFile`. Closing it is collective."""

    def __init__(self, file: Any, name: str, threads: int) -> None:
        self._shared = file

        def read(offset: int, count: int) -> bytes:
            room = bytearray(count)
            file.Read_at(offset, room)
            return bytes(room)

        super().__init__(_floe.Reader(read, file.Get_size()), name, None, threads)

    def close(self) -> None:
        if self._shared is not None:
            super().close()
            self._shared.Close()
            self._shared = None


def open(path: str | os.PathLike[str], *, communicator: Any = None, threads: int = 1) -> SharedArrayFile:
    """Opens an array for all ranks. Collective. Errors are those of `floe.open`."""
    communicator = communicator or MPI.COMM_WORLD
    try:
        file = MPI.File.Open(communicator, os.fspath(path), MPI.MODE_RDONLY)
    except MPI.Exception as problem:
        raise ReadWriteError("io_error", 0, f"{os.fspath(path)} cannot be opened: {problem}") from None
    try:
        return SharedArrayFile(file, os.fspath(path), threads)
    except BaseException:
        file.Close()
        raise
