"""Arrays in memory to frames in memory, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _floe
from ._arrow_tables import is_table
from ._cuda_arrays import is_on_device
from ._elements import Elements, Layout, elements_of, layout_of
from ._errors import OutOfMemoryError, invalid
from ._memory import new_array
from ._options import MEMORY_LIMIT, Goal, Profile, Progress, options_of, told


def compress(
    array: Any,
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
) -> bytes:
    """Compresses an array, or a table, into one frame.

    Args:
        array: A NumPy array of any shape, order and byte order, or any object with the buffer protocol or
            ``__array__``. Types are bool, integers of 8 to 64 bits, f16, bf16 (of ml_dtypes), f32, f64, complex, and
            dates. A dictionary of arrays of one dimension and one length is a table; tables, frames and streams of
            PyArrow, Polars, pandas and DuckDB are taken by way of PyArrow, with texts and nulls. Arrays in the memory
            of a GPU are compressed there, as `floe.cuda.compress` does, and the frame is copied to the host.
        goal: What counts: ``"speed"``, ``"balance"``, ``"ratio"`` or ``"max"``.
        codec: A codec of `codecs` for all of the array, the fastest way: ``"spspeed"`` for f32.
        tree: A tree of encodings for all of the array instead of one that is chosen: ``"delta,bitpack"``.
        threads: At most so many; 0 is as many as this process may use. They never change the bytes.
        checksum: Of all bytes, verified when they are decoded.
        profile: ``"gpu"`` takes only encodings that GPUs decode fast.
        segment_bytes: The unit of random access, a multiple of 16384; 0 is what suits the tree.
        decode_megabytes_per_second: What one thread shall decode at least, by built-in times of encodings.
        progress: Called with bytes done and all bytes; an exception of it ends the call. True shows a bar of tqdm.

    Returns:
        The frame, the same bytes for the same arguments on every machine.

    Raises:
        UnsupportedError: floe has no such type.
        InvalidArgumentError: An option makes no sense; `offset` is the position in a tree.
        OutOfMemoryError: There is no memory.

    Thread-safe; the GIL is released. The array must not change meanwhile.
    """
    options = options_of(goal, codec, tree, threads, checksum, profile, segment_bytes, decode_megabytes_per_second)
    if is_on_device(array):
        return bytes(_compress_on_device(array, options))
    if isinstance(array, Mapping) or is_table(array):
        from ._tables import columns_of

        pieces: list[bytes] = []
        columns_of(array).write(pieces.append, options, progress)
        return b"".join(pieces)
    elements = elements_of(array)
    if not progress or not elements.shape:
        return _floe.compress_array(elements.data, elements.dtype, elements.shape, elements.prefix, options)
    pieces = []
    write_elements(pieces.append, elements, options, progress)
    return b"".join(pieces)


def _compress_on_device(array: Any, options: _floe.Options) -> Any:
    from . import cuda

    if options.goal in (_floe.Goal.ratio, _floe.Goal.max) or options.decode_megabytes_per_second:
        raise invalid("GPUs plan for speed: copy the array to the host for the goals ratio and max")
    segment_bytes = options.segment_bytes
    return cuda.compress(array, tree=options.tree or None, checksum=options.checksum, segment_bytes=segment_bytes)


def write_elements(write: Any, elements: Elements, options: _floe.Options, progress: Progress | None) -> None:
    """Hands the frame to `write`, piece by piece as it comes about."""
    args = elements.data, elements.dtype, elements.shape, elements.prefix, options
    if elements.shape:
        _floe.write_array(write, *args, told(progress))
    else:
        write(_floe.compress_array(*args))


def allocate(layout: Layout, max_bytes: int | None) -> np.ndarray:
    """Room for the stored elements of an array, in memory order."""
    size = int(np.prod(layout.shape, dtype=object)) * layout.dtype.itemsize
    if max_bytes is not None and size > max_bytes:
        raise OutOfMemoryError("out_of_memory", 0, f"the array has {size} bytes, more than max_bytes")
    try:
        return new_array(size // layout.stored.itemsize, layout.stored)
    except (MemoryError, ValueError, OverflowError):
        raise OutOfMemoryError("out_of_memory", 0, f"no memory for {size} bytes") from None


def decompress(
    data: Any, *, threads: int = 0, max_bytes: int | None = None, progress: Progress | None = None
) -> np.ndarray | dict[str, np.ndarray]:
    """Restores the array of a frame, or the columns of a table.

    Args:
        data: A frame: bytes or any object with the buffer protocol.
        threads: At most so many; 0 is as many as this process may use.
        max_bytes: The array may have so many bytes; a frame of a few bytes may stand for a huge array.
        progress: Called with bytes done and all bytes; an exception of it ends the call. True shows a bar of tqdm.

    Returns:
        The array with its dtype, shape and order, or ``{name: array}`` of a table. bf16 elements are those of
        ml_dtypes where it is installed, else their bits as uint16.

    Raises:
        CorruptError: The bytes were changed (TruncatedError: or are cut short); `offset` says where.
        UnsupportedError: Written by a newer floe.
        OutOfMemoryError: There is no memory, or `max_bytes` are too few.

    Thread-safe; the GIL is released. Safe for bytes from anyone.
    """
    reader = _floe.Reader(data)
    info = reader.info()
    if info["content"] == "table":
        from ._file import TableFile

        return TableFile(reader, threads=threads).read(progress=progress)
    layout = layout_of(info)
    flat = allocate(layout, max_bytes)
    reader.decompress_slice(flat.view(np.uint8), 0, info["element_count"], threads, MEMORY_LIMIT, told(progress))
    return layout.restore(flat)


def decompress_into(data: Any, out: np.ndarray, *, threads: int = 0, progress: Progress | None = None) -> np.ndarray:
    """Restores the array of a frame into an array that is there already, and returns it.

    `out` must have the dtype and shape of the frame's array; where it lies in memory in the frame's order it is
    written directly, else through a copy. Elements may also go to any writable contiguous array of one dimension with
    as many bytes. On an error the contents of `out` are unspecified.

    Raises:
        InvalidArgumentError: `out` has another dtype or shape.
        CorruptError, UnsupportedError, OutOfMemoryError: As `decompress`.

    Thread-safe; the GIL is released.
    """
    reader = _floe.Reader(data)
    info = reader.info()
    if info["content"] == "table":
        raise invalid("the frame holds a table; floe.decompress restores its columns")
    layout = layout_of(info)
    target = out if isinstance(out, np.ndarray) else np.asarray(out)
    is_flat = target.ndim == 1 and target.flags.c_contiguous and target.dtype.itemsize == 1
    size = info["element_count"] * layout.stored.itemsize
    if not (is_flat and target.nbytes == size) and (target.dtype != layout.dtype or target.shape != layout.shape):
        raise invalid(f"out is {target.dtype} {target.shape}, the frame holds {layout.dtype} {layout.shape}")
    in_order = target.flags.f_contiguous if layout.fortran else target.flags.c_contiguous
    if in_order and layout.dtype.byteorder != ">":
        flat = (target.T if layout.fortran else target).reshape(-1).view(np.uint8)
        reader.decompress_slice(flat, 0, info["element_count"], threads, MEMORY_LIMIT, told(progress))
    else:
        room = allocate(layout, None)
        reader.decompress_slice(room.view(np.uint8), 0, info["element_count"], threads, MEMORY_LIMIT, told(progress))
        restored = layout.restore(room)
        target[...] = restored.reshape(-1).view(target.dtype) if is_flat else restored
    return out
