"""Tables: columns of arrays, and CSV text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _floe
from ._arrow_tables import Cells, table_from
from ._elements import as_array, floe_type
from ._errors import invalid, unsupported
from ._options import Goal, Profile, Progress, options_of, told

_PIECE_BYTES = 1 << 22
_SEGMENT_ROWS = 1 << 20


@dataclass(frozen=True)
class Columns:
    """The columns of a table as the library takes them."""

    names: list[str]
    types: list[str]
    values: list[np.ndarray]
    rows: int

    def write(self, write: Callable[[bytes], Any], options: _floe.Options, progress: Progress | None) -> None:
        """Hands the frame to `write`, piece by piece as it comes about."""
        data = self.values_as_bytes()
        _floe.write_columns(write, self.names, self.types, data, self.rows, _SEGMENT_ROWS, options, told(progress))

    def values_as_bytes(self) -> list[np.ndarray]:
        """As arrays of bytes."""
        return [values.view(np.uint8) for values in self.values]


def _column_of(name: str, source: Any) -> tuple[str, np.ndarray]:
    array = as_array(source)
    if array.ndim != 1:
        raise invalid(f"column '{name}' has {array.ndim} dimensions, not one")
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    if array.dtype == np.dtype("<M8[s]"):
        return "time", np.ascontiguousarray(array).view("<i8")
    if array.dtype.kind in "mM":
        raise unsupported(
            f"column '{name}': times of tables count seconds, these are {array.dtype}; give "
            "array.astype('M8[s]'), or their numbers as array.view('i8')"
        )
    if array.dtype.kind not in "fiub" and array.dtype.name != "bfloat16":
        raise unsupported(f"column '{name}': floe has no columns of {array.dtype}")
    return floe_type(array.dtype), np.ascontiguousarray(array)


def columns_of(table: Any) -> Columns | Cells:
    """Of a dictionary or a table of Arrow, which may have texts and nulls.

    Raises InvalidArgumentError for columns of different lengths, UnsupportedError for types that floe lacks.
    """
    if not isinstance(table, Mapping):
        table = table_from(table)
        if isinstance(table, Cells):
            return table
    described = [_column_of(str(name), source) for name, source in table.items()]
    if not described:
        raise invalid("a table has columns")
    rows = {len(values) for _, values in described}
    if len(rows) > 1:
        raise invalid(f"columns of a table have one length, not {sorted(rows)}")
    return Columns(
        [str(name) for name in table], [kind for kind, _ in described], [values for _, values in described], rows.pop()
    )


def compress_csv(
    source: str | os.PathLike[str] | Any,
    goal: Goal = "balance",
    *,
    schema: str = "",
    separator: str = "",
    names: bool | None = None,
    keep_text: bool = True,
    tree: str | None = None,
    threads: int = 0,
    profile: Profile = "cpu",
) -> bytes:
    """Compresses CSV text column by column.

    Args:
        source: A path, or a file that is open for reading bytes.
        schema: A line ``name,type,decimals`` for each column; empty to infer it from the text.
        separator: One of ``, ; |`` or a tab; empty to find it by looking.
        names: Whether the first line holds names; None to find out by looking.
        keep_text: Keep every byte of the text. False keeps the values of numbers, not how each was written.
        goal, tree, threads, profile: As for `compress`.

    Returns:
        The frame of a table. `floe.open` reads its columns; its text comes back from ``.restore(file)``.

    Raises:
        InvalidArgumentError: The schema or an option makes no sense.

    Thread-safe; the GIL is released.
    """
    options = options_of(goal, None, tree, threads, True, profile)
    pieces: list[bytes] = []
    name_row = 0 if names is None else 1 if names else 2
    with open(source, "rb") if isinstance(source, (str, os.PathLike)) else _Borrowed(source) as file:
        _floe.write_csv(pieces.append, lambda: file.read(_PIECE_BYTES), schema, separator, name_row, keep_text, options)
    return b"".join(pieces)


class _Borrowed:
    """A file of the caller's, which stays open."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def __enter__(self) -> Any:
        return self.file

    def __exit__(self, *_: object) -> None:
        pass


def read_csv(
    source: str | os.PathLike[str] | Any, columns: Iterable[str] | None = None, **options: Any
) -> dict[str, np.ndarray]:
    """Reads CSV text into arrays: f64, i64, datetime64[s], or object for columns of texts.

    Cells without a number are NaN among floating-point numbers and NaT among times; a column of integers with such
    cells is a masked array. Texts come without the quotes around them, and None for an empty cell. `options` are those
    of `compress_csv`.
    """
    from ._file import open as open_frame

    options.setdefault("goal", "speed")
    with open_frame(compress_csv(source, **options)) as table:
        values: dict[str, np.ndarray] = table.read(columns)
    return values


def write_csv(
    target: str | os.PathLike[str] | Any,
    table: Any,
    columns: Iterable[str] | None = None,
    rows: slice = slice(None),
) -> None:
    """Writes columns and rows of a table as CSV text, with a line of names first.

    Args:
        target: A path, or a file that is open for writing bytes.
        table: A `TableFile`, the bytes of a frame, or a dictionary of arrays.
        columns: Their names; None for all.
        rows: Of step 1.
    """
    from ._arrays import compress
    from ._file import TableFile
    from ._file import open as open_frame

    if isinstance(table, Mapping):
        table = compress(table, "speed")
    with _Borrowed(table) if isinstance(table, TableFile) else open_frame(table) as opened:
        if not isinstance(opened, TableFile):
            raise invalid("the frame holds an array, not a table")
        if isinstance(target, (str, os.PathLike)):
            with open(target, "wb") as file:
                opened.print(file, columns, rows)
        else:
            opened.print(target, columns, rows)
