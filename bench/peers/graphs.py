"""Graphs of OpenZL: the generic one, and that of many which makes the smallest frame of an array.

OpenZL's trainer belongs to its program zli; the package has graphs and nodes, but nothing that trains. In its place every graph here
is tried on a part of the array, and the best ones on all of it. geozl brings nodes for grids, and its own list of graphs. What is tried
is not in the times: the best case for a peer, of which users would train one graph for many arrays.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy
from arrays import Array, merged
from setting import Setting

FINALISTS = 3


def middle_of(values: numpy.ndarray, max_bytes: int) -> numpy.ndarray:
    """Neighbouring rows or planes, in their shape."""
    count = max(1, max_bytes // max(1, values[:1].nbytes))
    first = max(0, (len(values) - count) // 2)
    return values[first : first + count]


def smallest(candidates: Iterable, size: Callable) -> list:
    """The smallest ones first, without those that fail."""
    found = []
    for candidate in candidates:
        try:
            found.append((size(candidate), candidate))
        except (RuntimeError, ValueError):
            continue
    return [candidate for _, candidate in sorted(found, key=lambda pair: pair[0])]


def openzl(array: Array) -> Iterator[Setting]:
    import openzl.ext as zl

    graphs, nodes = zl.graphs, zl.nodes
    # Numeric means unsigned words to OpenZL.
    words = array.flat.view(f"<u{array.values.itemsize}")
    numbers = (zl.LIBRARY_VERSION_MAJOR, zl.LIBRARY_VERSION_MINOR, zl.LIBRARY_VERSION_PATCH)

    def lanes(coder):
        """Bytes of equal weight, each kind for itself."""
        return lambda c: nodes.ConvertNumToStructLE()(c, nodes.TransposeSplit()(c, coder(c)))

    def generic(c):
        return graphs.Compress()(c)

    def alphabet(c):
        return nodes.DeltaInt()(c, graphs.FieldLz()(c))

    def best_zstd(c):
        return graphs.Zstd(compression_level=19)(c)

    leaves = {
        "generic": generic,
        "field_lz": lambda c: graphs.FieldLz()(c),
        "lanes": lanes(generic),
        "lanes entropy": lanes(lambda c: graphs.Entropy()(c)),
    }
    transforms = {
        "": lambda c, to: to,
        "delta": lambda c, to: nodes.DeltaInt()(c, to),
        "delta zigzag": lambda c, to: nodes.DeltaInt()(c, nodes.Zigzag()(c, to)),
        "divide": lambda c, to: nodes.DivideBy()(c, to),
        "divide delta": lambda c, to: nodes.DivideBy()(c, nodes.DeltaInt()(c, to)),
        "range": lambda c, to: nodes.RangePack()(c, to),
        "tokens": lambda c, to: nodes.TokenizeNumeric(sort=True)(c, alphabet(c), to),
        "tokens delta": lambda c, to: nodes.TokenizeNumeric(sort=True)(c, alphabet(c), nodes.DeltaInt()(c, to)),
    }
    floats = {"f32": nodes.Float32Deconstruct, "f16": nodes.Float16Deconstruct, "bf16": nodes.BFloat16Deconstruct}

    def graph(transform: str, leaf: Callable) -> Callable:
        return lambda c: transforms[transform](c, leaf(c))

    def compressor(build: Callable):
        made = zl.Compressor()
        made.set_parameter(zl.CParam.FormatVersion, zl.MAX_FORMAT_VERSION)
        made.select_starting_graph(build(made))
        return made

    def compress(made, some: numpy.ndarray) -> bytes:
        context = zl.CCtx()
        context.ref_compressor(made)
        return context.compress([zl.Input(zl.Type.Numeric, some)])

    def decompress(frame: bytes) -> numpy.ndarray:
        (output,) = zl.DCtx().decompress(frame)
        return output.content.as_nparray()

    def setting(name: str, build: Callable) -> Setting:
        made = compressor(build)
        return Setting("openzl", name, ".".join(map(str, numbers)), lambda: compress(made, words), decompress)

    def size_of(some: numpy.ndarray) -> Callable:
        return lambda build: len(compress(compressor(build), some))

    yield setting("generic, untrained", generic)

    builds = {graph(transform, leaf): transform for transform in transforms for leaf in leaves.values()}
    if array.dtype in floats:
        fractions = floats[array.dtype]()
        builds[lambda c: fractions(c, nodes.TransposeSplit()(c, generic(c)), generic(c))] = ""
    finalists = smallest(builds, size_of(middle_of(words, 1 << 20)))[:FINALISTS]
    # Zstandard's best level takes long: only behind what the best one begins with.
    finalists.append(graph(builds[finalists[0]], lanes(best_zstd)))
    (best, *_) = smallest([generic, *finalists], size_of(words))
    yield setting("best graph", best)


def geozl(array: Array) -> Iterator[Setting]:
    import geozl

    values = merged(array.values, 3)
    if values.ndim == 1:
        values = values.reshape(1, -1)
    rows = geozl.profile(middle_of(values, 1 << 21), prior=None, reps=1)

    def compress(graph) -> bytes:
        return geozl.compress(values, graph=graph)

    graphs = [geozl.graph(values, row["graph"]) for row in rows[:FINALISTS]]
    (best, *_) = smallest(graphs, lambda graph: len(compress(graph)))
    yield Setting("geozl", "best graph", geozl.__version__, lambda: compress(best), geozl.decompress)
