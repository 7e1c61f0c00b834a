"""Tables in files as batches of Arrow, by its C stream interface, for which no package is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _floe
from ._errors import invalid

if TYPE_CHECKING:
    from ._file import TableFile

_FORMATS = {
    "f64": "g", "f32": "f", "f16": "e", "bf16": "S", "i8": "c", "i16": "s", "i32": "i", "i64": "l", "u8": "C",
    "u16": "S", "u32": "I", "u64": "L", "bool": "b", "time": "tss:", "text": "U",
}  # fmt: skip
_Column = tuple[int, list[Any]]  # nulls, and buffers


def _bits(flags: np.ndarray) -> np.ndarray:
    return np.packbits(flags, bitorder="little")


def _value_column(kind: str, values: np.ndarray, valid: np.ndarray) -> _Column:
    missing = len(valid) - int(np.count_nonzero(valid))
    data = _bits(values) if kind == "bool" else values.view(np.uint8)
    return missing, [_bits(valid) if missing else None, data]


def _may_hold(column: Mapping[str, Any], low: float, high: float) -> bool:
    """Whether a segment's column may have a value in a range, by what its header says."""
    bounds = column["bounds"]
    return bounds is None or (bounds[0] <= high and bounds[1] >= low)


class Selection:
    """Some columns and rows of a table, for all that takes streams of Arrow: ``pyarrow.table(selection)``."""

    def __init__(
        self,
        table: TableFile,
        columns: Iterable[str] | None = None,
        rows: slice = slice(None),
        between: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self._table = table
        names = table.columns if columns is None else list(columns)
        self._columns = [(name, table._number(name), table._info["columns"][table._number(name)][1]) for name in names]
        first, stop, step = rows.indices(len(table))
        if step != 1:
            raise invalid("rows that are selected have step 1")
        self._first, self._end = first, max(first, stop)
        self._between = [(table._number(name), *bounds) for name, bounds in (between or {}).items()]

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return [name for name, _, _ in self._columns]

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """First row and number of rows of what is read of each segment."""
        for segment in self._table.plan:
            first = max(segment["first"], self._first)
            count = min(segment["first"] + segment["count"], self._end) - first
            wanted = all(_may_hold(segment["columns"][number], *bounds) for number, *bounds in self._between)
            if count > 0 and wanted:
                yield first, count

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """A capsule with a stream of a batch for each segment."""
        ranges = self._ranges()

        def next_batch() -> tuple[int, list[_Column]] | None:
            found = next(ranges, None)
            if found is None:
                return None
            batch: list[_Column] = []
            for _, number, kind in self._columns:
                if kind == "text":
                    batch.append(self._table._text_column(number, *found))
                else:
                    batch.append(_value_column(kind, *self._table._values(number, *found)))
            return found[1], batch

        following: Callable[[], tuple[int, list[_Column]] | None] = next_batch
        return _floe.arrow_stream(self.columns, [_FORMATS[kind] for _, _, kind in self._columns], following)
