"""Chunks of HDF5 datasets that are decoded side by side, outside the lock that HDF5 holds while a filter works."""

from __future__ import annotations

import collections
import concurrent.futures
import itertools
import math
import threading
from collections.abc import Iterator
from typing import Any

import h5py
import numpy as np

from . import _floe
from ._errors import CorruptError
from ._options import MEMORY_LIMIT

Range = tuple[int, int]
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


class ChunkReader:
    """Reads ranges of a dataset whose only filter is that of floe.

    Only the thread that calls `read` calls h5py: it may hold the lock of h5py already.
    """

    def __init__(self, dataset: h5py.Dataset, swapped: bool) -> None:
        self._dataset = dataset
        self._shape: tuple[int, ...] = dataset.chunks
        self._elements = math.prod(self._shape)
        self._dtype: np.dtype[Any] = dataset.dtype
        self._fill = dataset.fillvalue
        #: What frames decode to. Those of big-endian numbers have native ones.
        self._stored = self._dtype.newbyteorder("=") if swapped else self._dtype
        self._rooms = threading.local()

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

    def read(self, box: list[Range], threads: int) -> np.ndarray:
        out = np.empty([end - first for first, end in box], self._dtype)
        if out.size == 0:
            return out
        if self._dataset.file.mode != "r":
            self._dataset.flush()
        threads = threads or _floe.available_threads()
        count = math.prod(-(-end // size) - first // size for (first, end), size in zip(box, self._shape, strict=True))
        if threads == 1 or count == 1:
            for offset, frame, mask in self._chunks(box):
                self._put(out, box, offset, frame, mask, threads)
            return out
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            waiting: collections.deque[concurrent.futures.Future[None]] = collections.deque()
            try:
                for offset, frame, mask in self._chunks(box):
                    if len(waiting) > 2 * threads:
                        waiting.popleft().result()
                    waiting.append(pool.submit(self._put, out, box, offset, frame, mask, 1))
                for future in waiting:
                    future.result()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return out

    def _chunks(self, box: list[Range]) -> Iterator[tuple[tuple[int, ...], Any, int]]:
        """Offset, bytes and mask of skipped filters of all chunks in a box; no bytes of those that are not stored."""
        ranges = [range(first // size * size, end, size) for (first, end), size in zip(box, self._shape, strict=True)]
        for offset in itertools.product(*ranges):
            stored = self._dataset.id.get_chunk_info_by_coord(offset)  # read_direct_chunk() may give a mask of 0
            if stored.byte_offset is None:
                yield offset, None, 0
            else:
                yield offset, self._dataset.id.read_direct_chunk(offset)[1], stored.filter_mask

    def _put(
        self, out: np.ndarray, box: list[Range], offset: tuple[int, ...], frame: Any, mask: int, threads: int
    ) -> None:
        """Decodes what a box needs of a chunk to its place in `out`."""
        part = [
            (max(first, at), min(end, at + size))
            for (first, end), at, size in zip(box, offset, self._shape, strict=True)
        ]
        target = out[tuple(slice(a - first, b - first) for (a, b), (first, _) in zip(part, box, strict=True))]
        within = tuple(slice(a - at, b - at) for (a, b), at in zip(part, offset, strict=True))
        if frame is None:
            target[...] = self._fill
        elif mask & 1:  # the filter was left out
            target[...] = np.frombuffer(frame, self._dtype).reshape(self._shape)[within]
        else:
            self._decode(frame, within, target, threads)

    def _decode(self, frame: Any, within: tuple[slice, ...], target: np.ndarray, threads: int) -> None:
        reader = _floe.Reader(frame)
        info = reader.info()
        words = info["element_count"]
        rows, row_words = within[0].stop - within[0].start, words // self._shape[0]
        row_bytes = self._elements // self._shape[0] * self._stored.itemsize
        if info["content"] != "array" or words % self._shape[0] or words == 0 or row_bytes % row_words:
            raise CorruptError("corrupt_frame", 0, "a chunk holds another array than its dataset")
        first, count = within[0].start * row_words, rows * row_words
        is_whole = target.shape[1:] == self._shape[1:] and target.flags.c_contiguous
        if is_whole and target.dtype == self._stored:
            flat = target.reshape(-1).view(np.uint8)
        else:
            flat = self._room(rows * row_bytes)
        reader.decompress_slice(flat, first, count, threads, MEMORY_LIMIT, None)
        if not is_whole or target.dtype != self._stored:
            target[...] = flat.view(self._stored).reshape(rows, *self._shape[1:])[(slice(None), *within[1:])]

    def _room(self, size: int) -> np.ndarray:
        """Memory that a thread uses again and again."""
        if len(getattr(self._rooms, "room", ())) < size:
            self._rooms.room = np.empty(size, np.uint8)
        room: np.ndarray = self._rooms.room[:size]
        return room
