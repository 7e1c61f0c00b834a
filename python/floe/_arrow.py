"""Tables as batches of Arrow, by its C stream interface. Neither PyArrow nor another package is needed to give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _floe

if TYPE_CHECKING:
    from ._file import TableFile

_FORMATS = {
    "f64": "g", "f32": "f", "f16": "e", "bf16": "S", "i8": "c", "i16": "s", "i32": "i", "i64": "l", "u8": "C",
    "u16": "S", "u32": "I", "u64": "L", "bool": "b", "time": "tss:", "text": "U",
}  # fmt: skip
_Column = tuple[int, list[np.ndarray | None]]


def _bits(flags: np.ndarray) -> np.ndarray:
    return np.packbits(flags, bitorder="little")


def _text_column(texts: list[str]) -> _Column:
    encoded = [text.encode() for text in texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return 0, [None, offsets, np.frombuffer(b"".join(encoded) or b"\0", np.uint8)]


def _value_column(kind: str, values: np.ndarray, valid: np.ndarray) -> _Column:
    missing = len(valid) - int(np.count_nonzero(valid))
    data = _bits(values) if kind == "bool" else values.view(np.uint8)
    return missing, [_bits(valid) if missing else None, data]


def stream_of(table: TableFile) -> Any:
    """A capsule with a stream of a batch for each segment."""
    columns = [(name, kind) for name, kind, _ in table._info["columns"]]
    segments = iter(table.plan)

    def next_batch() -> tuple[int, list[_Column]] | None:
        segment = next(segments, None)
        if segment is None:
            return None
        first, count = segment["first"], segment["count"]
        batch: list[_Column] = []
        for number, (_, kind) in enumerate(columns):
            if kind == "text":
                batch.append(_text_column(table._texts(number, first, count)))
            else:
                batch.append(_value_column(kind, *table._values(number, first, count)))
        return count, batch

    following: Callable[[], tuple[int, list[_Column]] | None] = next_batch
    return _floe.arrow_stream([name for name, _ in columns], [_FORMATS[kind] for _, kind in columns], following)
