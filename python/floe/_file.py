"""Arrays and tables in files, read in parts and written at once."""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _floe
from ._arrays import _compress_on_device, allocate, write_elements
from ._arrow import is_table
from ._cuda_arrays import is_on_device
from ._elements import elements_of, layout_of, numpy_type
from ._errors import invalid
from ._options import MEMORY_LIMIT, Goal, Profile, Progress, options_of
from ._plan import Info, StoredPlan


class File:
    """A frame that is open: an `ArrayFile` or a `TableFile`. Close it, or use ``with``.

    Thread-safe. Reading releases the GIL and touches only what is needed of the file.
    """

    def __init__(self, reader: _floe.Reader, name: str = "", file: io.FileIO | None = None, threads: int = 0) -> None:
        self._open_reader: _floe.Reader | None = reader
        self._file = file
        self._threads = threads
        self._info = reader.info()
        self.name = name

    @property
    def _reader(self) -> _floe.Reader:
        if self._open_reader is None:
            raise invalid("the file is closed")
        return self._open_reader

    @property
    def info(self) -> Info:
        """What the frame says of itself: type, shape or columns, segments, bytes, checksums."""
        return Info(self.name, self._info)

    @property
    def plan(self) -> StoredPlan:
        """How each segment is encoded, and what its columns have become. Reads the heads of segments when asked."""
        return StoredPlan(self.name, self._info, self._reader.segment)

    def restore(self, target: Any) -> None:
        """Writes what was compressed to a file that is open for writing bytes, as ``floe -d`` does.

        That is the text or the records of a table, or the elements of an array: an .npy file where it has a header.
        """
        target.write(self._info.get("prefix", b""))
        self._reader.restore(target.write, self._threads, MEMORY_LIMIT)

    def verify(self) -> None:
        """Decodes everything and drops it. Raises CorruptError for damage."""
        self._reader.restore(lambda piece: None, self._threads, MEMORY_LIMIT)

    def close(self) -> None:
        """Reads after it are errors."""
        self._open_reader = None
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()

    def _repr_html_(self) -> str:
        return self.info._repr_html_()


def _rows_of(key: slice, count: int) -> tuple[int, int, slice]:
    """The range that a slice needs, and what is then taken of it."""
    start, stop, step = key.indices(count)
    if step > 0:
        return start, max(start, stop), slice(None, None, step)
    picked = range(start, stop, step)
    if not picked:
        return 0, 0, slice(None)
    return picked[-1], start + 1, slice(None, None, step)


class _Flat:
    """Elements of an array by their number."""

    def __init__(self, file: ArrayFile) -> None:
        self._file = file

    def __len__(self) -> int:
        return self._file.size

    def __getitem__(self, key: int | slice) -> Any:
        file = self._file
        if file._layout.fortran:
            return file.read().reshape(-1)[key]
        if isinstance(key, slice):
            first, end, rest = _rows_of(key, file.size)
            return file._read_flat(first, end - first, (end - first,))[rest]
        return file._read_flat(range(file.size)[key], 1, (1,))[0]


