"""Which peers are measured, with which settings, and how is each one called?

One function per peer lists its settings for an array: a name, a call that compresses the array to bytes, and one that takes these
bytes back. Every call uses one thread. What cannot be imported is missing for a reason that the results name.
"""

import importlib
from collections.abc import Iterator

import numpy
from arrays import Array, merged
from duckdb_column import duckdb
from graphs import geozl, openzl
from setting import Setting


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

    width = array.values.itemsize
    shuffle, bitshuffle, bytedelta = (blosc2.Filter.SHUFFLE, 0), (blosc2.Filter.BITSHUFFLE, 0), (blosc2.Filter.BYTEDELTA, width)
    lz4, zstd = blosc2.Codec.LZ4, blosc2.Codec.ZSTD
    settings = [([filter_], codec, 5) for codec in (lz4, zstd) for filter_ in (shuffle, bitshuffle)]
    settings += [([shuffle, bytedelta], zstd, 5), ([shuffle], zstd, 9), ([shuffle, bytedelta], zstd, 9)]
    for filters, codec, level in settings:
        kinds, metas = zip(*filters)
        parameters = blosc2.CParams(codec=codec, clevel=level, typesize=width, filters=[*kinds], filters_meta=[*metas], nthreads=1)
        name = f"{' '.join(kind.name.lower() for kind in kinds)} {codec.name.lower()} -{level}"
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
    "geozl": geozl,
    "zfpy": zfp,
    "fpzip": fpzip,
    "duckdb": duckdb,
}
# What some need besides.
NEEDED = {"duckdb": ("pyarrow",)}


def missing_peers() -> dict[str, str]:
    """The modules that cannot be imported, or what they need, and why."""
    reasons = {}
    for module in PEERS:
        try:
            for name in (module, *NEEDED.get(module, ())):
                importlib.import_module(name)
        except ImportError as error:
            reasons[module] = str(error)
    return reasons
