"""``python -m floe doctor``: what of floe works here, and how to mend what does not."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import floe

from . import _floe


@dataclass(frozen=True)
class Finding:
    """`state` is "ok", "absent" (not installed or not found) or "broken"; `text` says what, or how to mend it."""

    name: str
    state: str
    text: str


class _AbsentError(Exception):
    """What is not installed, or not found; the text says how to have it."""


def _needs(module: str, install: str) -> str:
    """The version of a package."""
    try:
        importlib.import_module(module)
    except ImportError as problem:
        if isinstance(problem, ModuleNotFoundError) and problem.name == module.partition(".")[0]:
            raise _AbsentError(f"pip install {install}") from None
        raise
    return importlib.metadata.version(install.partition(">")[0].strip("'"))


def _library() -> str:
    array = np.linspace(0, 1, 100_000)
    for goal in ("speed", "balance", "ratio"):
        if not np.array_equal(np.asarray(floe.decompress(floe.compress(array, goal))), array):
            raise floe.Error("corrupt_frame", 0, f"an array does not come back with goal {goal}")
    forced = f", forced by FLOE_ISA={os.environ['FLOE_ISA']}" if "FLOE_ISA" in os.environ else ""
    return f"version {floe.__version__}, {_floe.instruction_set()}{forced}, {_floe.available_threads()} threads"


def _bfloat16() -> str:
    return f"ml_dtypes {_needs('ml_dtypes', 'ml_dtypes')}: bf16 is a type of NumPy, not bits in uint16"


def _sample(folder: str) -> tuple[Path, np.ndarray]:
    """A file of h5py with the filter."""
    import h5py

    from . import hdf5

    path, array = Path(folder) / "doctor.h5", np.arange(1000.0)
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=array, chunks=(500,), **hdf5.Filter())
    return path, array


def _h5py() -> str:
    version = _needs("h5py", "h5py")
    import h5py

    if os.environ.get("HDF5_PLUGIN_PRELOAD") == "::":
        raise RuntimeError("HDF5_PLUGIN_PRELOAD=:: turns all filters off: unset it")
    with tempfile.TemporaryDirectory() as folder:
        path, array = _sample(folder)
        with h5py.File(path) as file:
            if not np.array_equal(file["x"][:], array):
                raise RuntimeError("numbers do not come back")
    return f"h5py {version} with HDF5 {h5py.version.hdf5_version} reads and writes with the filter"


def _hdf5_programs() -> str:
    program = shutil.which("h5dump")
    if program is None:
        raise _AbsentError("apt install hdf5-tools")
    _needs("h5py", "h5py")
    from . import hdf5

    with tempfile.TemporaryDirectory() as folder:
        path, _ = _sample(folder)
        done = subprocess.run([program, "-d", "/x", path], capture_output=True, text=True, check=False)
    if done.returncode != 0 or "unable to print data" in done.stdout + done.stderr:
        raise _AbsentError(f"export HDF5_PLUGIN_PATH={hdf5.plugin_folder()}")
    return "h5dump reads what was written with the filter"


def _zarr() -> str:
    version = _needs("zarr", "'zarr>=3'")
    if int(version.split(".")[0]) < 3:
        raise RuntimeError(f"zarr {version} has no codecs of others: pip install 'zarr>=3'")
    from zarr.registry import get_codec_class

    return f"zarr {version} finds the codec: {get_codec_class('floe').__name__}"


def _numcodecs() -> str:
    version = _needs("numcodecs", "numcodecs")
    import numcodecs

    array = np.arange(100.0)
    codec = numcodecs.get_codec({"id": "floe"})
    if not np.array_equal(codec.decode(codec.encode(array)), array):
        raise RuntimeError("numbers do not come back")
    return f"numcodecs {version} finds the codec"


def _arrow() -> str:
    version = _needs("pyarrow", "pyarrow")
    import pyarrow

    table = pyarrow.table(floe.open(floe.compress({"a": np.arange(10)})))
    return f"pyarrow {version} reads tables: {table.num_rows} rows"


def _torch() -> str:
    version = _needs("torch", "torch")
    importlib.import_module("floe.torch")
    return f"torch {version}: floe.torch saves and loads checkpoints"


def _gpu() -> str:
    from . import cuda

    missing = cuda.reason()
    if missing is not None:
        raise _AbsentError(missing)
    array = cuda.decompress(floe.compress(np.arange(1000.0), codec="dpspeed"))
    if not np.array_equal(array.numpy(), np.arange(1000.0)):
        raise RuntimeError("numbers do not come back")
    return f"floe.cuda works on device {array.device}"


def _mpi() -> str:
    version = _needs("mpi4py", "mpi4py")
    try:
        importlib.import_module("floe.mpi")._library()
    except floe.ReadWriteError:
        raise _AbsentError(
            "the library floe_mpi, as docs/guide/cluster.md says, or its name in FLOE_MPI_LIBRARY"
        ) from None
    return f"mpi4py {version}, and the library floe_mpi"


CHECKS: dict[str, Callable[[], str]] = {
    "floe": _library, "bf16": _bfloat16, "h5py": _h5py, "HDF5": _hdf5_programs, "Zarr 3": _zarr,
    "Zarr 2": _numcodecs, "Arrow": _arrow, "PyTorch": _torch, "GPU": _gpu, "MPI": _mpi,
}  # fmt: skip


def examine(name: str) -> Finding:
    """Never raises what a check raises."""
    try:
        return Finding(name, "ok", CHECKS[name]())
    except _AbsentError as absent:
        return Finding(name, "absent", f"to have it: {absent}")
    except Exception as problem:  # whatever is broken here shall be told, not end the others
        return Finding(name, "broken", f"{type(problem).__name__}: {problem}")


def main() -> int:
    """Prints a line for each check; returns 1 if something is broken."""
    findings = [examine(name) for name in CHECKS]
    for finding in findings:
        print(f"{finding.name:8} {finding.state:7} {finding.text}")
    return int(any(finding.state == "broken" for finding in findings))
