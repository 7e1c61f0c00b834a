"""floe: lossless compression of numeric arrays and tables.

>>> import floe, numpy as np
>>> frame = floe.compress(np.arange(1000.0))
>>> bool((floe.decompress(frame) == np.arange(1000.0)).all())
True

Every bit comes back, shape and dtype too, and damage is an error. The bytes do not depend on threads or machine. All
functions are thread-safe and release the GIL while they work. Arrays and tables in files are read in parts:
``floe.open(path)[10:20]``. ``floe.zarr`` and ``floe.numcodecs`` are codecs for Zarr, ``floe.hdf5`` has a filter for
HDF5, ``floe.safetensors`` takes files of model weights, and ``floe.torch`` saves checkpoints.
"""

from ._arrays import compress, decompress, decompress_into
from ._errors import (
    CorruptError,
    Error,
    InvalidArgumentError,
    OutOfMemoryError,
    ReadWriteError,
    TruncatedError,
    UnsupportedError,
)
from ._file import ArrayFile, File, TableFile, load, open, save
from ._floe import available_threads, instruction_set
from ._floe import version as _version
from ._options import codecs
from ._plan import Plan, plan
from ._recovery import LostRange, Recovered, recover
from ._tables import compress_csv, read_csv, write_csv

__version__ = _version()

__all__ = [
    "ArrayFile",
    "CorruptError",
    "Error",
    "File",
    "InvalidArgumentError",
    "LostRange",
    "OutOfMemoryError",
    "Plan",
    "ReadWriteError",
    "Recovered",
    "TableFile",
    "TruncatedError",
    "UnsupportedError",
    "available_threads",
    "codecs",
    "compress",
    "compress_csv",
    "decompress",
    "decompress_into",
    "instruction_set",
    "load",
    "open",
    "plan",
    "read_csv",
    "recover",
    "save",
    "write_csv",
]
