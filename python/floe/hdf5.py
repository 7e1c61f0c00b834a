"""The filter of floe for HDF5 files, as h5py, the tools of HDF5 and all else use it.

>>> import h5py, numpy as np, floe.hdf5
>>> with h5py.File("doctest.h5", "w", driver="core", backing_store=False) as file:
...     dataset = file.create_dataset("x", data=np.arange(1000.0), chunks=(100,), **floe.hdf5.Filter())

Importing this module tells h5py where the plugin is. For other programs, ``python -m floe.hdf5`` prints the folder for
the environment variable HDF5_PLUGIN_PATH, and the options of h5repack and nccopy.

The filter's number is of the range that HDF5 keeps for tests: it is not registered with the HDF Group, and may change.
"""

from __future__ import annotations

import argparse
import contextlib
import struct
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import _floe
from ._cuda_arrays import is_on_device
from ._errors import Error, ReadWriteError, invalid
from ._options import options_of

#: Of the range for tests, 256 to 511.
FILTER_ID = 493

_TREE_BYTES = 960  # that the filter takes


def plugin_folder() -> str:
    """Where the plugin is, for HDF5_PLUGIN_PATH. Raises ReadWriteError where the package was built without it."""
    for folder in (Path(path) / "hdf5_plugin" for path in sys.modules["floe"].__path__):
        if any(folder.glob("*h5floe.*")):
            return str(folder)
    raise ReadWriteError("io_error", 0, "this package was built without the plugin for HDF5")


def filter_values(goal: str = "balance", codec: str | None = None, tree: str | None = None) -> tuple[int, ...]:
    """The options as parameters of the filter: the goal, the number of a codec or 0, and the text of a tree.

    Raises InvalidArgumentError for names that there are not, and for trees that are longer than the filter takes.
    """
    options_of(goal, codec, tree)
    number = {"speed": 0, "balance": 1, "ratio": 2, "max": 3}[goal]
    ids = {name: identity for name, identity, _ in _floe.codecs()}
    if codec in ids:
        return number, ids[codec]
    text = (codec or tree or "").encode()
    if not text:
        return (number,)
    if len(text) > _TREE_BYTES:
        raise invalid(f"the filter takes trees of {_TREE_BYTES} characters, not of {len(text)}")
    return number, 0, *struct.unpack(f"<{-(-len(text) // 4)}I", text + bytes(-len(text) % 4))


class Filter(Mapping[str, Any]):
    """Options for ``create_dataset``: ``file.create_dataset("x", data=x, chunks=True, **Filter("ratio"))``.

    Do not combine it with shuffle, which hides what floats are. The filter is mandatory: a chunk that cannot be encoded
    is an error, and never stored uncompressed without a word.

    Args:
        goal: As of `floe.compress`.
        codec: A codec for all chunks.
        tree: A tree of encodings for all chunks, such as one that ``floe.plan(x[0])`` shows. Nothing is searched for
            then, which makes writing faster.

    Raises:
        InvalidArgumentError: There is no such goal or codec. A tree that does not take the type of a dataset is an
            error of ``create_dataset``.
    """

    def __init__(self, goal: str = "balance", codec: str | None = None, tree: str | None = None) -> None:
        self._options = {"compression": FILTER_ID, "compression_opts": filter_values(goal, codec, tree)}

    def __getitem__(self, key: str) -> Any:
        return self._options[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)


def read(
    dataset: Any,
    selection: Any = (),
    *,
    out: Any = None,
    threads: int = 0,
    device: int | bool = False,
    stream: Any = None,
) -> Any:
    """Reads a dataset, or integers and slices of it, with all cores: what ``dataset[selection]`` gives.

    HDF5 lets one filter work at a time. Here chunks are read as they are stored, and decoded side by side, outside its
    lock; of chunks at the edge of a selection only what is needed. Datasets without this filter, or with others
    besides, and other selections are read by h5py.

    Args:
        dataset: An ``h5py.Dataset``.
        selection: As in ``dataset[selection]``.
        out: An array to read into, and to return, with the shape and type of the result. New memory takes time that
            grows with the number of threads; memory that was used before does not.
        threads: At most so many; 0 is as many as this process may use.
        device: The number of a GPU, or True for the current one: chunks go there as they are stored and are decoded
            there, and the result is a `floe.cuda.Array`, or `out` if that is an array on a GPU. Slices have step 1.
        stream: To work on there, as in `floe.cuda.decompress`.

    Raises:
        InvalidArgumentError: `out` has another shape or type.
        CorruptError: A chunk is damaged.
        OSError: The file cannot be read.
    """
    from ._hdf5_chunks import ChunkReader, box_of, into

    if device is not False or is_on_device(out):
        from ._hdf5_device import read_to_device

        return read_to_device(dataset, selection, out, None if device is True or device is False else device, stream)
    reader, found = ChunkReader.of(dataset, FILTER_ID), box_of(selection, dataset.shape)
    if reader is None or found is None:
        return into(dataset[selection], out)
    box, rest = found
    if out is not None and out.flags.c_contiguous and all(key in (0, slice(None, None, 1)) for key in rest):
        shape = tuple(end - first for (first, end), key in zip(box, rest, strict=True) if key != 0)
        if out.shape == shape and out.dtype == dataset.dtype:
            reader.read(box, threads, out)
            return out
    return into(reader.read(box, threads)[rest], out)


def register() -> None:
    """Tells the h5py of this process where the plugin is; importing this module does it."""
    import h5py

    folder = plugin_folder().encode()
    if folder not in [h5py.h5pl.get(index) for index in range(h5py.h5pl.size())]:
        h5py.h5pl.prepend(folder)


def main() -> int:
    """Prints what other programs need."""
    parser = argparse.ArgumentParser(prog="python -m floe.hdf5", description=main.__doc__)
    parser.add_argument("--path", action="store_true", help="only the folder of the plugin")
    parser.add_argument("--parameters", action="store_true", help="only the options of h5repack and nccopy")
    parser.add_argument("--goal", choices=("speed", "balance", "ratio", "max"), default="balance")
    parser.add_argument("--codec", help="for all chunks")
    parser.add_argument("--tree", help="for all chunks")
    arguments = parser.parse_args()
    try:
        values = filter_values(arguments.goal, arguments.codec, arguments.tree)
        folder = plugin_folder()
    except Error as problem:
        parser.error(str(problem))
    listed = ",".join(map(str, values))
    repack, copy = f"-f UD={FILTER_ID},0,{len(values)},{listed}", f"*,{FILTER_ID},{listed}"
    if arguments.path:
        print(folder)
    elif arguments.parameters:
        print(f"{repack}\n-F {copy}")
    else:
        print(f"export HDF5_PLUGIN_PATH={folder}\nh5repack {repack} in.h5 out.h5\nnccopy -F '{copy}' in.nc out.nc")
    return 0


if __name__ == "__main__":
    sys.exit(main())
else:
    with contextlib.suppress(ImportError):
        register()
