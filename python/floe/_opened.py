"""What is common to arrays and tables in files."""

from __future__ import annotations

import io
from typing import Any

from . import _floe
from ._errors import invalid
from ._options import MEMORY_LIMIT
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
        """How each segment is encoded, and what its columns have become. Reads the headers of segments when asked."""
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


def rows_of(key: slice, count: int) -> tuple[int, int, slice]:
    """The range that a slice needs, and what is then taken of it."""
    start, stop, step = key.indices(count)
    if step > 0:
        return start, max(start, stop), slice(None, None, step)
    picked = range(start, stop, step)
    if not picked:
        return 0, 0, slice(None)
    return picked[-1], start + 1, slice(None, None, step)
