"""Chunks of HDF5 datasets that are decoded side by side, outside the lock that HDF5 holds while a filter works."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator
from typing import Any

import h5py
import numpy as np

from . import _floe
from ._errors import invalid
from ._memory import new_array
from ._options import MEMORY_LIMIT

Range = tuple[int, int]
_CALL_BYTES = 128 << 20  # of elements whose frames are decoded in one call
_BIG_ENDIAN = 0x100  # in a parameter of the filter


def box_of(selection: Any, shape: tuple[int, ...]) -> tuple[list[Range], tuple[Any, ...]] | None:
    """The ranges that integers and slices select, and what is then taken of these; None for other selections."""
    keys = list(selection) if isinstance(selection, tuple) else [selection]
    if any(not isinstance(key, (int, np.integer, slice, type(Ellipsis))) or isinstance(key, bool) for key in keys):
        return None
    if keys.count(Ellipsis) > 1 or len(keys) - keys.count(Ellipsis) > len(shape):
        return None
    at = keys.index(Ellipsis) if Ellipsis in keys else len(keys)
    after = keys[at + 1 :]
    keys = keys[:at] + [slice(None)] * (len(shape) - at - len(after)) + after
    box: list[Range] = []
    rest: list[Any] = []
    for key, size in zip(keys, shape, strict=True):
        if isinstance(key, slice):
            start, stop, step = key.indices(size)
            if step < 1:
                return None
            box.append((start, max(start, stop)))
            rest.append(slice(None, None, step))
        else:
            if not -size <= key < size:
                return None  # HDF5 says what is wrong
            box.append((key % size, key % size + 1))
            rest.append(0)
    return box, tuple(rest)


def into(result: Any, out: np.ndarray | None) -> Any:
    """The result, copied to `out` if there is one. Raises InvalidArgumentError if it has another shape or type."""
    if out is None:
        return result
    if out.shape != np.shape(result) or out.dtype != result.dtype:
        raise invalid(f"out is {out.dtype} {out.shape}, the selection {result.dtype} {np.shape(result)}")
    out[...] = result
    return out


class ChunkReader:
    """Reads ranges of a dataset whose only filter is that of floe.

    Only the thread that calls `read` calls h5py: it may hold the lock of h5py already.
    """

    def __init__(self, dataset: h5py.Dataset, swapped: bool) -> None:
        self._dataset = dataset
        self.chunk_shape: tuple[int, ...] = dataset.chunks
        self.dtype: np.dtype[Any] = dataset.dtype
        self._bytes = math.prod(self.chunk_shape) * self.dtype.itemsize
        self.fill = dataset.fillvalue
        #: What frames decode to. Those of big-endian numbers have native ones.
        self._stored = self.dtype.newbyteorder("=") if swapped else self.dtype
        # Of a plain file that nobody writes, chunks are read by the threads that decode them.
        file = dataset.file
        is_plain = file.mode == "r" and file.driver == "sec2" and file.userblock_size == 0
        self._descriptor = int(file.id.get_vfd_handle()) if is_plain else None

    @classmethod
    def of(cls, dataset: h5py.Dataset, filter_id: int) -> ChunkReader | None:
        """None if the bytes of its chunks are not those of frames, or not those of its NumPy type."""
        plist = dataset.id.get_create_plist()
        if dataset.chunks is None or plist.get_nfilters() != 1 or dataset.dtype.hasobject:
            return None
        number, _, values, _ = plist.get_filter(0)
        kind = h5py.h5t.py_create(dataset.dtype, logical=True)
        if number != filter_id or len(values) < 5 or not dataset.id.get_type().equal(kind):
            return None
        return cls(dataset, bool(values[1] & _BIG_ENDIAN))

    def read(self, box: list[Range], threads: int, room: np.ndarray | None = None) -> np.ndarray:
        """`room` has as many elements, contiguous."""
        shape = tuple(end - first for first, end in box)
        out = new_array(shape, self.dtype) if room is None else room.reshape(shape)
        if out.size == 0:
            return out
        self.flush()
        stored = out if self.dtype == self._stored else new_array(shape, self._stored)
        offsets = self._offsets(box)
        while some := list(itertools.islice(offsets, max(_CALL_BYTES // self._bytes, 1))):
            self._decode(stored, box, some, threads or _floe.available_threads())
        if stored is not out:
            out[...] = stored
        return out

    def _decode(self, out: np.ndarray, box: list[Range], offsets: list[tuple[int, ...]], threads: int) -> None:
        # Threads that work at the same time are far apart: neighbours would wait for each other where new memory has
        # large pages, which the system clears when they are first touched.
        workers = min(threads, len(offsets))
        apart = -(-len(offsets) // workers)
        in_turn = [offset for i in range(apart) for offset in offsets[i::apart]]
        first = [first for first, _ in box]
        descriptor = -1 if self._descriptor is None else self._descriptor
        _floe.decompress_chunks(
            out.reshape(-1).view(np.uint8), first, out.shape, self.chunk_shape, self.dtype.itemsize,
            self._frames(out, box, in_turn), len(offsets), descriptor, threads, MEMORY_LIMIT,
        )  # fmt: skip

    def _frames(
        self, out: np.ndarray, box: list[Range], offsets: list[tuple[int, ...]]
    ) -> Iterator[tuple[tuple[int, ...], Any]]:
        """Chunks that are frames, as they are found; what is not stored, or without the filter, is put into `out`."""
        for offset in offsets:
            stored = self._location(offset)
            if stored.byte_offset is not None and not stored.filter_mask & 1:
                yield offset, self._frame(offset, stored)
                continue
            target, within = self._positions_of(offset, box, out)
            if stored.byte_offset is None:
                target[...] = self.fill
            else:
                whole = np.frombuffer(self._dataset.id.read_direct_chunk(offset)[1], self.dtype)
                target[...] = whole.reshape(self.chunk_shape)[within]

    def _positions_of(
        self, offset: tuple[int, ...], box: list[Range], out: np.ndarray
    ) -> tuple[np.ndarray, tuple[slice, ...]]:
        """Where in `out` the part of a chunk belongs that is in a box, and where it is in the chunk."""
        part = [
            (max(first, at), min(end, at + size))
            for (first, end), at, size in zip(box, offset, self.chunk_shape, strict=True)
        ]
        target = out[tuple(slice(a - first, b - first) for (a, b), (first, _) in zip(part, box, strict=True))]
        return target, tuple(slice(a - at, b - at) for (a, b), at in zip(part, offset, strict=True))

    def flush(self) -> None:
        """Brings what was written to the file, where chunks are read."""
        if self._dataset.file.mode != "r":
            self._dataset.flush()

    def stored_chunks(self, box: list[Range]) -> Iterator[tuple[tuple[int, ...], Any, int]]:
        """Offset, bytes and mask of skipped filters of all chunks in a box; no bytes of those that are not stored."""
        for offset in self._offsets(box):
            stored = self._location(offset)
            if stored.byte_offset is None:
                yield offset, None, 0
            elif self._descriptor is None:
                yield offset, self._dataset.id.read_direct_chunk(offset)[1], stored.filter_mask
            else:
                yield offset, os.pread(self._descriptor, stored.size, stored.byte_offset), stored.filter_mask

    def _offsets(self, box: list[Range]) -> Iterator[tuple[int, ...]]:
        """Of all chunks in a box."""
        ranges = [
            range(first // size * size, end, size) for (first, end), size in zip(box, self.chunk_shape, strict=True)
        ]
        return itertools.product(*ranges)

    def _location(self, offset: tuple[int, ...]) -> Any:
        """Where a chunk is stored."""
        return self._dataset.id.get_chunk_info_by_coord(offset)  # read_direct_chunk() may give a mask of 0

    def _frame(self, offset: tuple[int, ...], stored: Any) -> Any:
        """The bytes of a chunk, or where its frame is in the file: address and length."""
        if self._descriptor is None or stored.filter_mask:
            return self._dataset.id.read_direct_chunk(offset)[1]
        return stored.byte_offset, stored.size
