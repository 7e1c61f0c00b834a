"""Checkpoints of PyTorch: state dicts, and what is around them, with each tensor compressed by its type.

>>> import floe.torch
>>> floe.torch.save({"model": model.state_dict(), "epoch": 3}, "checkpoint.floe")     # doctest: +SKIP
>>> model.load_state_dict(floe.torch.load("checkpoint.floe")["model"])                # doctest: +SKIP
>>> with floe.torch.open("checkpoint.floe") as file:                                  # doctest: +SKIP
...     weight = file["model.layers.0.weight"]

The file is one of `floe.safetensors`, so that what knows these files reads it, too: the tensors, by their
paths, and in the metadata what else the checkpoint holds, as JSON. Nothing is pickled: no file runs code when it is
loaded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from . import cuda as _cuda
from . import safetensors as _files
from ._cuda_arrays import View
from ._errors import CorruptError, Error, unsupported
from ._options import Goal, Progress
from ._safetensors_header import Tensor, header_of

_KEY = "floe.torch"
_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "bool": "BOOL", "int8": "I8",
    "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64",
    "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0",
    "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e5m2fnuz": "F8_E5M2FNUZ",
}  # fmt: skip
#: Those that this version of PyTorch has.
_TYPES = {ours: getattr(torch, theirs) for theirs, ours in _NAMES.items() if hasattr(torch, theirs)}
_STORED = {dtype: name for name, dtype in _TYPES.items()}
_PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}


class _Checkpoint:
    """What is saved: tensors by name, and the values around them as JSON.

    In JSON a value is itself, or ``[kind, what it holds]``.
    """

    def __init__(self, data: Any) -> None:
        self.tensors: dict[str, Any] = {}
        self._names: dict[Any, str] = {}  # of tensors that are the same memory
        self.values = self._value(data, ())

    def _value(self, value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, torch.Tensor):
            return self._tensor(value, path)
        if value is None or isinstance(value, (bool, str)) or type(value) in (int, float):
            return value
        if isinstance(value, Mapping):
            pairs = [[self._value(key, path), self._value(item, (*path, str(key)))] for key, item in value.items()]
            return ["dict", pairs]
        if isinstance(value, (list, tuple)):
            items = [self._value(item, (*path, str(index))) for index, item in enumerate(value)]
            return ["tuple" if isinstance(value, tuple) else "list", items]
        where = ".".join(path) or "the checkpoint"
        raise unsupported(f"{where} is a {type(value).__name__}; a checkpoint has tensors, numbers, texts, and "
                          "dictionaries and lists of these")  # fmt: skip

    def _tensor(self, tensor: Any, path: tuple[str, ...]) -> Any:
        name = ".".join(path) or "tensor"
        if tensor.layout != torch.strided or tensor.is_quantized or tensor.device.type == "meta":
            raise unsupported(f"{name} is a tensor without plain elements ({tensor.layout}, {tensor.device})")
        tensor, kind = tensor.detach(), "tensor"
        if tensor.dtype in _PARTS:
            tensor, kind = torch.view_as_real(tensor.resolve_conj()), "complex"
        if tensor.dtype not in _STORED:
            raise unsupported(f"{name} has elements of {tensor.dtype}, which floe does not save")
        memory = tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride(), tensor.device, tensor.is_neg()
        if tensor.numel() == 0 or memory not in self._names:
            while name in self.tensors:
                name += "_"
            self._names[memory] = name
            self.tensors[name] = tensor
        return [kind, self._names[memory]]


class _Bytes(Mapping[str, np.ndarray]):
    """The bytes of tensors, brought to the memory of the host one at a time."""

    def __init__(self, tensors: dict[str, Any]) -> None:
        self._tensors = tensors

    def __getitem__(self, name: str) -> np.ndarray:
        tensor = self._tensors[name]
        if tensor.numel() == 0:
            return np.empty(0, np.uint8)
        # Through DLPack, not Tensor.numpy(): PyTorch may have been built for another NumPy.
        flat = tensor.resolve_neg().cpu().contiguous().reshape(-1)
        return np.from_dlpack(flat.view(torch.uint8))

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


def save(
    data: Any,
    path: str | os.PathLike[str],
    goal: Goal = "balance",
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> None:
    """Compresses a state dict, or any dictionaries and lists of tensors, numbers, texts and None, into a file.

    Tensors may have any device, strides and dtype but those of quantized and sparse ones; complex numbers are pairs of
    floats. Those that share all their memory, as tied weights do, are stored once. On the host, memory is needed for
    one of them at a time. The file gets its name when it is complete.

    Args:
        data: Such as ``model.state_dict()`` or ``{"model": ..., "optimizer": optimizer.state_dict(), "epoch": 3}``.
        path: Of the file.
        goal: As in `floe.compress`.
        threads: At most so many; 0 is as many as this process may use.
        progress: Called after each tensor with bytes done and all bytes. True shows a bar of tqdm.

    Raises:
        UnsupportedError: Something in it cannot be saved without running code to load it.
        OSError: The file cannot be written.
    """
    checkpoint = _Checkpoint(data)
    entries, position = [], 0
    for name, tensor in checkpoint.tensors.items():
        end = position + tensor.numel() * tensor.element_size()
        entries.append(Tensor(name, _STORED[tensor.dtype], tuple(tensor.shape), position, end))
        position = end
    header = header_of(entries, {_KEY: json.dumps(checkpoint.values, separators=(",", ":"))})[8:]
    _files._write(path, header, _Bytes(checkpoint.tensors), goal, threads, progress)


class CheckpointFile(Mapping[str, Any]):
    """A checkpoint that is open: a dictionary that reads a tensor when it is asked for.

    Names are paths: ``"model.layers.0.weight"``. Files of `floe.safetensors` may be opened, too. Close it, or
    use ``with``. Thread-safe.
    """

    def __init__(self, path: str | os.PathLike[str], device: Any = "cpu", threads: int = 0) -> None:
        self._device = device
        self._is_decoded_there = torch.device(device).type == "cuda" and _cuda.is_available()
        self._file = _files.open(path, threads=threads)

    def __getitem__(self, name: str) -> Any:
        described = self._file._tensors[name]
        if described.dtype not in _TYPES:
            raise unsupported(f"this version of PyTorch has no type for '{name}', whose elements are {described.dtype}")
        if self._is_decoded_there and described.begin != described.end:
            return self._on_device(name, described, described.shape)
        return self._as_tensor(self._file.lazy(name).read(), described.dtype, described.shape)

    def rows(self, name: str, rows: slice) -> Any:
        """Some of the outermost entries of a tensor, such as the vectors of some words: ``rows(name, slice(5, 9))``.

        Reads what holds them, except of tensors of 8-bit floats and of more than 8 dimensions: all of these.
        """
        described = self._file._tensors[name]
        if len(described.shape) == 0 or described.shape != described.element_shape:
            return self[name][rows]
        first, end, step = rows.indices(described.shape[0])
        if self._is_decoded_there and step == 1 and first < end and described.begin != described.end:
            return self._on_device(name, described, (end - first, *described.shape[1:]), slice(first, end))
        part = self._file.lazy(name)[rows]
        return self._as_tensor(part, described.dtype, part.shape)

    def _on_device(self, name: str, described: Any, shape: tuple[int, ...], rows: slice | None = None) -> Any:
        """A tensor that the GPU decodes: only its frame goes there."""
        tensor = torch.empty(shape, dtype=_TYPES[described.dtype], device=self._device)
        stored = shape if rows is not None or described.shape == described.element_shape else described.element_shape
        target = View(tensor.data_ptr(), tensor.device.index, described.element_type, stored, tensor)
        stream = torch.cuda.current_stream(tensor.device).cuda_stream
        self._file.to_device(name, rows=rows, out=target, stream=stream)
        return tensor

    def _as_tensor(self, array: np.ndarray, dtype: str, shape: tuple[int, ...]) -> Any:
        if array.size == 0:
            return torch.empty(shape, dtype=_TYPES[dtype], device=self._device)
        array = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return torch.frombuffer(array, dtype=_TYPES[dtype]).reshape(shape).to(self._device)

    def __contains__(self, name: object) -> bool:
        return name in self._file._tensors

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)

    def __len__(self) -> int:
        return len(self._file)

    def read(self) -> Any:
        """All that was saved, as it was. Raises CorruptError."""
        text = self._file.metadata.get(_KEY)
        if text is None:
            return dict(self)
        loaded: dict[str, Any] = {}
        try:
            return self._restore(json.loads(text), loaded)
        except Error:
            raise
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            raise CorruptError("corrupt_frame", 8, f"this is no checkpoint of floe.torch: {problem}") from None

    def _restore(self, value: Any, loaded: dict[str, Any]) -> Any:
        if not isinstance(value, list):
            return value
        kind, held = value
        if kind in ("tensor", "complex"):
            if held not in loaded:
                loaded[held] = self[held]
            return loaded[held] if kind == "tensor" else torch.view_as_complex(loaded[held])
        if kind == "dict":
            return {self._restore(key, loaded): self._restore(item, loaded) for key, item in held}
        items = [self._restore(item, loaded) for item in held]
        return {"list": list, "tuple": tuple}[kind](items)

    def close(self) -> None:
        """Reads after it are errors."""
        self._file.close()

    def __enter__(self) -> CheckpointFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open(path: str | os.PathLike[str], *, device: Any = "cpu", threads: int = 0) -> CheckpointFile:
    """Opens a checkpoint to read single tensors. Raises CorruptError for other files, and OSError."""
    return CheckpointFile(path, device, threads)


def load(path: str | os.PathLike[str], *, device: Any = "cpu", threads: int = 0) -> Any:
    """What `save` was given, with tensors on a device; parameters are plain tensors. Errors are those of `open`.

    Dictionaries are plain ones, whatever their class was. Safe for files of anyone: they hold no code.
    """
    with open(path, device=device, threads=threads) as file:
        return file.read()
