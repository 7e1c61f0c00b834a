"""Files of model weights (.safetensors): each tensor compressed by its type, read one by one, restored byte by byte.

>>> import floe.safetensors
>>> floe.safetensors.compress_file("model.safetensors", "model.floe.safetensors")  # doctest: +SKIP
>>> with floe.safetensors.open("model.floe.safetensors") as model:                 # doctest: +SKIP
...     weights = model["layers.0.weight"]

The compressed file is itself a valid safetensors file. Of each tensor it holds the frame, as a tensor of bytes (U8)
with the same name; the header of the original stands in its metadata, as ``floe.header``, with a checksum. Neither the
package safetensors nor torch is needed; ``torch.from_numpy`` makes tensors of the arrays.
"""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from . import _floe
from ._arrays import write_elements
from ._elements import Elements
from ._errors import CorruptError, TruncatedError, invalid
from ._file import ArrayFile, new_file
from ._options import MEMORY_LIMIT, Goal, Progress, options_of, told
from ._safetensors_header import NAMES, Tensor, header_of, parse, read_header

_VERSION = "1"


def _write(
    target: str | os.PathLike[str], header: bytes, data: Mapping[str, np.ndarray], goal: Goal, threads: int,
    progress: Progress | None,
) -> None:  # fmt: skip
    """The compressed file of a safetensors file with this header; `data` are the bytes of its tensors."""
    tensors, _ = parse(header)
    options = options_of(goal, threads=threads)
    metadata = {"floe": _VERSION, "floe.header": header.decode(), "floe.header.crc32": f"{zlib.crc32(header):08x}"}
    total = sum(tensor.end - tensor.begin for tensor in tensors)
    tell = told(progress)

    # Lengths are known at the end: room is left for the longest header that may be needed.
    largest = 10 ** len(str(2 * total + 4096 * (len(tensors) + 1)))
    room = len(header_of([Tensor(t.name, "U8", (largest,), largest, largest) for t in tensors], metadata))
    stored: list[Tensor] = []
    with new_file(target) as file:
        file.seek(room)
        position = 0
        for tensor in tensors:
            bytes_of_tensor = data[tensor.name]
            if len(bytes_of_tensor) != tensor.end - tensor.begin or not tensor.is_whole():
                raise CorruptError("corrupt_frame", 8, f"tensor '{tensor.name}' has too many or too few bytes")
            write_elements(
                file.write, Elements(bytes_of_tensor, tensor.element_type, tensor.element_shape), options, None
            )
            end = file.tell() - room
            stored.append(Tensor(tensor.name, "U8", (end - position,), position, end))
            position = end
            if tell is not None:
                tell(tensor.end, total)
        file.seek(0)
        file.write(header_of(stored, metadata, room))


def compress_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    goal: Goal = "balance",
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> None:
    """Compresses each tensor of a safetensors file by its type, with memory for one of them.

    The target gets its name when it is complete. `progress` is called after each tensor with bytes done and all bytes;
    True shows a bar of tqdm.

    Raises:
        CorruptError: The source is no safetensors file.
        OSError: A file cannot be read or written.
    """
    with io.FileIO(os.fspath(source)) as file:
        header = read_header(file)
        begin = 8 + len(header)
        tensors, _ = parse(header, os.fstat(file.fileno()).st_size - begin)
        _write(target, header, _Mapped(source, begin, tensors), goal, threads, progress)


class _Mapped(Mapping[str, np.ndarray]):
    """The bytes of tensors in a file, mapped one at a time."""

    def __init__(self, path: str | os.PathLike[str], begin: int, tensors: list[Tensor]) -> None:
        self._path, self._begin = path, begin
        self._tensors = {tensor.name: tensor for tensor in tensors}

    def __getitem__(self, name: str) -> np.ndarray:
        tensor = self._tensors[name]
        if tensor.begin == tensor.end:
            return np.empty(0, np.uint8)
        return np.memmap(self._path, np.uint8, "r", self._begin + tensor.begin, (tensor.end - tensor.begin,))

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


def save_file(
    tensors: Mapping[str, Any],
    target: str | os.PathLike[str],
    metadata: Mapping[str, str] | None = None,
    goal: Goal = "balance",
    *,
    threads: int = 0,
) -> None:
    """Compresses a dictionary of arrays, as ``safetensors.numpy.save_file`` and `compress_file` do one after the other.

    Raises:
        InvalidArgumentError: An array has a type that safetensors files do not have.
    """
    entries, data, position = [], {}, 0
    for name, source in tensors.items():
        array = np.ascontiguousarray(source)
        dtype = "BF16" if array.dtype.name == "bfloat16" else NAMES.get(array.dtype)
        if dtype is None:
            raise invalid(f"tensor '{name}': safetensors files have no {array.dtype}")
        entries.append(Tensor(name, dtype, np.shape(source), position, position + array.nbytes))
        data[name] = array.reshape(-1).view(np.uint8)
        position += array.nbytes
    _write(target, header_of(entries, metadata or {})[8:], data, goal, threads, None)


