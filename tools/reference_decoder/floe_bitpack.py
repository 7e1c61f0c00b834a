"""Bitpack, from docs/format/encodings/bitpack.md."""

from floe_bytes import BitReader, Reader, require, words_of
from floe_registry import encoding, is_integer

BLOCK = 1024


@encoding(2, "bitpack", takes=is_integer)
def bitpack(node):
    payload = Reader(node.reader.take(node.reader.varint()))
    return bitpack_words(payload, node.count, node.bits)


def bitpack_words(payload, count, bits):
    base = 0
    for first in range(0, count, BLOCK):
        length = min(BLOCK, count - first)
        control = payload.number(1)
        width = control & 127
        require(width <= bits, "bitpack: a width is more than the word has bits")
        base = (base + payload.signed_varint(bits)) % (1 << bits)
        packed = payload.take((length * width + 7) // 8)
        fields = interleaved_fields(packed, width, bits) if length == BLOCK else plain_fields(packed, width, length)
        if control & 128:
            add_exceptions(payload, fields, width, bits)
        yield from ((base + field) % (1 << bits) for field in fields)


def plain_fields(packed, width, count):
    reader = BitReader(packed)
    return [reader.get(width) for _ in range(count)]


def interleaved_fields(packed, width, bits):
    lanes = BLOCK // bits
    rows = [words_of(packed[at : at + BLOCK // 8], bits // 8)[0] for at in range(0, len(packed), BLOCK // 8)]
    fields = [0] * BLOCK
    for lane in range(lanes):
        stream = sum(row[lane] << bits * r for r, row in enumerate(rows))
        for i in range(lane, BLOCK, lanes):
            fields[i] = stream & ((1 << width) - 1)
            stream >>= width
    return fields


def add_exceptions(payload, fields, width, bits):
    count = payload.varint()
    upper = payload.number(1)
    require(count <= len(fields), "bitpack: more exceptions than words")
    require(width + upper <= bits, "bitpack: an exception has more bits than the word")
    reader = BitReader(payload.take((count * (10 + upper) + 7) // 8))
    for _ in range(count):
        position = reader.get(10)
        require(position < len(fields), "bitpack: an exception lies behind its block")
        fields[position] += reader.get(upper) << width
