"""Chunks of HDF5 datasets that are decoded side by side, outside the lock that HDF5 holds while a filter works."""

from __future__ import annotations

import collections
import concurrent.futures
import itertools
import math
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import h5py
import numpy as np

from . import _floe
from ._errors import CorruptError, invalid
from ._options import MEMORY_LIMIT

Range = tuple[int, int]
_JOB_BYTES = 128 << 20  # of elements whose frames wait to be decoded in one call
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


class _Work:
    """What is decoded side by side: many frames in one call, or in threads of Python what must be copied, too."""

    def __init__(self, pool: concurrent.futures.Executor, threads: int) -> None:
        self._pool, self._threads = pool, threads
        self._jobs: list[tuple[_floe.Reader, Any, int, int]] = []
        self._bytes = 0
        self._waiting: collections.deque[concurrent.futures.Future[None]] = collections.deque()

    def decode(self, reader: _floe.Reader, room: np.ndarray, first: int, count: int) -> None:
        """Later, straight to its place."""
        self._jobs.append((reader, room, first, count))
        self._bytes += room.nbytes
        if self._bytes >= _JOB_BYTES:
            self._decode_all()

    def _decode_all(self) -> None:
        self._bytes = 0
        jobs, self._jobs = self._jobs, []
        if len(jobs) == 1:  # its segments are decoded side by side
            reader, room, first, count = jobs[0]
            reader.decompress_slice(room, first, count, self._threads, MEMORY_LIMIT, None)
        elif jobs:
            # Threads take jobs in turn. Those that work at the same time are far apart: neighbours would wait for each
            # other where new memory has large pages, which the system clears when they are first touched.
            apart = -(-len(jobs) // self._threads)
            jobs = [jobs[index] for first in range(apart) for index in range(first, len(jobs), apart)]
            _floe.Reader.decompress_all(jobs, self._threads, MEMORY_LIMIT)

    def run(self, call: Callable[[], None]) -> None:
        """In a thread."""
        if len(self._waiting) > 2 * self._threads:
            self._waiting.popleft().result()
        self._waiting.append(self._pool.submit(call))

    def finish(self) -> None:
        """Returns when all is done; raises what went wrong."""
        self._decode_all()
        for future in self._waiting:
            future.result()


class ChunkReader:
    """Reads ranges of a dataset whose only filter is that of floe.

    Only the thread that calls `read` calls h5py: it may hold the lock of h5py already.
    """

    def __init__(self, dataset: h5py.Dataset, swapped: bool) -> None:
        self._dataset = dataset
        self.chunk_shape: tuple[int, ...] = dataset.chunks
        self._elements = math.prod(self.chunk_shape)
        self.dtype: np.dtype[Any] = dataset.dtype
        self.fill = dataset.fillvalue
        #: What frames decode to. Those of big-endian numbers have native ones.
        self._stored = self.dtype.newbyteorder("=") if swapped else self.dtype
        self._rooms = threading.local()
        # Chunks of a plain file that nobody writes are read by the threads that decode them.
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
        shape = [end - first for first, end in box]
        out = np.empty(shape, self.dtype) if room is None else room.reshape(shape)
        if out.size == 0:
            return out
        self.flush()
        threads = threads or _floe.available_threads()
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            work = _Work(pool, threads)
            try:
                for offset, frame, mask in self._chunks(box):
                    self._put(work, out, box, offset, frame, mask)
                work.finish()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return out

    def flush(self) -> None:
        """Brings what was written to the file, where chunks are read."""
        if self._dataset.file.mode != "r":
            self._dataset.flush()

    def stored_chunks(self, box: list[Range]) -> Iterator[tuple[tuple[int, ...], Any, int]]:
        """Offset, bytes and mask of skipped filters of all chunks in a box; no bytes of those that are not stored."""
        for offset, stored in self._places(box):
            if stored.byte_offset is None:
                yield offset, None, 0
            elif self._descriptor is None:
                yield offset, self._dataset.id.read_direct_chunk(offset)[1], stored.filter_mask
            else:
                yield offset, os.pread(self._descriptor, stored.size, stored.byte_offset), stored.filter_mask

    def _places(self, box: list[Range]) -> Iterator[tuple[tuple[int, ...], Any]]:
        """Offset of all chunks in a box, and where they are stored."""
        ranges = [
            range(first // size * size, end, size) for (first, end), size in zip(box, self.chunk_shape, strict=True)
        ]
        for offset in itertools.product(*ranges):
            yield offset, self._dataset.id.get_chunk_info_by_coord(offset)  # read_direct_chunk() may give a mask of 0

    def _chunks(self, box: list[Range]) -> Iterator[tuple[tuple[int, ...], Any, int]]:
        """The same as `stored_chunks`, with readers of frames in the file instead of their bytes."""
        for offset, stored in self._places(box):
            if stored.byte_offset is None:
                yield offset, None, 0
            else:
                yield offset, self._frame(offset, stored), stored.filter_mask

    def _frame(self, offset: tuple[int, ...], stored: Any) -> Any:
        """The bytes of a chunk, or a reader of its frame in the file."""
        if self._descriptor is None or stored.filter_mask:
            return self._dataset.id.read_direct_chunk(offset)[1]
        return _floe.Reader(self._descriptor, stored.size, stored.byte_offset)

    def _put(
        self, work: _Work, out: np.ndarray, box: list[Range], offset: tuple[int, ...], frame: Any, mask: int
    ) -> None:
        """Brings what a box needs of a chunk to its place in `out`, or has that done."""
        part = [
            (max(first, at), min(end, at + size))
            for (first, end), at, size in zip(box, offset, self.chunk_shape, strict=True)
        ]
        target = out[tuple(slice(a - first, b - first) for (a, b), (first, _) in zip(part, box, strict=True))]
        within = tuple(slice(a - at, b - at) for (a, b), at in zip(part, offset, strict=True))
        if frame is None:
            target[...] = self.fill
            return
        if mask & 1:  # the filter was left out
            target[...] = np.frombuffer(frame, self.dtype).reshape(self.chunk_shape)[within]
            return
        reader = frame if isinstance(frame, _floe.Reader) else _floe.Reader(frame)
        info = reader.info()
        words = info["element_count"]
        rows, row_words = within[0].stop - within[0].start, words // self.chunk_shape[0]
        row_bytes = self._elements // self.chunk_shape[0] * self._stored.itemsize
        if info["content"] != "array" or words % self.chunk_shape[0] or words == 0 or row_bytes % row_words:
            raise CorruptError("corrupt_frame", 0, "a chunk holds another array than its dataset")
        first, count = within[0].start * row_words, rows * row_words
        is_whole = target.shape[1:] == self.chunk_shape[1:] and target.flags.c_contiguous
        if is_whole and target.dtype == self._stored:
            work.decode(reader, target.reshape(-1).view(np.uint8), first, count)
            return

        def decode() -> None:
            flat = self._room(rows * row_bytes)
            reader.decompress_slice(flat, first, count, 1, MEMORY_LIMIT, None)
            target[...] = flat.view(self._stored).reshape(rows, *self.chunk_shape[1:])[(slice(None), *within[1:])]

        work.run(decode)

    def _room(self, size: int) -> np.ndarray:
        """Memory that a thread uses again and again."""
        if len(getattr(self._rooms, "room", ())) < size:
            self._rooms.room = np.empty(size, np.uint8)
        room: np.ndarray = self._rooms.room[:size]
        return room