class SafeTensors(Mapping[str, np.ndarray]):
    """A compressed file that is open: a dictionary that reads an array when it is asked for.

    Close it, or use ``with``. Thread-safe.
    """

    def __init__(self, path: str | os.PathLike[str], threads: int = 0) -> None:
        self._threads = threads
        self._file = io.FileIO(os.fspath(path))
        try:
            self._find_tensors()
        except BaseException:
            self._file.close()
            raise

    def _find_tensors(self) -> None:
        outer = read_header(self._file)
        self._begin = 8 + len(outer)
        frames, metadata = parse(outer, os.fstat(self._file.fileno()).st_size - self._begin)
        if metadata.get("floe") != _VERSION or "floe.header" not in metadata:
            raise CorruptError("corrupt_frame", 8, "this safetensors file was not compressed by this version of floe")
        self._header = str(metadata["floe.header"]).encode(errors="replace")
        if metadata.get("floe.header.crc32") != f"{zlib.crc32(self._header):08x}":
            raise CorruptError("corrupt_frame", 8, "the header of the original does not match its checksum")
        tensors, self._metadata = parse(self._header)
        self._frames = {frame.name: frame for frame in frames}
        self._tensors = {tensor.name: tensor for tensor in tensors}
        if set(self._frames) != set(self._tensors):
            raise CorruptError("corrupt_frame", 8, "the file has other tensors than its original")

    @property
    def metadata(self) -> dict[str, str]:
        """Of the original."""
        return dict(self._metadata)

    def lazy(self, name: str) -> ArrayFile:
        """A tensor to read parts of, such as some rows: ``model.lazy("embedding")[1000:1010]``.

        Elements that floe has no type for, such as those of 8-bit floats, are bytes in one dimension.
        """
        frame, tensor = self._frames[name], self._tensors[name]
        if self._file.closed:
            raise invalid("the file is closed")
        reader = _floe.Reader(self._file.fileno(), frame.end - frame.begin, self._begin + frame.begin)
        info = reader.info()
        fits = info["content"] == "array" and info["dtype"] == tensor.element_type and not info["prefix"]
        if not fits or info["shape"] != tensor.element_shape or not tensor.is_whole():
            raise CorruptError("corrupt_frame", frame.begin, f"tensor '{name}' differs from what the header says")
        return ArrayFile(reader, name, threads=self._threads)

    def frame(self, name: str) -> bytes:
        """The frame of a tensor, as it is stored."""
        self.lazy(name)  # says what is wrong with it
        frame = self._frames[name]
        stored = os.pread(self._file.fileno(), frame.end - frame.begin, self._begin + frame.begin)
        if len(stored) != frame.end - frame.begin:
            raise TruncatedError("truncated_frame", frame.begin, "the file has become shorter")
        return stored

    def to_device(
        self, name: str, *, rows: slice | None = None, out: Any = None, stream: Any = None, device: int | None = None
    ) -> Any:
        """A tensor, or rows of it, in the memory of a GPU: `floe.cuda.decompress` of its frame, with these arguments.

        Elements that floe has no type for are bytes in one dimension.
        """
        from . import cuda

        return cuda.decompress(self.frame(name), rows=rows, out=out, stream=stream, device=device)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._tensors:
            raise KeyError(name)
        tensor = self._tensors[name]
        array = self.lazy(name).read().reshape(-1)
        dtype = tensor.numpy_type
        fits = int(np.prod(tensor.shape, dtype=object)) * dtype.itemsize == array.nbytes
        return array.view(dtype).reshape(tensor.shape) if fits else array

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def restore(self, target: Any) -> None:
        """Writes the original, byte by byte, to a file that is open for writing bytes."""
        target.write(len(self._header).to_bytes(8, "little") + self._header)
        for name, tensor in self._tensors.items():
            file = self.lazy(name)
            if file.nbytes != tensor.end - tensor.begin:
                raise CorruptError("corrupt_frame", self._frames[name].begin, f"tensor '{name}' has another length")
            file._reader.restore(target.write, self._threads, MEMORY_LIMIT)

    def close(self) -> None:
        """Reads after it are errors."""
        self._file.close()

    def __enter__(self) -> SafeTensors:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open(path: str | os.PathLike[str], *, threads: int = 0) -> SafeTensors:
    """Opens a file of `compress_file`. Raises CorruptError for other files, and OSError."""
    return SafeTensors(path, threads)


def load_file(path: str | os.PathLike[str], *, threads: int = 0) -> dict[str, np.ndarray]:
    """All tensors of a file of `compress_file`."""
    with open(path, threads=threads) as file:
        return dict(file)


def restore_file(source: str | os.PathLike[str], target: str | os.PathLike[str], *, threads: int = 0) -> None:
    """Writes the original of a file of `compress_file`, byte by byte. It gets its name when it is complete."""
    with open(source, threads=threads) as file, new_file(target) as out:
        file.restore(out)
