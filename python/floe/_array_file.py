"""Arrays in files, read in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import allocate
from ._elements import layout_of
from ._memory import new_array
from ._opened import File, rows_of
from ._options import MEMORY_LIMIT, Progress, told


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
            first, end, rest = rows_of(key, file.size)
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
        room = new_array(count * words, layout.stored)
        self._reader.decompress_slice(
            room.view(np.uint8), first * words, count * words, self._threads, MEMORY_LIMIT, told(progress)
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
                first, end, rest = rows_of(keys[1], self.shape[-1])
                inner = self.size // max(self.shape[-1], 1)
                part = self._read_flat(first * inner, (end - first) * inner, (*self.shape[:-1], end - first))
                return part[..., rest]
            return self.read()[key]
        if not self.shape or not keys or not isinstance(keys[0], (int, np.integer, slice)):
            return self.read()[key]
        if isinstance(keys[0], slice):
            first, end, rest = rows_of(keys[0], self.shape[0])
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
