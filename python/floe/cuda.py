"""Arrays in the memory of NVIDIA GPUs, of CuPy, PyTorch, JAX and Numba: compressed and restored where they lie.

>>> import cupy, floe.cuda                                           # doctest: +SKIP
>>> frame = floe.cuda.compress(cupy.arange(1e6))                     # doctest: +SKIP
>>> array = cupy.from_dlpack(floe.cuda.decompress(frame))            # doctest: +SKIP

Arrays come and go by DLPack or ``__cuda_array_interface__``, without a copy to the host, on the stream of the caller.
Frames stay on the device; ``bytes(frame)`` is what `floe.decompress` and files take, and what ``floe.compress(array)``
gives. The package ``floe-cuda`` must be installed beside floe: `is_available` says whether this works here.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _floe
from ._cuda_arrays import dlpack_type, is_on_device, module, stream_handle, view_of
from ._elements import layout_of, numpy_type
from ._errors import Error, InvalidArgumentError, OutOfMemoryError, UnsupportedError, invalid, unsupported
from ._options import MEMORY_LIMIT, codecs

_INTERFACE_VERSION = 3


def is_available() -> bool:
    """Whether floe-cuda is installed and there is a GPU. `reason` says what is missing."""
    return reason() is None


def reason() -> str | None:
    """Why there is no GPU for floe, or None if there is one."""
    try:
        module()
    except (Error, ImportError) as problem:
        return getattr(problem, "detail", "") or str(problem)
    return None


@dataclass(frozen=True)
class _Kind:
    """What is known of a frame before it is decoded: its array, its codec if it has one, and its segments."""

    dtype: str
    shape: tuple[int, ...]
    count: int
    codec: str
    segment_bytes: int


class Array:
    """An array in the memory of a GPU, for ``cupy.from_dlpack``, ``torch.from_dlpack`` and ``jax.dlpack.from_dlpack``.

    They take it without a copy. What made it has finished. Its memory is given back in the order of the stream that it
    was made on, once nobody has it any more; wait for what other streams do with it before. Attributes: `shape`,
    `dtype` (of NumPy), `nbytes`, `device` (its number) and `pointer`.
    """

    def __init__(self, memory: Any, dtype: str, shape: tuple[int, ...], stream_owner: Any = None) -> None:
        self._memory, self._floe_dtype, self._stream_owner = memory, dtype, stream_owner
        self.shape = shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return numpy_type(self._floe_dtype)

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * (dlpack_type(self._floe_dtype)[1] // 8)

    @property
    def device(self) -> int:
        return int(self._memory.device)

    @property
    def pointer(self) -> int:
        return int(self._memory.pointer)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        code, bits = dlpack_type(self._floe_dtype)
        return module().lend(self._memory, self.pointer, self.device, code, bits, self.shape)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._floe_dtype == "bf16":
            raise AttributeError("__cuda_array_interface__ has no bf16; DLPack has")
        described = {"shape": self.shape, "typestr": self.dtype.str, "data": (self.pointer, False), "strides": None}
        return {**described, "version": _INTERFACE_VERSION, "stream": None}

    def numpy(self) -> np.ndarray:
        """A copy in the memory of the host."""
        host = np.empty(self.shape, self.dtype)
        if host.nbytes:
            module().download(self.pointer, host.reshape(-1).view(np.uint8), self.device, 0)
        return host

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array on a GPU becomes one of NumPy by a copy")
        return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"floe.cuda.{type(self).__name__}({self.dtype} {self.shape} on device {self.device})"


class Frame(Array):
    """A frame in the memory of a GPU: an array of bytes. ``bytes(frame)`` copies it to the host.

    It lies in memory that has room for any frame of its array; `shrink` gives back what it does not need.
    """

    def __init__(self, memory: Any, size: int, kind: _Kind, stream_owner: Any) -> None:
        super().__init__(memory, "u8", (size,), stream_owner)
        self._kind = kind

    def shrink(self, stream: Any = None) -> Frame:
        """Moves it to memory of its own size, at the speed of a copy on the device. Returns itself."""
        if self._memory.nbytes > self.nbytes:
            handle = stream_handle(self._stream_owner if stream is None else stream)
            place = {"device": self.device, "stream": handle}
            smaller = module().Memory(self.nbytes, **place)
            module().copy(smaller.pointer, self.pointer, [self.nbytes], [], [], **place)
            module().wait(**place)
            self._memory = smaller
        return self

    def __bytes__(self) -> bytes:
        return self.numpy().tobytes()


def compress(
    array: Any,
    *,
    codec: str | None = None,
    tree: str | None = None,
    checksum: bool = True,
    segment_bytes: int = 0,
    stream: Any = None,
) -> Frame:
    """Compresses an array in the memory of a GPU into a frame there.

    Args:
        array: Contiguous, with ``__dlpack__`` or ``__cuda_array_interface__``: of CuPy, PyTorch, JAX, Numba.
        codec: A codec of `floe.codecs`, the fastest way. Without it, and without a tree, the device's planner chooses
            trees that GPUs decode fast.
        tree: A tree of encodings for all of the array.
        checksum: Of all bytes, verified when they are decoded.
        segment_bytes: The unit of random access, a multiple of 16384, for a codec or a tree; 0 is what suits it.
        stream: To work on: a stream of CuPy, PyTorch or Numba, or its address. The default is the current one of the
            array's library.

    Returns:
        The frame, when the work is done. Its bytes are those of ``floe.compress(..., profile="gpu")`` with the same
        tree.

    Raises:
        InvalidArgumentError: The array is not contiguous or not on a GPU.
        UnsupportedError: floe has no such type, or GPUs have no such tree; or the package floe-cuda is not installed.
        Error: There is no driver or no GPU, or it failed.

    Thread-safe; the GIL is released. The array must not change meanwhile.
    """
    if codec is not None and tree is not None:
        raise invalid("a codec and a tree exclude each other")
    if segment_bytes and not (codec or tree):
        raise invalid("segment_bytes goes with a codec or a tree")
    cuda, handle, chosen = module(), stream_handle(stream, array), codec or tree or ""
    view = view_of(array, handle)
    if len(view.shape) > 8:
        raise unsupported("more than 8 dimensions on GPUs")
    how, place = (chosen, checksum, segment_bytes), (view.device, handle)
    try:
        room = cuda.Memory(cuda.room_for(view.dtype, view.shape, *how), *place)
        size = cuda.compress(view.pointer, view.nbytes, view.dtype, view.shape, *how, room.pointer, room.nbytes, *place)
    except (InvalidArgumentError, UnsupportedError):
        _check(codec, tree, view.dtype)
        raise
    kind = _Kind(view.dtype, view.shape, math.prod(view.shape), codec_of([chosen]), segment_bytes)
    return Frame(room, size, kind, stream)


def _check(codec: str | None, tree: str | None, dtype: str) -> None:
    """Says what is wrong with a codec or a tree, if something is."""
    if codec is not None and codec.partition("(")[0] not in codecs():
        raise invalid(f"there is no codec '{codec}'; there are {', '.join(codecs())}")
    if chosen := codec or tree:
        _floe.check_tree(chosen, dtype)
        if not module().supports(dtype, chosen):
            raise unsupported(f"GPUs do not encode {dtype} with '{chosen}'")


class _Source:
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


def kind_of(info: dict[str, Any]) -> _Kind:
    """Of what a reader says of a frame, with the trees of its first segment. Raises UnsupportedError."""
    if info["content"] != "array":
        raise unsupported("tables on GPUs: floe.decompress gives their columns")
    layout = layout_of(info)
    if layout.fortran or layout.dtype != layout.stored:
        raise unsupported("arrays in Fortran order, big-endian, and of complex numbers and dates on GPUs")
    count = info["element_count"]
    segment_bytes = min(info["max_segment_length"], count) * layout.stored.itemsize
    return _Kind(info["dtype"], layout.shape, count, codec_of(info["trees"]), segment_bytes)


@functools.cache
def _codec_names() -> frozenset[str]:
    return frozenset(codecs())


def codec_of(trees: list[str]) -> str:
    """The codec that a segment has, or nothing if it has another tree."""
    return trees[0] if trees and trees[0].partition("(")[0] in _codec_names() else ""


def _rows_of(rows: slice | None, shape: tuple[int, ...]) -> tuple[int, int]:
    if rows is None:
        return 0, shape[0] if shape else 1
    if not shape:
        raise invalid("an array without dimensions has no rows")
    first, end, step = rows.indices(shape[0])
    if step != 1:
        raise invalid("rows of a frame have a step of 1")
    return first, max(first, end)


def decompress(
    frame: Any,
    *,
    rows: slice | None = None,
    out: Any = None,
    stream: Any = None,
    device: int | None = None,
    max_bytes: int | None = None,
) -> Any:
    """Restores an array, or some of its outermost entries, in the memory of a GPU.

    Args:
        frame: Of `compress`, or any array of bytes on a GPU that begins at a multiple of 16; or bytes of the host,
            which are copied as they are and decoded on the device.
        rows: ``slice(10, 20)`` for ten entries of the first axis; decodes only chunks or segments that they overlap.
        out: A contiguous array on the GPU to write to, with the type and shape of the result.
        stream: As in `compress`; the default is the current one of the library of `out`, else of the frame.
        device: The number of the GPU for frames of the host; the default is that of `out`, else the current one.
        max_bytes: The result may have so many; a frame of a few bytes may stand for a huge array.

    Returns:
        `out`, or an `Array`, when the work is done.

    Raises:
        CorruptError: The frame is damaged.
        UnsupportedError: The array cannot be on a GPU as it is (Fortran order, complex), or a frame on the device has
            encodings that GPUs do not have. Frames of the host are then decoded by the CPU, and copied.
        InvalidArgumentError: `out` has another type or shape.
        OutOfMemoryError, Error: As `compress`.

    Thread-safe; the GIL is released. Safe for bytes from anyone.
    """
    cuda, handle = module(), stream_handle(stream, frame if out is None else out)
    target = None if out is None else view_of(out, handle, is_written=True)
    source = _Source(frame, handle, target.device if target is not None else device)
    kind = source.kind
    first, end = _rows_of(rows, kind.shape)
    shape = kind.shape and (end - first, *kind.shape[1:])
    room: Any = target
    if target is None:
        size = math.prod(shape) * (dlpack_type(kind.dtype)[1] // 8)
        if max_bytes is not None and size > max_bytes:
            raise OutOfMemoryError("out_of_memory", 0, f"the array has {size} bytes, more than max_bytes")
        room = Array(cuda.Memory(size, source.device, handle), kind.dtype, shape, stream)
    elif (target.dtype, target.shape, target.device) != (kind.dtype, shape, source.device):
        raise invalid(f"out is {target.dtype} {target.shape}, the frame holds {kind.dtype} {shape}")
    row = kind.count // kind.shape[0] if kind.shape and kind.shape[0] else 1
    if room.nbytes:
        _decode(source, first * row, (end - first) * row, room, handle)
    return room if out is None else out


def _decode(source: _Source, first: int, count: int, room: Any, stream: int) -> None:
    cuda, kind, place = module(), source.kind, (source.device, stream)
    pointer, size, owner = source.memory(stream)
    to_decode = (kind.dtype, kind.codec, kind.segment_bytes, first, count)
    try:
        cuda.decompress(pointer, size, *to_decode, room.pointer, room.nbytes, *place)
    except (UnsupportedError, OutOfMemoryError):
        if source.reader is None:
            raise
        host = np.empty(room.nbytes, np.uint8)
        source.reader.decompress_slice(host, first, count, 0, MEMORY_LIMIT, None)
        cuda.upload(host, room.pointer, *place)
    del owner


def free_memory() -> None:
    """Gives memory of GPUs that floe keeps for further calls back to the system. Waits for their work."""
    module().trim()


__all__ = ["Array", "Frame", "compress", "decompress", "free_memory", "is_available", "reason"]
