"""Tables in files, read by columns and rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._elements import numpy_type
from ._errors import invalid
from ._opened import File, rows_of
from ._options import MEMORY_LIMIT, Progress, told


class TableFile(File):
    """A table in a file: ``f["price"]`` reads a column, ``f["price", 10:20]`` rows of it, ``f[10:20]`` rows of all.

    A column costs the streams of it; rows cost the segments of up to 2**20 rows that they overlap.
    """

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return [name for name, _, _ in self._info["columns"]]

    @property
    def dtypes(self) -> dict[str, np.dtype[Any]]:
        """Types of the arrays that columns become; object for texts."""
        return {name: _column_dtype(kind) for name, kind, _ in self._info["columns"]}

    def __len__(self) -> int:
        """Rows."""
        return int(self._info["element_count"])

    def _number(self, column: str) -> int:
        if column not in self.columns:
            raise KeyError(f"there is no column '{column}'; there are {', '.join(self.columns)}")
        return self.columns.index(column)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, slice):
            return self.read(rows=key)
        if isinstance(key, list):
            return self.read(key)
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], slice):
            return self.column(key[0], key[1]) if isinstance(key[0], str) else self.read(key[0], key[1])
        raise TypeError('a table takes a column ("a"), columns (["a", "b"]), rows (10:20) or both ("a", 10:20)')

    def column(self, name: str, rows: slice = slice(None)) -> np.ndarray:
        """The values of a column in some rows. Raises KeyError for a column that is not there, and CorruptError.

        Cells without a value are NaN among floating-point numbers and NaT among times; integers with such cells come
        as a masked array. Texts are an array of str, without the quotes that CSV has around them; an empty cell is
        None, and ``""`` a text without characters.
        """
        number = self._number(name)
        kind = self._info["columns"][number][1]
        first, end, rest = rows_of(rows, len(self))
        if kind == "text":
            return np.array(self._texts(number, first, end - first), dtype=object)[rest]
        values, valid = self._values(number, first, end - first)
        return _with_missing(values.view(_column_dtype(kind)), valid)[rest]

    def _texts(self, number: int, first: int, count: int) -> list[str | None]:
        return self._reader.read_texts(number, first, count, self._threads, MEMORY_LIMIT)

    def _text_column(self, number: int, first: int, count: int) -> tuple[int, list[Any]]:
        """As a column of Arrow: nulls, and buffers."""
        return self._reader.read_text_column(number, first, count, self._threads, MEMORY_LIMIT)

    def _values(self, number: int, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of a column, times as i64, and which of them are values."""
        kind = self._info["columns"][number][1]
        values = np.empty(count, np.dtype("<i8") if kind == "time" else numpy_type(kind))
        valid = np.empty(count, np.bool_)
        self._reader.read_values(
            number, first, count, values.view(np.uint8), valid.view(np.uint8), self._threads, MEMORY_LIMIT
        )
        return values, valid

    def read(
        self,
        columns: Iterable[str] | None = None,
        rows: slice = slice(None),
        progress: Progress | None = None,
    ) -> dict[str, np.ndarray]:
        """Some columns, or all, as a dictionary of arrays. `progress` is that of `decompress`, called after each."""
        names = list(self.columns if columns is None else columns)
        first, end, _ = rows_of(rows, len(self))
        widths = [_column_dtype(self._info["columns"][self._number(name)][1]).itemsize for name in names]
        tell, read, done = told(progress), {}, 0
        for name, width in zip(names, widths, strict=True):
            read[name] = self.column(name, rows)
            done += width
            if tell is not None:
                tell(done * (end - first), sum(widths) * (end - first))
        return read

    def print(self, target: Any, columns: Iterable[str] | None = None, rows: slice = slice(None)) -> None:
        """Writes CSV text with a line of names to a file that is open for writing bytes. `rows` have step 1."""
        if rows.step not in (None, 1):
            raise invalid("rows that are printed have step 1")
        numbers = [self._number(name) for name in (self.columns if columns is None else columns)]
        first, end, _ = rows_of(rows, len(self))
        self._reader.print_rows(numbers, first, end - first, target.write, self._threads, MEMORY_LIMIT)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Batches of Arrow, one of each segment as it is asked for: ``pyarrow.table(f)``, ``polars.DataFrame(f)``.

        Cells without a value are null. bf16, which Arrow does not have, are bits in uint16.
        """
        return self.select().__arrow_c_stream__(requested_schema)

    def select(
        self,
        columns: Iterable[str] | None = None,
        rows: slice = slice(None),
        between: Mapping[str, tuple[float, float]] | None = None,
    ) -> Any:
        """Some columns and rows as a stream of Arrow: ``polars.DataFrame(f.select(["price"], slice(0, 1000)))``.

        Args:
            columns: Names, in the order that is wanted; None for all. Others are not decoded.
            rows: A range of rows, with step 1.
            between: ``{"price": (10, 20)}`` leaves out the segments that have no such price, by the smallest and
                largest values in their headers. Rows of the others all come: filter them.
        """
        from ._arrow import Selection

        return Selection(self, columns, rows, between)

    def __repr__(self) -> str:
        return f"<floe.TableFile {self.name or 'in memory'}: {len(self)} rows of {', '.join(self.columns)}>"


def _column_dtype(kind: str) -> np.dtype[Any]:
    if kind == "text":
        return np.dtype(object)
    return np.dtype("<M8[s]") if kind == "time" else numpy_type(kind)


def _with_missing(values: np.ndarray, valid: np.ndarray) -> np.ndarray:
    if valid.all():
        return values
    if values.dtype.kind == "f" or values.dtype.name == "bfloat16":
        values[~valid] = np.nan
    elif values.dtype.kind == "M":
        values[~valid] = np.datetime64("NaT")
    else:
        return np.ma.MaskedArray(values, mask=~valid)
    return values
