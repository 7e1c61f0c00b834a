"""Chunks of HDF5 datasets in the memory of a GPU: they go there as they are stored, and are decoded there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import h5py
import numpy as np

from . import _floe
from ._cuda_arrays import View, module, stream_handle, view_of
from ._cuda_frames import Array, codec_of
from ._elements import floe_type
from ._errors import CorruptError, error_of, invalid, unsupported
from ._hdf5_chunks import ChunkReader, Range, box_of
from ._options import MEMORY_LIMIT
from .hdf5 import FILTER_ID

_BATCH_BYTES = 256 << 20  # of elements that are decoded in one call
_ALIGNMENT = 256


def _strides(shape: tuple[int, ...], item: int) -> list[int]:
    """In bytes, of all axes but the last."""
    return [math.prod(shape[axis + 1 :]) * item for axis in range(len(shape) - 1)]


@dataclass(frozen=True)
class _Chunk:
    """A frame to decode, and which part of the result it holds."""

    frame: bytes
    reader: _floe.Reader
    offset: tuple[int, ...]
    part: list[Range]


class _Target:
    """The result on the device, and how chunks come to their positions in it."""

    def __init__(self, reader: ChunkReader, box: list[Range], view: View, stream: int) -> None:
        self._chunk, self._box, self._view = reader.chunk_shape, box, view
        self._shape = tuple(end - first for first, end in box)
        self._item = reader.dtype.itemsize
        self._dtype = reader.dtype
        self._queue = {"device": view.device, "stream": stream}
        self._batches: dict[str, list[_Chunk]] = {}
        self._bytes = 0

    def part_of(self, offset: tuple[int, ...]) -> list[Range]:
        return [
            (max(first, at), min(end, at + size))
            for (first, end), at, size in zip(self._box, offset, self._chunk, strict=True)
        ]

    def _address(self, part: list[Range]) -> int:
        steps = [*_strides(self._shape, self._item), self._item]
        first = [begin - start for (begin, _), (start, _) in zip(part, self._box, strict=True)]
        return self._view.pointer + sum(at * step for at, step in zip(first, steps, strict=True))

    def _is_direct(self, part: list[Range]) -> bool:
        """Whether it is a whole chunk, whose elements lie side by side in the result."""
        sizes = tuple(end - first for first, end in part)
        return sizes == self._chunk and sizes[1:] == self._shape[1:] and self._address(part) % 16 == 0

    def put(self, chunk: int, offset: tuple[int, ...], part: list[Range]) -> None:
        """Copies what is needed of a decoded chunk at an address to its position."""
        steps = [*_strides(self._chunk, self._item), self._item]
        start = chunk + sum((first - at) * step for (first, _), at, step in zip(part, offset, steps, strict=True))
        counts = [end - first for first, end in part]
        counts[-1] *= self._item
        strides = _strides(self._shape, self._item), _strides(self._chunk, self._item)
        module().copy(self._address(part), start, counts, *strides, **self._queue)

    def put_from_host(self, chunk: np.ndarray, offset: tuple[int, ...]) -> None:
        memory = module().Memory(chunk.nbytes, **self._queue)
        module().upload(np.ascontiguousarray(chunk).reshape(-1).view(np.uint8), memory.pointer, **self._queue)
        self.put(memory.pointer, offset, self.part_of(offset))

    def decode(self, frame: bytes, offset: tuple[int, ...]) -> None:
        """Later, with others of its kind."""
        reader = _floe.Reader(frame)
        info, elements = reader.info(), math.prod(self._chunk)
        if info["content"] != "array" or info["element_count"] != elements or info["dtype"] != self._view.dtype:
            raise CorruptError("corrupt_frame", 0, "a chunk holds another array than its dataset")
        codec = codec_of(reader.segment(0)["columns"][0]["trees"])
        self._batches.setdefault(codec, []).append(_Chunk(frame, reader, offset, self.part_of(offset)))
        self._bytes += elements * self._item
        if self._bytes >= _BATCH_BYTES:
            self.finish()

    def finish(self) -> None:
        for codec, chunks in self._batches.items():
            self._decode_batch(codec, chunks)
        self._batches, self._bytes = {}, 0

    def _decode_batch(self, codec: str, chunks: list[_Chunk]) -> None:
        cuda, chunk_bytes = module(), math.prod(self._chunk) * self._item
        begins = np.cumsum([0] + [-(-len(chunk.frame) // 16) * 16 for chunk in chunks])
        host = np.zeros(int(begins[-1]), np.uint8)
        for begin, chunk in zip(begins, chunks, strict=False):
            host[begin : begin + len(chunk.frame)] = np.frombuffer(chunk.frame, np.uint8)
        stored = cuda.Memory(host.nbytes, **self._queue)
        cuda.upload(host, stored.pointer, **self._queue)
        copied = [index for index, chunk in enumerate(chunks) if not self._is_direct(chunk.part)]
        slot = -(-chunk_bytes // _ALIGNMENT) * _ALIGNMENT
        scratch = cuda.Memory(len(copied) * slot, **self._queue)
        rooms = [self._address(chunk.part) for chunk in chunks]
        for number, index in enumerate(copied):
            rooms[index] = scratch.pointer + number * slot
        segment = max(
            min(info["max_segment_length"], info["element_count"]) for info in (c.reader.info() for c in chunks)
        )
        frames = [
            (stored.pointer + int(begin), len(chunk.frame), room, chunk_bytes)
            for begin, chunk, room in zip(begins, chunks, rooms, strict=False)
        ]
        codes = cuda.decompress_all(frames, self._view.dtype, codec, segment * self._item, **self._queue)
        for chunk, room, code in zip(chunks, rooms, codes, strict=True):
            if code in ("unsupported_codec", "out_of_memory"):  # the CPU decodes it
                elements = np.empty(chunk_bytes, np.uint8)
                chunk.reader.decompress_slice(elements, 0, math.prod(self._chunk), 0, MEMORY_LIMIT, None)
                cuda.upload(elements, room, **self._queue)
            elif code != "ok":
                raise error_of(code, 0, f"the chunk at {chunk.offset} is damaged")
        for index in copied:
            self.put(rooms[index], chunks[index].offset, chunks[index].part)


def read_to_device(dataset: h5py.Dataset, selection: Any, out: Any, device: int | None, stream: Any) -> Any:
    """`floe.hdf5.read` for a result in the memory of a GPU."""
    cuda, handle = module(), stream_handle(stream, out)
    target = None if out is None else view_of(out, handle, is_written=True)
    if dataset.dtype.byteorder == ">" or dataset.dtype.kind == "c" or dataset.dtype.hasobject:
        raise unsupported(f"{dataset.dtype} on GPUs; read it to the host")
    dtype = floe_type(dataset.dtype)
    reader, found = ChunkReader.of(dataset, FILTER_ID), box_of(selection, dataset.shape)
    whole = None
    if reader is None or found is None or any(key not in (0, slice(None, None, 1)) for key in found[1]):
        whole = np.ascontiguousarray(dataset[selection])
        shape: tuple[int, ...] = np.shape(dataset[selection]) if whole.ndim == 0 else whole.shape
    else:
        shape = tuple(end - first for (first, end), key in zip(*found, strict=True) if key != 0)
    if target is None:
        where = cuda.current_device() if device is None else device
        size = math.prod(shape) * dataset.dtype.itemsize
        array = Array(cuda.Memory(size, where, handle, stream), dtype, shape)
        target = View(array.pointer, where, dtype, shape, array)
        out = array
    elif (target.dtype, target.shape) != (dtype, shape) or device not in (None, target.device):
        raise invalid(f"out is {target.dtype} {target.shape}, the selection {dtype} {shape}")
    if target.nbytes == 0:
        return out
    if whole is not None:
        cuda.upload(whole.reshape(-1).view(np.uint8), target.pointer, target.device, handle)
    else:
        assert reader is not None and found is not None
        _read_chunks(reader, found[0], target, handle)
    return out


def _read_chunks(reader: ChunkReader, box: list[Range], view: View, stream: int) -> None:
    reader.flush()
    target = _Target(reader, box, view, stream)
    for offset, frame, mask in reader.stored_chunks(box):
        if frame is None:
            target.put_from_host(np.full(reader.chunk_shape, reader.fill, reader.dtype), offset)
        elif mask & 1:  # the filter was left out
            target.put_from_host(np.frombuffer(frame, reader.dtype).reshape(reader.chunk_shape), offset)
        else:
            target.decode(frame, offset)
    target.finish()
    module().wait(view.device, stream)
