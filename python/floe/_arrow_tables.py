"""Tables of Arrow become tables of floe, by way of PyArrow: as numbers, or as cells of text where columns need it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _floe
from ._errors import unsupported
from ._options import Progress, told

#: A longer text in quotes would not be one to those who read CSV with floe.
_MAX_TEXT_BYTES = (1 << 20) - 2
_MAX_ROW_BYTES = 64 << 20
_PIECE_BYTES = 16 << 20
_YEARS = np.array(["0000-01-01T00:00:00", "9999-12-31T23:59:59"], "M8[s]").view("i8")


def is_table(source: Any) -> bool:
    """Whether something gives the columns of a table as Arrow does: tables, frames and streams, not single columns."""
    is_many = hasattr(source, "columns") or hasattr(source, "read_next_batch")
    return is_many and hasattr(source, "__arrow_c_stream__")


def table_from(source: Any) -> dict[str, np.ndarray] | Cells:
    """The columns of a table of PyArrow, Polars, pandas, DuckDB and others.

    They are arrays where all are numbers, and cells where there are texts or nulls. Raises UnsupportedError for types
    that floe does not have, before anything is converted.
    """
    try:
        import pyarrow
    except ImportError:
        raise unsupported("to take tables of Arrow, pip install pyarrow; or give {name: array}") from None
    table = pyarrow.table(source)
    kinds = [_kind_of(name, kind) for name, kind in zip(table.column_names, table.schema.types, strict=True)]
    columns = [_plain(column) for column in table.columns]
    if type(source).__module__.partition(".")[0] == "pandas":  # to which NaN and missing floats are the same
        columns = [_with_nan(column) for column in columns]
    if "text" in kinds or any(column.null_count for column in columns):
        return Cells.of(table.column_names, kinds, columns)
    arrays = [_in_seconds(column.combine_chunks().to_numpy(zero_copy_only=False)) for column in columns]
    return dict(zip(table.column_names, arrays, strict=True))


def _kind_of(name: str, kind: Any) -> str:
    """The type of a column of floe that holds values of a type of Arrow."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    names = {"halffloat": "f16", "float": "f32", "double": "f64", "bool": "bool"}
    if str(kind) in names:
        return names[str(kind)]
    if _is_text(kind):
        return "text"
    if types.is_integer(kind):
        return f"{'i' if types.is_signed_integer(kind) else 'u'}{kind.bit_width}"
    if types.is_timestamp(kind) or types.is_date(kind):
        return "time"
    raise unsupported(f"column '{name}': floe has no columns of {kind}; cast it to numbers, texts or timestamp('s')")


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "string_view", "null")


