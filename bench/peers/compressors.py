"""Which peers are measured, with which settings, and how is each one called?

One function per peer lists its settings for an array: a name, a call that compresses the array to bytes, and one that takes these
bytes back. Every call uses one thread. What cannot be imported is missing for a reason that the results name.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy
from arrays import Array, merged


@dataclass(frozen=True)
class Setting:
    compressor: str
    name: str
    version: str
    compress: Callable[[], bytes]
    decompress: Callable[[bytes], Any]


def zstd(array: Array) -> Iterator[Setting]:
    import zstandard

    version = ".".join(map(str, zstandard.ZSTD_VERSION))
    for level in (1, 3, 19):
        compressor, decompressor = zstandard.ZstdCompressor(level=level), zstandard.ZstdDecompressor()
        yield Setting("zstd", f"-{level}", version, lambda c=compressor: c.compress(array.bytes), decompressor.decompress)


def lz4(array: Array) -> Iterator[Setting]:
    import lz4
    import lz4.block

    yield Setting("lz4", "default", lz4.library_version_string(), lambda: lz4.block.compress(array.bytes), lz4.block.decompress)


def blosc2(array: Array) -> Iterator[Setting]:
    import blosc2

    version = blosc2.blosclib_version.split()[0]
    to = numpy.empty_like(array.bytes)
    decode_parameters = blosc2.DParams(nthreads=1)

    def decompress(frame: bytes) -> numpy.ndarray:
        blosc2.decompress2(frame, dst=to, dparams=decode_parameters)
        return to

    for codec in (blosc2.Codec.LZ4, blosc2.Codec.ZSTD):
        for filter_ in (blosc2.Filter.SHUFFLE, blosc2.Filter.BITSHUFFLE):
            parameters = blosc2.CParams(
                codec=codec, clevel=5, typesize=array.values.itemsize, filters=[filter_], filters_meta=[0], nthreads=1
            )
            name = f"{filter_.name.lower()} {codec.name.lower()} -5"
            yield Setting("blosc2", name, version, lambda p=parameters: blosc2.compress2(array.bytes, cparams=p), decompress)


def pcodec(array: Array) -> Iterator[Setting]:
    import pcodec
    from pcodec import standalone

    to = numpy.empty_like(array.flat)

    def decompress(frame: bytes) -> numpy.ndarray:
        standalone.simple_decompress_into(frame, to)
        return to

    for level in (4, 8, 12):
        config = pcodec.ChunkConfig(compression_level=level, enable_8_bit=True)
        yield Setting("pcodec", f"-{level}", pcodec.__version__, lambda c=config: standalone.simple_compress(array.flat, c), decompress)


def openzl(array: Array) -> Iterator[Setting]:
    import openzl.ext

    compressor = openzl.ext.Compressor()
    compressor.set_parameter(openzl.ext.CParam.FormatVersion, openzl.ext.MAX_FORMAT_VERSION)
    compressor.select_starting_graph(openzl.ext.graphs.Compress()(compressor))
    # Numeric means unsigned words to OpenZL.
    words = array.flat.view(f"<u{array.values.itemsize}")

    def compress() -> bytes:
        context = openzl.ext.CCtx()
        context.ref_compressor(compressor)
        return context.compress([openzl.ext.Input(openzl.ext.Type.Numeric, words)])

    def decompress(frame: bytes) -> numpy.ndarray:
        (output,) = openzl.ext.DCtx().decompress(frame)
        return output.content.as_nparray()

    numbers = (openzl.ext.LIBRARY_VERSION_MAJOR, openzl.ext.LIBRARY_VERSION_MINOR, openzl.ext.LIBRARY_VERSION_PATCH)
    yield Setting("openzl", "generic, untrained", ".".join(map(str, numbers)), compress, decompress)


def zfp(array: Array) -> Iterator[Setting]:
    import zfpy

    if array.dtype in ("f32", "f64", "i32", "i64"):
        # Its header has 12 bits for each of four dimensions, 16 for each of three.
        values = merged(array.values, 4 if max(array.values.shape) <= 4096 else 3)
        yield Setting("zfp", "reversible", zfpy.__version__, lambda: zfpy.compress_numpy(values), zfpy.decompress_numpy)


def fpzip(array: Array) -> Iterator[Setting]:
    import fpzip

    if array.dtype in ("f32", "f64"):
        values = merged(array.values, 4)
        yield Setting("fpzip", "lossless", fpzip.__VERSION__, lambda: fpzip.compress(values, precision=0), fpzip.decompress)


# Module that must be importable, and the settings that it offers.
PEERS = {
    "zstandard": zstd,
    "lz4": lz4,
    "blosc2": blosc2,
    "pcodec": pcodec,
    "openzl": openzl,
    "zfpy": zfp,
    "fpzip": fpzip,
}


def missing_peers() -> dict[str, str]:
    """The modules that cannot be imported, and why."""
    reasons = {}
    for module in PEERS:
        try:
            importlib.import_module(module)
        except ImportError as error:
            reasons[module] = str(error)
    return reasons
