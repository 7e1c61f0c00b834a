"""Frames on the host or on a GPU, and how they are decoded on a GPU: all, or some rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _floe
from ._cuda_arrays import is_on_device, module, view_of
from ._cuda_frames import Frame, kind_of
from ._errors import OutOfMemoryError, UnsupportedError, invalid
from ._options import MEMORY_LIMIT


class Source:
    """A frame to decode: on the host, or on a device."""

    def __init__(self, frame: Any, stream: int, device: int | None) -> None:
        self.reader: _floe.Reader | None = None
        self.frame = frame
        if isinstance(frame, Frame):
            self.kind, self.device = frame._kind, frame.device
            self._at: tuple[int, int, Any] = (frame.pointer, frame.nbytes, frame)
        elif not isinstance(frame, np.ndarray) and is_on_device(frame):
            view = view_of(frame, stream)
            if view.pointer % 16:
                raise invalid("a frame on a GPU begins at a multiple of 16")
            self.device, self._at = view.device, (view.pointer, view.nbytes, view)
            self.kind = kind_of(module().describe(view.pointer, view.nbytes, view.device, stream))
        else:
            self.reader = _floe.Reader(frame)
            info = self.reader.info()
            is_filled = info["content"] == "array" and info["segment_count"] > 0
            trees = self.reader.segment(0)["columns"][0]["trees"] if is_filled else []
            self.kind = kind_of({**info, "trees": trees})
            self.device = module().current_device() if device is None else device

    def memory(self, stream: int) -> tuple[int, int, Any]:
        """Address and size on the device, and what keeps it."""
        if self.reader is None:
            return self._at
        data = np.frombuffer(self.frame, np.uint8)
        memory = module().Memory(data.nbytes, self.device, stream)
        module().upload(data, memory.pointer, self.device, stream)
        return memory.pointer, data.nbytes, memory


def rows_of(rows: slice | None, shape: tuple[int, ...]) -> tuple[int, int]:
    if rows is None:
        return 0, shape[0] if shape else 1
    if not shape:
        raise invalid("an array without dimensions has no rows")
    first, end, step = rows.indices(shape[0])
    if step != 1:
        raise invalid("rows of a frame have a step of 1")
    return first, max(first, end)


def decode(source: Source, first: int, count: int, room: Any, stream: int) -> None:
    cuda, kind, queue = module(), source.kind, (source.device, stream)
    pointer, size, owner = source.memory(stream)
    to_decode = (kind.dtype, kind.codec, kind.segment_bytes, first, count)
    try:
        cuda.decompress_at(pointer, size, *to_decode, room.pointer, room.nbytes, *queue)
    except (UnsupportedError, OutOfMemoryError):  # encodings that GPUs do not have, or segments too long for them
        reader = source.reader
        if reader is None:
            stored = np.empty(size, np.uint8)
            cuda.download(pointer, stored, *queue)
            reader = _floe.Reader(stored)
        host = np.empty(room.nbytes, np.uint8)
        reader.decompress_slice(host, first, count, 0, MEMORY_LIMIT, None)
        cuda.upload(host, room.pointer, *queue)
    del owner
