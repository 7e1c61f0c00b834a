"""Arrays in the memory of NVIDIA GPUs, of CuPy, PyTorch, JAX and Numba: compressed and restored where they lie.

>>> import cupy, floe.cuda                                           # doctest: +SKIP
>>> frame = floe.cuda.compress(cupy.arange(1e6))                     # doctest: +SKIP
>>> array = cupy.from_dlpack(floe.cuda.decompress(frame))            # doctest: +SKIP

Arrays come and go by DLPack or ``__cuda_array_interface__``, without a copy to the host, on the stream of the caller.
Frames stay on the device; ``bytes(frame)`` is what `floe.decompress` and files take, and what ``floe.compress(array)``
gives. The package ``floe-cuda`` must be installed beside floe: `is_available` says whether this works here.
"""

from __future__ import annotations

import math
from typing import Any

from . import _floe
from ._cuda_arrays import View, dlpack_type, module, stream_handle, view_of
from ._cuda_decoding import Source, decode, rows_of
from ._cuda_frames import Array, Frame
from ._errors import Error, InvalidArgumentError, OutOfMemoryError, UnsupportedError, invalid, unsupported
from ._options import codecs

_module: Any = None  # once it is loaded: the least that calls can ask


def is_available() -> bool:
    """Whether floe-cuda is installed and there is a GPU. `reason` says what is missing."""
    return reason() is None


def reason() -> str | None:
    """Why there is no GPU for floe, or None if there is one."""
    try:
        module()
    except (Error, ImportError) as problem:
        return getattr(problem, "detail", "") or str(problem)
    return None


def compress(
    array: Any,
    *,
    codec: str | None = None,
    tree: str | None = None,
    checksum: bool = True,
    segment_bytes: int = 0,
    out: Frame | None = None,
    stream: Any = None,
) -> Frame:
    """Compresses an array in the memory of a GPU into a frame there.

    Args:
        array: Contiguous, with ``__dlpack__`` or ``__cuda_array_interface__``: of CuPy, PyTorch, JAX, Numba.
        codec: A codec of `floe.codecs`, the fastest way. Without it, and without a tree, the device's planner chooses
            trees that GPUs decode fast.
        tree: A tree of encodings for all of the array.
        checksum: Of all bytes, verified when they are decoded.
        segment_bytes: The unit of random access, a multiple of 16384, for a codec or a tree; 0 is what suits it.
        out: A frame of an earlier call on this GPU, which becomes the new one. Its memory is used again if it has room
            for any frame of the array; the old frame is lost, also by an error of the call.
        stream: To work on: a stream of CuPy, PyTorch or Numba, or its address. The default is the current one of the
            array's library.

    Returns:
        The frame, when the work is done; `out` if given. Its bytes are those of
        ``floe.compress(..., profile="gpu")`` with the same tree.

    Raises:
        InvalidArgumentError: The array is not contiguous or not on a GPU, or `out` is its memory, or on another GPU.
        UnsupportedError: floe has no such type, or GPUs have no such tree; or the package floe-cuda is not installed.
        Error: There is no driver or no GPU, or it failed.

    Thread-safe; the GIL is released. The array must not change meanwhile.
    """
    # While this runs, the GPU waits: the usual call is a single one of the module.
    if tree is not None or segment_bytes or (out is not None and type(out) is not Frame):
        _check_arguments(codec, tree, segment_bytes, out)
    before = None if out is None else out._memory
    cuda = _module or _load()
    try:
        memory = cuda.compress(array, stream, stream, codec or tree or "", checksum, segment_bytes, before)
        if memory is None:  # an array of another library, or one that has to be asked more
            owner = stream
            array, stream = _view_to_compress(array, stream)
            memory = cuda.compress(array, stream, owner, codec or tree or "", checksum, segment_bytes, before)
    except (InvalidArgumentError, UnsupportedError):
        _check(codec, tree, array, stream)
        raise
    if out is None:
        return Frame(memory)
    if memory is not before:  # it had no room
        out._memory = memory
    return out


def _load() -> Any:
    """The module for all further calls."""
    global _module
    _module = module()
    return _module


