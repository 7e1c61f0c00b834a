"""NumPy arrays as floe stores them: elements in memory order with a type and a shape, and what else must come back.

What type and shape of a frame cannot say (Fortran order, complex numbers, dates, big-endian elements, more than 8
dimensions) stands in the frame's prefix, as the header of an .npy file. The program `floe` does the same with .npy
files, so either reads what the other wrote, and `floe -d` gives a valid .npy file.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import CorruptError, unsupported

_MAX_RANK = 8
_PLAIN = {"f8": "f64", "f4": "f32", "f2": "f16", "b1": "bool"} | {
    f"{kind}{size}": f"{kind}{8 * size}" for kind in "iu" for size in (1, 2, 4, 8)
}
_NUMPY = {name: "?" if name == "bool" else f"<{kind}" for kind, name in _PLAIN.items()}


def bfloat16() -> np.dtype[Any]:
    """The type of bf16 elements: that of ml_dtypes where it is installed, else their bits as uint16."""
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype("<u2")
    bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


def numpy_type(name: str) -> np.dtype[Any]:
    """The NumPy type of a floe type, ``"f32"``."""
    return bfloat16() if name == "bf16" else np.dtype(_NUMPY[name])


def floe_type(dtype: np.dtype[Any]) -> str:
    """The floe type of elements in native byte order. Raises UnsupportedError."""
    if dtype.name == "bfloat16":
        return "bf16"
    name = _PLAIN.get(f"{dtype.kind}{dtype.itemsize}")
    if name is None or dtype.fields is not None:
        hint = "; give its fields as a table, {name: array}" if dtype.fields is not None else ""
        raise unsupported(f"floe has no type for elements of {dtype}{hint}")
    return name


@dataclass(frozen=True)
class Elements:
    """An array as the library takes it. `data` are its bytes in memory order."""

    data: np.ndarray
    dtype: str
    shape: tuple[int, ...]
    prefix: bytes = b""


@dataclass(frozen=True)
class Layout:
    """What a frame's elements are to NumPy. `stored` is their type in the frame, in native byte order."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    stored: np.dtype[Any]

    def restore(self, flat: np.ndarray, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """An array of stored elements in memory order becomes what was compressed, or an outermost part of it."""
        if self.dtype.byteorder == ">":
            flat = flat.byteswap().view(self.dtype)
        elif flat.dtype != self.dtype:
            flat = flat.view(self.dtype)
        return flat.reshape(self.shape if shape is None else shape, order="F" if self.fortran else "C")


def as_array(source: Any) -> np.ndarray:
    """Any object with the buffer protocol or __array__; bytes and bytearrays are arrays of uint8."""
    if isinstance(source, (bytes, bytearray)):
        return np.frombuffer(source, np.uint8)
    return np.asarray(source)


def npy_header(dtype: np.dtype[Any], shape: tuple[int, ...], fortran: bool) -> bytes:
    header = io.BytesIO()
    descr = np.lib.format.dtype_to_descr(dtype) if dtype.isbuiltin == 1 else dtype.str
    np.lib.format.write_array_header_1_0(header, {"descr": descr, "fortran_order": fortran, "shape": shape})
    return header.getvalue()


def elements_of(source: Any) -> Elements:
    """Raises UnsupportedError for types that floe does not have."""
    array = as_array(source)
    kind, big = array.dtype.kind, array.dtype.byteorder == ">"
    stored = array.dtype.newbyteorder("<") if big else array.dtype
    fortran = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    shape = array.shape[::-1] if fortran else array.shape
    if kind == "c":
        stored = np.dtype(f"<f{stored.itemsize // 2}")
        shape = (*shape, 2)
    elif kind in "mM":
        stored = np.dtype("<i8")
    dtype = floe_type(stored)
    needs_header = fortran or big or kind in "cmM" or len(shape) > _MAX_RANK
    prefix = npy_header(array.dtype, array.shape, fortran) if needs_header else b""
    flat = (array.T if fortran else np.ascontiguousarray(array)).reshape(-1)
    if big:
        flat = flat.byteswap()
    if len(shape) > _MAX_RANK:
        shape = (flat.nbytes // stored.itemsize,)
    return Elements(flat.view(np.uint8), dtype, shape, prefix)


def layout_of(info: dict[str, Any]) -> Layout:
    """The layout of the array of a frame. Raises CorruptError if its .npy header contradicts it."""
    stored = numpy_type(info["dtype"])
    plain = Layout(stored, info["shape"], False, stored)
    prefix: bytes = info["prefix"]
    if not prefix.startswith(b"\x93NUMPY"):
        return plain
    try:
        file = io.BytesIO(prefix)
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(file, max_header_size=1 << 20)
    except (ValueError, OSError) as problem:
        raise CorruptError("corrupt_frame", 0, f"the .npy header cannot be read: {problem}") from None
    if info["dtype"] == "bf16":
        dtype = stored
    if dtype.hasobject or int(np.prod(shape, dtype=object)) * dtype.itemsize != info["element_count"] * stored.itemsize:
        raise CorruptError("corrupt_frame", 0, "the .npy header describes another array")
    return Layout(dtype, shape, fortran, stored)
