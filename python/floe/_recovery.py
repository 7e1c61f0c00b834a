"""What is intact of damaged or cut-off frames."""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _floe
from ._elements import layout_of, numpy_type
from ._errors import CorruptError, OutOfMemoryError, invalid
from ._options import MEMORY_LIMIT


@dataclass(frozen=True)
class LostRange:
    """What is lost, and why.

    `what` is "elements" of an array; "rows" of a table; "cells" of the column of that number; "lines" that were no
    rows, or bytes behind the last record; "padding" of records. `offset` says where the damage is in the bytes.
    """

    what: str
    first: int
    count: int
    column: int
    offset: int
    cause: str


@dataclass(frozen=True)
class Recovered:
    """What `recover` found.

    Attributes:
        data: The elements, the text or the records, as far as they are intact.
        info: What the frame was, as far as it is known: type, shape or columns, segments.
        header: Where the header comes from: "intact", "mended", "similar" or "guessed".
        lost: Ranges of elements or rows that are lost.
        unproven: Ranges that are there, but in a table of chunks that is damaged in more than one entry.
        recovered: Elements, or rows of which at least one cell is there.
        is_length_known: If not, more may have followed.
        is_complete: Nothing is lost, and all is proven.
    """

    data: bytes
    info: dict[str, Any]
    header: str
    lost: list[LostRange]
    unproven: list[LostRange]
    recovered: int
    is_length_known: bool
    is_complete: bool

    @property
    def array(self) -> np.ndarray:
        """The array; without its shape, as stored elements, where that is not known. Lost elements are zero."""
        flat = np.frombuffer(self._elements(), self._stored())
        layout = self._layout()
        return flat if layout is None else layout.restore(flat)

    @property
    def mask(self) -> np.ndarray:
        """True where an element of `array` is lost."""
        lost = np.zeros(len(self._elements()) // self._stored().itemsize, bool)
        for part in self.lost:
            lost[part.first : part.first + part.count] = True
        layout = self._layout()
        if layout is None:
            return lost
        of_one = layout.dtype.itemsize // layout.stored.itemsize
        return lost.reshape(-1, of_one).any(axis=1).reshape(layout.shape, order="F" if layout.fortran else "C")

    def _elements(self) -> bytes:
        if self.info["content"] != "array":
            raise invalid("the frame held a table: data are its text or its records")
        return self.data

    def _stored(self) -> np.dtype[Any]:
        return numpy_type(self.info["dtype"])

    def _layout(self) -> Any:
        try:
            layout = layout_of(self.info)
        except CorruptError:  # the prefix is that of more elements
            return None
        size = int(np.prod(layout.shape, dtype=object)) * layout.dtype.itemsize
        return layout if size == len(self.data) else None


def recover(
    source: Any,
    *,
    like: Any = None,
    separator: str = ",",
    fill: bool = True,
    threads: int = 0,
    max_bytes: int | None = None,
) -> Recovered:
    """Saves what is intact of a frame of which anything may be damaged, or cut off at either end.

    Args:
        source: A path, or the bytes of the frame.
        like: A frame that was written with the same options from data of the same kind, as a path or bytes. Where the
            header is lost, its header is taken if it is the same.
        separator: What stands between cells of CSV text whose header is lost.
        fill: Lost elements and records become zero bytes, so that the others stay where they were; else they are left
            out. Lost rows of CSV text are left out, lost cells are empty.
        max_bytes: The data may have so many bytes; gaps of a forged frame may have any.

    Raises:
        CorruptError: There is neither a header nor a segment of a frame.
        OutOfMemoryError: There is no memory, or `max_bytes` are too few.
    """
    recovery = _floe.Recovery(_bytes_of(source), b"" if like is None else _bytes_of(like), separator, fill)
    pieces: list[bytes] = []
    size = 0

    def take(piece: bytes) -> None:
        nonlocal size
        size += len(piece)
        if max_bytes is not None and size > max_bytes:
            raise OutOfMemoryError("out_of_memory", 0, "the data have more than max_bytes")
        pieces.append(piece)

    made = recovery.restore(take, threads, MEMORY_LIMIT)
    return Recovered(
        b"".join(pieces),
        recovery.info(),
        recovery.header_source(),
        [LostRange(*part) for part in made["lost"]],
        [LostRange(*part) for part in made["unproven"]],
        made["recovered"],
        made["is_length_known"],
        made["is_complete"],
    )


def _bytes_of(source: Any) -> Any:
    if not isinstance(source, (str, os.PathLike)):
        return source
    with open(source, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