class ArrayFile(File):
    """An array in a file, read in parts: ``f[10:20]`` reads ten outermost entries, ``f.flat[a:b]`` elements.

    Other indices of NumPy work, too; what the first one does not narrow down is read. A part costs the chunks of
    16 KiB (of codecs) or segments of 1 MiB that it overlaps. Of an array in Fortran order everything is read, unless
    the index is a range of its last axis: ``f[..., 10:20]``.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._layout = layout_of(self._info)

    @property
    def shape(self) -> tuple[int, ...]:
        """Slowest-varying dimension first."""
        return self._layout.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements."""
        return self._layout.dtype

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return int(np.prod(self.shape, dtype=object))

    @property
    def nbytes(self) -> int:
        """Bytes of its elements."""
        return self.size * self.dtype.itemsize

    @property
    def flat(self) -> _Flat:
        """Elements by number, as of ``numpy.ndarray.flat``: ``f.flat[1000:2000]``."""
        return _Flat(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def restore(self, target: Any) -> None:
        if self.dtype.byteorder != ">":
            super().restore(target)
        else:
            target.write(self._info["prefix"])
            target.write(self.read().tobytes("A"))

    def _read_flat(
        self, first: int, count: int, shape: tuple[int, ...], progress: Progress | None = None
    ) -> np.ndarray:
        """`count` elements in memory order."""
        layout = self._layout
        words = layout.dtype.itemsize // layout.stored.itemsize
        room = np.empty(count * words, layout.stored)
        self._reader.decompress_slice(
            room.view(np.uint8), first * words, count * words, self._threads, MEMORY_LIMIT, progress
        )
        return layout.restore(room, shape)

    def read(self, progress: Progress | None = None, max_bytes: int | None = None) -> np.ndarray:
        """All of it. Errors are those of `floe.decompress`."""
        allocate(self._layout, max_bytes)
        return self._read_flat(0, self.size, self.shape, progress)

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if self._layout.fortran:
            if len(keys) == 2 and keys[0] is Ellipsis and isinstance(keys[1], slice):
                first, end, rest = _rows_of(keys[1], self.shape[-1])
                inner = self.size // max(self.shape[-1], 1)
                part = self._read_flat(first * inner, (end - first) * inner, (*self.shape[:-1], end - first))
                return part[..., rest]
            return self.read()[key]
        if not self.shape or not keys or not isinstance(keys[0], (int, np.integer, slice)):
            return self.read()[key]
        if isinstance(keys[0], slice):
            first, end, rest = _rows_of(keys[0], self.shape[0])
            return self._entries(first, end)[(rest, *keys[1:])]
        row = int(keys[0])
        if not -self.shape[0] <= row < self.shape[0]:
            raise IndexError(f"index {row} is out of bounds for axis 0 with size {self.shape[0]}")
        row %= self.shape[0]
        return self._entries(row, row + 1)[(0, *keys[1:])]

    def _entries(self, first: int, end: int) -> np.ndarray:
        inner = self.size // max(self.shape[0], 1)
        return self._read_flat(first * inner, (end - first) * inner, (end - first, *self.shape[1:]))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a compressed array is always copied")
        array = self.read()
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        name, stored_bytes = self.name or "in memory", self._info["frame_bytes"]
        return f"<floe.ArrayFile {name}: {self.dtype} {self.shape}, {stored_bytes} bytes>"


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
        as a masked array. Texts are an array of str as they stand in the CSV, with their quotes.
        """
        number = self._number(name)
        kind = self._info["columns"][number][1]
        first, end, rest = _rows_of(rows, len(self))
        if kind == "text":
            return np.array(self._texts(number, first, end - first), dtype=object)[rest]
        values, valid = self._values(number, first, end - first)
        return _with_missing(values.view(_column_dtype(kind)), valid)[rest]

    def _texts(self, number: int, first: int, count: int) -> list[str]:
        return self._reader.read_texts(number, first, count, self._threads, MEMORY_LIMIT)

    def _values(self, number: int, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of a column, times as i64, and which of them are values."""
        kind = self._info["columns"][number][1]
        values = np.empty(count, np.dtype("<i8") if kind == "time" else numpy_type(kind))
        valid = np.empty(count, np.bool_)
        self._reader.read_values(
            number, first, count, values.view(np.uint8), valid.view(np.uint8), self._threads, MEMORY_LIMIT
        )
        return values, valid

    def read(self, columns: Iterable[str] | None = None, rows: slice = slice(None)) -> dict[str, np.ndarray]:
        """Some columns, or all, as a dictionary of arrays."""
        return {name: self.column(name, rows) for name in (self.columns if columns is None else columns)}

    def print(self, target: Any, columns: Iterable[str] | None = None, rows: slice = slice(None)) -> None:
        """Writes CSV text with a line of names to a file that is open for writing bytes. `rows` have step 1."""
        if rows.step not in (None, 1):
            raise invalid("rows that are printed have step 1")
        numbers = [self._number(name) for name in (self.columns if columns is None else columns)]
        first, end, _ = _rows_of(rows, len(self))
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


def open(source: str | os.PathLike[str] | Any, *, threads: int = 0) -> Any:
    """Opens a frame to read parts of it: an `ArrayFile` or a `TableFile`.

    Args:
        source: A path, a file that is open for reading bytes and can seek (of fsspec, too), or a frame in memory.
        threads: At most so many decode; 0 is as many as this process may use.

    Raises:
        CorruptError, TruncatedError, UnsupportedError: The bytes are no frame that this floe reads.
        OSError: The file cannot be read.
    """
    opened = None
    try:
        if isinstance(source, (str, os.PathLike)):
            name = os.fspath(source)
            opened = io.FileIO(name)
            reader = _floe.Reader(opened.fileno(), os.fstat(opened.fileno()).st_size)
        elif hasattr(source, "seek") and hasattr(source, "read"):
            name = str(getattr(source, "name", ""))
            reader = _floe.Reader(_read_at(source), source.seek(0, io.SEEK_END))
        else:
            name = ""
            reader = _floe.Reader(source)
        kind = ArrayFile if reader.info()["content"] == "array" else TableFile
        return kind(reader, name, opened, threads)
    except BaseException:
        if opened is not None:
            opened.close()
        raise


def _read_at(file: Any) -> Any:
    lock = threading.Lock()

    def read(offset: int, count: int) -> bytes:
        with lock:
            file.seek(offset)
            return bytes(file.read(count))

    return read


def save(
    path: str | os.PathLike[str],
    data: Any,
    goal: Goal = "balance",
    *,
    codec: str | None = None,
    tree: str | None = None,
    threads: int = 0,
    checksum: bool = True,
    profile: Profile = "cpu",
    segment_bytes: int = 0,
    decode_megabytes_per_second: int = 0,
    progress: Progress | None = None,
) -> None:
    """Compresses an array, or a table, into a file. Arguments and errors are those of `compress`.

    The file gets its name when it is complete: an error, or Ctrl-C, leaves what was there. ``floe -d`` restores what
    NumPy would have saved where the order or the type is not plain, else the elements alone.
    """
    options = options_of(goal, codec, tree, threads, checksum, profile, segment_bytes, decode_megabytes_per_second)
    with new_file(path) as file:
        if is_on_device(data):
            file.write(bytes(_compress_on_device(data, options)))
        elif isinstance(data, Mapping) or is_table(data):
            from ._tables import columns_of

            columns_of(data).write(file.write, options, progress)
        else:
            write_elements(file.write, elements_of(data), options, progress)


@contextlib.contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Any]:
    """A file that is open for writing bytes, and gets its name when the block ends without an exception."""
    target = os.fspath(path)
    mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o666 & ~_umask()
    descriptor, temporary = tempfile.mkstemp(".tmp", os.path.basename(target), os.path.dirname(target) or ".")
    try:
        with builtins.open(descriptor, "wb") as file:
            yield file
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    """Without changing it, which other threads would notice."""
    try:
        with builtins.open("/proc/self/status") as status:
            return int(next(line for line in status if line.startswith("Umask:")).split()[1], 8)
    except (OSError, StopIteration):
        return 0o077


def load(path: str | os.PathLike[str] | Any, *, threads: int = 0, progress: Progress | None = None) -> Any:
    """All of a file: an array, or the columns of a table. Arguments and errors are those of `open` and `decompress`."""
    with open(path, threads=threads) as file:
        return file.read(progress) if isinstance(file, ArrayFile) else file.read()
