"""The header of safetensors files: which tensors there are, of which type and shape, and where their bytes lie."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._elements import numpy_type
from ._errors import CorruptError, TruncatedError

_TYPES = {
    "F64": "f64", "F32": "f32", "F16": "f16", "BF16": "bf16", "BOOL": "bool", "I8": "i8", "I16": "i16", "I32": "i32",
    "I64": "i64", "U8": "u8", "U16": "u16", "U32": "u32", "U64": "u64",
}  # fmt: skip
_ML_DTYPES = {"F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu"}
NAMES = {numpy_type(name): ours for ours, name in _TYPES.items() if name != "bf16"}
_MAX_HEADER_BYTES = 100_000_000  # what the package safetensors allows
_MAX_RANK = 8


@dataclass(frozen=True)
class Tensor:
    """An entry of a header. `begin` and `end` count from the end of the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def element_type(self) -> str:
        """Of the frame; what floe has no type for is bytes."""
        return _TYPES.get(self.dtype, "u8")

    @property
    def element_shape(self) -> tuple[int, ...]:
        """Of the frame, in which only the outermost dimension may be empty."""
        if self.dtype in _TYPES and len(self.shape) <= _MAX_RANK and 0 not in self.shape[1:]:
            return self.shape
        return ((self.end - self.begin) // numpy_type(self.element_type).itemsize,)

    @property
    def numpy_type(self) -> np.dtype[Any]:
        """Of the array; small floats are those of ml_dtypes where it is installed, else bytes."""
        if self.dtype in _ML_DTYPES:
            try:
                import ml_dtypes
            except ImportError:
                return np.dtype(np.uint8)
            small: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML_DTYPES[self.dtype]))
            return small
        return numpy_type(self.element_type)

    def is_whole(self) -> bool:
        """Whether its bytes are as many as its type and shape ask for, where floe knows the type."""
        if self.dtype not in _TYPES:
            return True
        return int(np.prod(self.shape, dtype=object)) * numpy_type(self.element_type).itemsize == self.end - self.begin


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of JSON. Raises ValueError if tensors have one name."""
    entries = dict(pairs)
    if len(entries) < len(pairs) and any(isinstance(value, dict) for value in entries.values()):
        raise ValueError("two tensors have one name")
    return entries


def _sizes(numbers: Any) -> tuple[int, ...]:
    """Raises TypeError for what is no list of whole numbers."""
    if not isinstance(numbers, list) or any(type(number) is not int for number in numbers):
        raise TypeError("a shape or offsets are no whole numbers")
    return tuple(numbers)


def parse(header: bytes, data_bytes: int | None = None) -> tuple[list[Tensor], dict[str, str]]:
    """The tensors in the order of their data, and the metadata. Raises CorruptError unless they lie side by side."""
    try:
        entries = json.loads(header.decode(), object_pairs_hook=_object)  # of bytes it would take UTF-16, too
        metadata = dict(entries.pop("__metadata__", {}))
        tensors = [
            Tensor(name, str(entry["dtype"]), _sizes(entry["shape"]), *_sizes(entry["data_offsets"]))
            for name, entry in entries.items()
        ]
        "".join(
            tensor.name + tensor.dtype for tensor in tensors
        ).encode()  # JSON can say halves of characters, UTF-8 cannot
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as problem:
        raise CorruptError("corrupt_frame", 8, f"this is no header of a safetensors file: {problem}") from None
    tensors.sort(key=lambda tensor: (tensor.begin, tensor.end))
    position = 0
    for tensor in tensors:
        if tensor.begin != position or tensor.end < tensor.begin or any(size < 0 for size in tensor.shape):
            raise CorruptError(
                "corrupt_frame", 8, f"the bytes of tensor '{tensor.name}' do not follow the one before it"
            )
        position = tensor.end
    if data_bytes is not None and position != data_bytes:
        kind = TruncatedError if position > data_bytes else CorruptError
        raise kind("truncated_frame", 8, f"the tensors have {position} bytes, the file {data_bytes}")
    return tensors, metadata


def read_header(file: io.FileIO) -> bytes:
    file_bytes = os.fstat(file.fileno()).st_size
    length = int.from_bytes(os.pread(file.fileno(), 8, 0), "little")
    if file_bytes < 8 or length > min(file_bytes - 8, _MAX_HEADER_BYTES):
        raise CorruptError("corrupt_frame", 0, "this is no safetensors file: its header is longer than it")
    return os.pread(file.fileno(), length, 8)


def header_of(tensors: list[Tensor], metadata: Mapping[str, str], bytes_at_least: int = 0) -> bytes:
    """With its length in front, padded with blanks so that data are aligned to 8 bytes."""
    entries: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    for tensor in tensors:
        entries[tensor.name] = {
            "dtype": tensor.dtype,
            "shape": list(tensor.shape),
            "data_offsets": [tensor.begin, tensor.end],
        }
    text = json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode()
    text = text.ljust(max(bytes_at_least - 8, -(-len(text) // 8) * 8))
    return len(text).to_bytes(8, "little") + text
