"""A codec for Zarr 3, as a serializer: chunks of numbers become frames of floe.

>>> import zarr, numpy as np, floe.zarr
>>> array = zarr.create_array({}, shape=(100, 100), chunks=(50, 50), dtype="f4", serializer=floe.zarr.FloeCodec(),
...                           compressors=None)

Arrays that were written with it are opened wherever floe is installed, without an import: it has an entry point. The
name in the metadata, ``floe``, is not yet registered with the Zarr extensions. For Zarr 2 there is `floe.numcodecs`.

With ``zarr.config.enable_gpu()`` chunks are CuPy arrays: the same codec then encodes and decodes them on the GPU, with
the package floe-cuda. Either reads what the other wrote.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from zarr.abc.codec import ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin
from zarr.core.common import parse_named_configuration

from . import _floe
from ._arrays import compress, decompress_into
from ._cuda_arrays import is_on_device
from ._elements import floe_type
from ._errors import CorruptError
from ._file import ArrayFile
from ._options import options_of

NAME = "floe"


def _check_type(dtype: np.dtype[Any]) -> None:
    """Raises UnsupportedError for what floe has no type for."""
    if dtype.kind not in "cmM":
        floe_type(dtype.newbyteorder("<"))


@dataclass(frozen=True)
class FloeCodec(ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin):
    """Compresses each chunk by its type. Arguments are those of `floe.compress`.

    Give it as `serializer`, and no compressors: what follows it would find nothing to gain, and parts of chunks could
    not be decoded alone. `threads` work on each chunk and are not kept with the array; Zarr works on several chunks at
    a time, so the default is one. Thread-safe.
    """

    goal: str = "balance"
    codec: str | None = None
    tree: str | None = None
    checksum: bool = True
    threads: int = field(default=1, compare=False)

    is_fixed_size = False

    def __post_init__(self) -> None:
        options_of(self.goal, self.codec, self.tree, self.threads, self.checksum)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FloeCodec:
        """Of the metadata of an array."""
        _, configuration = parse_named_configuration(data, NAME, require_configuration=False)
        return cls(**(configuration or {}))

    def to_dict(self) -> dict[str, Any]:
        """For the metadata of an array. What is not given is left out."""
        configuration: dict[str, Any] = {"goal": self.goal, "checksum": self.checksum}
        configuration |= {key: value for key in ("codec", "tree") if (value := getattr(self, key)) is not None}
        return {"name": NAME, "configuration": configuration}

    def validate(self, *, shape: tuple[int, ...], dtype: Any, chunk_grid: Any) -> None:
        """Raises UnsupportedError for types that floe does not have."""
        _check_type(dtype.to_native_dtype())

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        """Nobody knows before."""
        raise NotImplementedError

    def _encode_sync(self, chunk: Any, spec: Any) -> Any:
        if is_on_device(chunk.as_ndarray_like()):
            return self._encode_on_device(chunk.as_ndarray_like(), spec)
        elements = np.ascontiguousarray(chunk.as_numpy_array())
        if elements.dtype.byteorder == ">":
            elements = elements.astype(elements.dtype.newbyteorder("<"))
        options = {"codec": self.codec, "tree": self.tree, "threads": self.threads, "checksum": self.checksum}
        return spec.prototype.buffer.from_bytes(compress(elements, self.goal, **options))  # type: ignore[arg-type]

    def _encode_on_device(self, chunk: Any, spec: Any) -> Any:
        import cupy

        from . import cuda

        elements = cupy.ascontiguousarray(chunk)
        frame = cuda.compress(elements, codec=self.codec, tree=self.tree, checksum=self.checksum)
        return spec.prototype.buffer.from_array_like(cupy.from_dlpack(frame))

    def _decode_on_device(self, chunk: Any, spec: Any) -> Any:
        import cupy

        from . import cuda

        out = cupy.empty(spec.shape, spec.dtype.to_native_dtype())
        cuda.decompress(chunk.as_array_like(), out=out)
        return spec.prototype.nd_buffer.from_ndarray_like(out)

    def _decode_sync(self, chunk: Any, spec: Any) -> Any:
        if is_on_device(chunk.as_array_like()):
            return self._decode_on_device(chunk, spec)
        dtype = spec.dtype.to_native_dtype()
        out = np.empty(spec.shape, dtype.newbyteorder("<"))
        decompress_into(chunk.as_numpy_array(), out, threads=self.threads)
        return spec.prototype.nd_buffer.from_numpy_array(out.astype(dtype, copy=False))

    def _decode_part(self, chunk: Any, selection: Any, spec: Any) -> Any:
        if is_on_device(chunk.as_array_like()):
            whole = self._decode_on_device(chunk, spec).as_ndarray_like()
            return spec.prototype.nd_buffer.from_ndarray_like(whole[selection])
        dtype = spec.dtype.to_native_dtype()
        with ArrayFile(_floe.Reader(chunk.as_numpy_array()), threads=self.threads) as file:
            if file.shape != spec.shape or file.dtype != dtype.newbyteorder("<"):
                raise CorruptError("corrupt_frame", 0, f"the chunk holds {file.dtype} {file.shape}")
            part = np.asarray(file[selection])
        return spec.prototype.nd_buffer.from_numpy_array(part.astype(dtype, copy=False))

    async def _encode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        return await asyncio.to_thread(self._encode_sync, chunk_data, chunk_spec)

    async def _decode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        return await asyncio.to_thread(self._decode_sync, chunk_data, chunk_spec)

    async def _decode_partial_single(self, byte_getter: Any, selection: Any, chunk_spec: Any) -> Any:
        """The chunk is fetched whole; of it only the segments that overlap the selection's first axis are decoded."""
        chunk = await byte_getter.get(prototype=chunk_spec.prototype)
        return None if chunk is None else await asyncio.to_thread(self._decode_part, chunk, selection, chunk_spec)