def _check_arguments(codec: str | None, tree: str | None, segment_bytes: int, out: Any) -> None:
    if codec is not None and tree is not None:
        raise invalid("a codec and a tree exclude each other")
    if segment_bytes and not (codec or tree):
        raise invalid("segment_bytes goes with a codec or a tree")
    if out is not None and type(out) is not Frame:
        raise invalid("out is no frame of floe.cuda.compress")


def _view_to_compress(array: Any, stream: Any) -> tuple[View, int]:
    handle = stream_handle(stream, array)
    view = view_of(array, handle)
    if len(view.shape) > 8:
        raise unsupported("more than 8 dimensions on GPUs")
    return view, handle


def _check(codec: str | None, tree: str | None, array: Any, stream: Any) -> None:
    """Says what is wrong with a codec or a tree, if something is."""
    if codec is not None and codec.partition("(")[0] not in codecs():
        raise invalid(f"there is no codec '{codec}'; there are {', '.join(codecs())}")
    known = module().known_array(array, stream)
    if (chosen := codec or tree) and known is not None:
        dtype = known[2]
        _floe.check_tree(chosen, dtype)
        if not module().supports(dtype, chosen):
            raise unsupported(f"GPUs do not encode {dtype} with '{chosen}'")


def decompress(
    frame: Any,
    *,
    rows: slice | None = None,
    out: Any = None,
    stream: Any = None,
    device: int | None = None,
    max_bytes: int | None = None,
) -> Any:
    """Restores an array, or some of its outermost entries, in the memory of a GPU.

    A frame with encodings that GPUs do not have is decoded by the CPU, and the result copied.

    Args:
        frame: Of `compress`, or any array of bytes on a GPU that begins at a multiple of 16; or bytes of the host,
            which are copied as they are and decoded on the device.
        rows: ``slice(10, 20)`` for ten entries of the first axis; decodes only chunks or segments that they overlap.
        out: A contiguous array on the GPU to write to, with the type and shape of the result.
        stream: As in `compress`; the default is the current one of the library of `out`, else of the frame.
        device: The number of the GPU for frames of the host; the default is that of `out`, else the current one.
        max_bytes: The result may have so many; a frame of a few bytes may stand for a huge array.

    Returns:
        `out`, or an `Array`, when the work is done.

    Raises:
        CorruptError: The frame is damaged.
        UnsupportedError: The array cannot be on a GPU as it is (Fortran order, complex).
        InvalidArgumentError: `out` has another type or shape.
        OutOfMemoryError, Error: As `compress`.

    Thread-safe; the GIL is released. Safe for bytes from anyone.
    """
    if type(frame) is Frame and rows is None and device is None and max_bytes is None:
        try:  # all of it in one call
            memory = (_module or _load()).decompress(frame._memory, out, stream)
        except (UnsupportedError, OutOfMemoryError):
            memory = None
        if memory is not None:
            return memory if out is not None else Array(memory, frame._kind.dtype, frame._kind.shape)
    cuda, handle = module(), stream_handle(stream, frame if out is None else out)
    target = None if out is None else view_of(out, handle, is_written=True)
    source = Source(frame, handle, target.device if target is not None else device)
    kind = source.kind
    first, end = rows_of(rows, kind.shape)
    shape = kind.shape and (end - first, *kind.shape[1:])
    room: Any = target
    if target is None:
        size = math.prod(shape) * (dlpack_type(kind.dtype)[1] // 8)
        if max_bytes is not None and size > max_bytes:
            raise OutOfMemoryError("out_of_memory", 0, f"the array has {size} bytes, more than max_bytes")
        room = Array(cuda.Memory(size, source.device, handle, stream), kind.dtype, shape)
    elif (target.dtype, target.shape, target.device) != (kind.dtype, shape, source.device):
        raise invalid(f"out is {target.dtype} {target.shape}, the frame holds {kind.dtype} {shape}")
    row = kind.count // kind.shape[0] if kind.shape and kind.shape[0] else 1
    if room.nbytes:
        decode(source, first * row, (end - first) * row, room, handle)
    return room if out is None else out


def free_memory() -> None:
    """Gives memory of GPUs that floe keeps for further calls back to the system. Waits for their work."""
    module().trim()


__all__ = ["Array", "Frame", "compress", "decompress", "free_memory", "is_available", "reason"]