def _plain(column: Any) -> Any:
    """Values instead of numbers of a dictionary, and texts of one type."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(column.type):
        chunks = [_plain(chunk.dictionary).take(chunk.indices) for chunk in column.chunks]
        column = pyarrow.chunked_array(chunks, None if chunks else column.type.value_type)
    return column.cast(pyarrow.large_string()) if _is_text(column.type) else column


def _with_nan(column: Any) -> Any:
    from pyarrow import types

    return column.fill_null(float("nan")) if types.is_floating(column.type) else column


def _in_seconds(values: np.ndarray) -> np.ndarray:
    """Times that count smaller units, as whole seconds if they are such."""
    if values.dtype.kind != "M" or values.dtype == np.dtype("M8[s]"):
        return values
    seconds = values.astype("M8[s]")
    return seconds if np.array_equal(seconds, values) else values


@dataclass(frozen=True)
class Cells:
    """A table with texts or nulls. It is stored as the CSV text that it makes: null is an empty cell, "" a text without
    characters."""

    names: list[str]
    types: list[str]
    table: Any

    @classmethod
    def of(cls, names: list[str], kinds: list[str], columns: list[Any]) -> Cells:
        """Raises UnsupportedError for values that have no cell."""
        import pyarrow

        for name in names:
            if "\n" in name or "\r" in name:
                raise unsupported(f"column {name!r}: a name with a line end is no name beside texts or nulls")
        cells = [_checked(*column) for column in zip(names, kinds, columns, strict=True)]
        if sum(_longest(column) for kind, column in zip(kinds, cells, strict=True) if kind == "text") > _MAX_ROW_BYTES:
            raise unsupported(f"the texts of a row may have {_MAX_ROW_BYTES} bytes")
        return cls(names, kinds, pyarrow.Table.from_arrays(cells, names=[str(i) for i in range(len(names))]))

    def write(self, write: Callable[[bytes], Any], options: _floe.Options, progress: Progress | None) -> None:
        """Hands the frame to `write`, piece by piece as it comes about."""
        pieces = self._pieces(told(progress))
        _floe.write_cells(write, lambda: next(pieces, b""), self.names, self.types, options)

    def _pieces(self, progress: Callable[[int, int], Any] | None) -> Iterator[Any]:
        """CSV text. Tells how far the table is when the piece before is compressed."""
        import pyarrow

        end, nothing = (pyarrow.scalar(text, pyarrow.large_string()) for text in ("\n", ""))
        yield (",".join('"' + name.replace('"', '""') + '"' for name in self.names) + "\n").encode()
        rows, size, done = self.table.num_rows, self.table.nbytes, 0
        for batch in self.table.to_batches(max(1, min(1 << 16, _PIECE_BYTES * rows // max(size, 1)))):
            if batch.num_rows:
                cells = [_text(kind, column) for kind, column in zip(self.types, batch.columns, strict=True)]
                cells[-1] = _side_by_side([cells[-1], end], nothing)
                yield _bytes_of(_side_by_side(cells, pyarrow.scalar(",", pyarrow.large_string())))
                done += batch.num_rows
                if progress is not None and done < rows:
                    progress(size * done // rows, size)
        if progress is not None:
            progress(size, size)


def _longest(column: Any) -> int:
    """Bytes of the longest text, with quotes that are doubled."""
    from pyarrow import compute

    doubled = compute.count_substring(column, '"')
    return compute.max(compute.add(compute.binary_length(column).cast("int64"), doubled.cast("int64"))).as_py() or 0


def _checked(name: str, kind: str, column: Any) -> Any:
    """A column whose values all have a cell."""
    import pyarrow
    from pyarrow import compute

    if kind == "f16":
        raise unsupported(f"column '{name}': beside texts or nulls there are no columns of f16; cast it to float32")
    if kind == "text" and _longest(column) > _MAX_TEXT_BYTES:
        raise unsupported(f"column '{name}': a text may have {_MAX_TEXT_BYTES} bytes, quotes counted twice")
    if kind == "time":
        try:
            column = column.cast(pyarrow.timestamp("s"))
        except pyarrow.ArrowInvalid:
            raise unsupported(
                f"column '{name}': times of tables count seconds, these are {column.type}; cast them to "
                "timestamp('s'), or to int64"
            ) from None
        bounds = compute.min_max(column.cast("int64")).as_py()
        if bounds["min"] is not None and not (_YEARS[0] <= bounds["min"] and bounds["max"] <= _YEARS[1]):
            raise unsupported(f"column '{name}': beside texts or nulls, times are of the years 0 to 9999")
    return column


def _text(kind: str, column: Any) -> Any:
    """The cells of a column, null for those without a value."""
    import pyarrow
    from pyarrow import compute

    cells = column.cast(pyarrow.large_string())
    if kind != "text":
        return cells
    needs_quotes = compute.match_substring_regex(cells, '[",\r\n]|^$')
    if not compute.any(needs_quotes).as_py():
        return cells
    quote, nothing = (pyarrow.scalar(text, pyarrow.large_string()) for text in ('"', ""))
    doubled = compute.replace_substring(cells, '"', '""')
    return compute.if_else(needs_quotes, compute.binary_join_element_wise(quote, doubled, quote, nothing), cells)


def _side_by_side(cells: list[Any], separator: Any) -> Any:
    from pyarrow import compute

    return compute.binary_join_element_wise(*cells, separator, null_handling="replace", null_replacement="")


def _bytes_of(texts: Any) -> memoryview:
    """Of all texts, one behind the other."""
    offsets = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, 8 * texts.offset)
    return memoryview(texts.buffers()[2])[offsets[0] : offsets[-1]]
