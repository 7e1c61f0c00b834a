"""Arrays and frames in the memory of GPUs, which floe has made there, and what is known of a frame."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._cuda_arrays import dlpack_type, module, stream_handle
from ._elements import layout_of, numpy_type
from ._errors import unsupported
from ._options import codecs

_INTERFACE_VERSION = 3


@dataclass(frozen=True)
class Kind:
    """What is known of a frame before it is decoded: its array, its codec if it has one, and its segments."""

    dtype: str
    shape: tuple[int, ...]
    count: int
    codec: str
    segment_bytes: int


def kind_of(info: dict[str, Any]) -> Kind:
    """Of what a reader says of a frame, with the trees of its first segment. Raises UnsupportedError."""
    if info["content"] != "array":
        raise unsupported("tables on GPUs: floe.decompress gives their columns")
    layout = layout_of(info)
    if layout.fortran or layout.dtype != layout.stored:
        raise unsupported("arrays in Fortran order, big-endian, and of complex numbers and dates on GPUs")
    count = info["element_count"]
    segment_bytes = min(info["max_segment_length"], count) * layout.stored.itemsize
    return Kind(info["dtype"], layout.shape, count, codec_of(info["trees"]), segment_bytes)


@functools.cache
def _codec_names() -> frozenset[str]:
    return frozenset(codecs())


def codec_of(trees: list[str]) -> str:
    """The codec that a segment has, or nothing if it has another tree."""
    return trees[0] if trees and trees[0].partition("(")[0] in _codec_names() else ""


class Array:
    """An array in the memory of a GPU, for ``cupy.from_dlpack``, ``torch.from_dlpack`` and ``jax.dlpack.from_dlpack``.

    They take it without a copy. What made it has finished. Its memory is given back in the order of the stream that it
    was made on, once nobody has it any more; wait for what other streams do with it before. Attributes: `shape`,
    `dtype` (of NumPy), `nbytes`, `device` (its number) and `pointer`.
    """

    shape: tuple[int, ...]

    def __init__(self, memory: Any, dtype: str, shape: tuple[int, ...]) -> None:
        self._memory, self._floe_dtype, self.shape = memory, dtype, shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements; that of ml_dtypes for bf16, or its bits as uint16."""
        return numpy_type(self._floe_dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return math.prod(self.shape) * (dlpack_type(self._floe_dtype)[1] // 8)

    @property
    def device(self) -> int:
        """Number of the GPU."""
        return int(self._memory.device)

    @property
    def pointer(self) -> int:
        """Address of the first element, on the device."""
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

    _floe_dtype = "u8"

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The number of its bytes, alone."""
        return (int(self._memory.size),)

    @property
    def _kind(self) -> Kind:
        if self._memory.kind is None:  # until the memory has a frame of other contents
            dtype, shape, count, tree, segment_bytes = self._memory.contents
            self._memory.kind = Kind(dtype, shape, count, codec_of([tree]), segment_bytes)
        kind: Kind = self._memory.kind
        return kind

    def shrink(self, stream: Any = None) -> Frame:
        """Moves it to memory of its own size, at the speed of a copy on the device. Returns itself."""
        if self._memory.nbytes > self.nbytes:
            self._memory = self._memory.shrunk(None if stream is None else stream_handle(stream), stream)
        return self

    def __bytes__(self) -> bytes:
        return self.numpy().tobytes()
