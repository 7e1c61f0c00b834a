"""All encodings, from docs/format/encodings: importing this module fills the table."""

import itertools

import floe_affine  # noqa: F401
import floe_bitpack  # noqa: F401
import floe_entropy  # noqa: F401
import floe_exceptions  # noqa: F401
import floe_integers  # noqa: F401
import floe_repetitions  # noqa: F401
from floe_bytes import words_of
from floe_leaves import Leaf
from floe_registry import ENCODINGS, WIDTHS, encoding
from floe_stages import CODECS


@encoding(0, "raw")
def raw(node):
    return words_of(node.reader.take(node.count * node.bits // 8), node.bits // 8)[0]


@encoding(1, "constant")
def constant(node):
    return itertools.repeat(node.word(), node.count)


def takes_codec(type_name, codec_id, dimensionality):
    codec = CODECS[codec_id]
    return codec.width == WIDTHS[type_name] and (dimensionality == 1 or codec.has_dimensionality)


@encoding(12, "codec", ranges=((1, 8), (1, 32)), takes=takes_codec)
def codec(node):
    """A nested leaf."""
    leaf = Leaf(node.reader, *node.parameters, node.count * node.bits // 8, has_checksums=False)
    return (word for _ in range(1) for word in words_of(leaf.decode(), node.bits // 8)[0])


CODEC, ENTROPY, MULTI_ENTROPY = ENCODINGS[12], ENCODINGS[13], ENCODINGS[20]
