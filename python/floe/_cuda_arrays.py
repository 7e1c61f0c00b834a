"""Arrays of other libraries in the memory of GPUs: where they lie, what their elements are, and on which stream.

CuPy, PyTorch, JAX and Numba say so by DLPack (``__dlpack__``) or by ``__cuda_array_interface__``. Neither is imported
here.
"""

from __future__ import annotations

import functools
import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _floe
from ._elements import floe_type
from ._errors import UnsupportedError, invalid, unsupported

_CUDA, _MANAGED = 2, 13  # of DLDeviceType
_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6  # of DLDataTypeCode
_DLPACK = {
    "f64": (_FLOAT, 64), "f32": (_FLOAT, 32), "f16": (_FLOAT, 16), "bf16": (_BFLOAT, 16), "bool": (_BOOL, 8),
    "i8": (_INT, 8), "i16": (_INT, 16), "i32": (_INT, 32), "i64": (_INT, 64),
    "u8": (_UINT, 8), "u16": (_UINT, 16), "u32": (_UINT, 32), "u64": (_UINT, 64),
}  # fmt: skip
_NAMES = {kind: name for name, kind in _DLPACK.items()}
_LEGACY = 1  # the default stream, as both protocols write it


@dataclass(frozen=True)
class View:
    """An array in memory of a device. `owner` keeps it alive."""

    pointer: int
    device: int
    dtype: str
    shape: tuple[int, ...]
    owner: Any

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * (_DLPACK[self.dtype][1] // 8)


@functools.cache
def module() -> Any:
    """The extension module, of the right version. What fails is asked again.

    Raises UnsupportedError where it is not installed, and Error where there is no GPU.
    """
    try:
        from floe_cuda import _floe_cuda
    except ModuleNotFoundError as missing:
        if missing.name not in ("floe_cuda", "floe_cuda._floe_cuda"):
            raise
        raise UnsupportedError(
            "unsupported_codec", 0, "arrays on GPUs need the package floe-cuda of the same version beside floe: "
            "./dev wheel-cuda builds it, pip install build/wheels/floe_cuda-*.whl"
        ) from None  # fmt: skip
    if _floe_cuda.version() != _floe.version():
        raise unsupported(f"floe is version {_floe.version()}, floe-cuda {_floe_cuda.version()}: install the same one")
    _floe_cuda.device_count()
    return _floe_cuda


def dlpack_type(dtype: str) -> tuple[int, int]:
    """Code and bits of a type of floe."""
    return _DLPACK[dtype]


def is_on_device(source: Any) -> bool:
    """Whether it is an array in memory of a GPU. Imports nothing, and touches no GPU."""
    if isinstance(source, (np.ndarray, bytes, bytearray, memoryview)):
        return False
    try:
        if hasattr(source, "__dlpack_device__"):
            return int(source.__dlpack_device__()[0]) in (_CUDA, _MANAGED)
        return hasattr(source, "__cuda_array_interface__")
    except Exception:  # an array that says nothing of its device is none of a GPU
        return False


def stream_handle(stream: Any, source: Any = None) -> int:
    """The address of a stream of CUDA, PyTorch, CuPy or Numba.

    Without one it is the current stream of the library of `source`, else the default stream. Raises
    InvalidArgumentError for other objects.
    """
    if stream is None:
        return _current_stream(source)
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr"):  # PyTorch, CuPy
        if isinstance(getattr(stream, name, None), int):
            return int(getattr(stream, name))
    handle = getattr(getattr(stream, "handle", None), "value", None)  # Numba; None is its default stream
    if isinstance(handle, int):
        return handle
    raise invalid(f"{type(stream).__name__} is no CUDA stream: give its address, or one of CuPy, PyTorch or Numba")


def _current_stream(source: Any) -> int:
    library = type(source).__module__.partition(".")[0]
    if library == "torch":
        return _current_torch_stream(source.device)
    if library == "cupy":
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return 0


def _current_torch_stream(device: Any) -> int:
    torch: Any = sys.modules["torch"]
    quick = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # Triton takes it, too: a tenth of the time
    if quick is not None and device.index is not None:
        return int(quick(device.index))
    return int(torch.cuda.current_stream(device).cuda_stream)


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> bool:
    expected = item
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size > 1 and stride != expected:
            return 0 in shape
        expected *= size
    return True


def _refuse_strides() -> None:
    raise invalid("the array is not contiguous in C order: cupy.ascontiguousarray(x), or tensor.contiguous()")


def view_of(source: Any, stream: int, *, is_written: bool = False) -> View:
    """Where an array lies; work that its library has not finished is before what comes next on the stream.

    Raises InvalidArgumentError for arrays that are not contiguous, or not on a device, and UnsupportedError for types
    that floe does not have.
    """
    if isinstance(source, View):
        return source
    if hasattr(source, "__dlpack__") and hasattr(source, "__dlpack_device__"):
        if source.__dlpack_device__()[0] not in (_CUDA, _MANAGED):
            raise invalid(f"{type(source).__name__} is not in the memory of a CUDA device")
        return _view_of_dlpack(source, stream)
    if hasattr(source, "__cuda_array_interface__"):
        return _view_of_interface(source, stream, is_written)
    raise invalid(f"{type(source).__name__} has neither __dlpack__ nor __cuda_array_interface__")


def _view_of_dlpack(source: Any, stream: int) -> View:
    if (known := module().known_array(source, stream)) is not None:
        pointer, number, name, shape = known
        return View(pointer, number, name, shape, source)
    if getattr(source, "is_neg", bool)():  # PyTorch hands out what is to be negated
        raise invalid("the tensor is negated when it is read: tensor.resolve_neg()")
    borrowed = module().Borrowed(source.__dlpack__(stream=stream or _LEGACY))
    code, bits, lanes = borrowed.dtype
    name = _NAMES.get((code, bits))
    if name is None or lanes != 1:
        raise unsupported(f"floe on GPUs has no type for elements of {getattr(source, 'dtype', (code, bits, lanes))}")
    shape = tuple(borrowed.shape)
    if borrowed.strides and not _is_contiguous(shape, tuple(borrowed.strides), 1):
        _refuse_strides()
    return View(borrowed.pointer, borrowed.device[1], name, shape, (source, borrowed))


def _view_of_interface(source: Any, stream: int, is_written: bool) -> View:
    described = source.__cuda_array_interface__
    try:
        dtype = np.dtype(described["typestr"])
        shape = tuple(int(size) for size in described["shape"])
        pointer, is_read_only = described["data"]
        strides = described.get("strides")
    except (KeyError, TypeError, ValueError) as problem:
        raise invalid(f"__cuda_array_interface__ cannot be read: {problem!r}") from None
    if any(size < 0 for size in shape) or not isinstance(pointer, int) or pointer < 0:
        raise invalid(f"__cuda_array_interface__ has the shape {shape} and the address {pointer}")
    if is_written and is_read_only:
        raise invalid("the array on the GPU is read-only")
    if described.get("mask") is not None:
        raise unsupported("arrays with a mask")
    if dtype.kind == "c":
        raise unsupported(f"{dtype} on GPUs; view it as pairs of floats")
    if dtype.byteorder == ">":
        raise unsupported("big-endian elements on GPUs")
    name = floe_type(dtype)
    if strides is not None and not _is_contiguous(shape, tuple(strides), dtype.itemsize):
        _refuse_strides()
    cuda = module()
    device = cuda.device_of(pointer) if pointer else cuda.current_device()
    if device < 0:
        raise invalid("the address of __cuda_array_interface__ is not in the memory of a CUDA device")
    producer = described.get("stream")
    if producer is not None and (producer if producer != _LEGACY else 0) != (stream if stream != _LEGACY else 0):
        cuda.wait_for_stream(stream, producer, device)
    return View(pointer, device, name, shape, source)
