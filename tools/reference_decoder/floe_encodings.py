"""All encodings, from docs/format/encodings: one function for each. It reads the header of a node, opens the children, and returns an iterator over the
words. Words are numbers from 0 to 2^W - 1, whatever their type."""

import itertools
import struct

from floe_bytes import BitReader, Corrupt, Reader, require, signed, words_of
from floe_leaves import Leaf
from floe_stages import CODECS

# Bytes of a word of each type.
WIDTHS = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "bool": 1}
FLOATS = ("f64", "f32", "f16", "bf16")
BLOCK = 1024


def is_integer(type_name, *_parameters):
    return type_name not in FLOATS


def is_float(type_name, *_parameters):
    return type_name in FLOATS


def takes_all(_type_name, *_parameters):
    return True


def no_children(_type_name, *_parameters):
    return []


def signed_of(type_name):
    return f"i{8 * WIDTHS[type_name]}"


def unsigned_of(type_name):
    return f"u{8 * WIDTHS[type_name]}"


class Encoding:
    def __init__(self, name, open_node, ranges, takes, children):
        self.name = name
        self.open = open_node
        self.ranges = ranges  # of the parameters
        self.takes = takes  # type and parameters
        self.children = children  # types, from type and parameters


ENCODINGS = {}


def encoding(identifier, name, ranges=(), takes=takes_all, children=no_children):
    """Makes a function that opens a node an encoding."""

    def add(open_node):
        ENCODINGS[identifier] = Encoding(name, open_node, ranges, takes, children)
        return open_node

    return add


@encoding(0, "raw")
def raw(node):
    return words_of(node.reader.take(node.count * node.bits // 8), node.bits // 8)[0]


@encoding(1, "constant")
def constant(node):
    return itertools.repeat(node.word(), node.count)


# ---- bitpack --------------------------------------------------------------------------------------------------------------------


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


# ---- words in other words -------------------------------------------------------------------------------------------------------


@encoding(3, "delta", ranges=((1, 2), (1, 64)), takes=is_integer, children=lambda type_name, *_: [signed_of(type_name)])
def delta(node):
    order, stride = node.parameters
    firsts, left = [], node.count
    for _ in range(order):
        firsts.append([node.reader.signed_varint(node.bits) for _ in range(min(stride, left))])
        left -= len(firsts[-1])
    words = node.child(left)
    for step in reversed(firsts):
        words = sums(step, words, node.modulus)
    return words


def sums(firsts, differences, modulus):
    last = list(firsts)
    yield from firsts
    for i, difference in enumerate(differences):
        last[i % len(last)] = (last[i % len(last)] + difference) % modulus
        yield last[i % len(last)]


@encoding(5, "int_mult", takes=is_integer, children=lambda type_name: [unsigned_of(type_name)])
def int_mult(node):
    base, divisor = node.reader.signed_varint(node.bits), node.reader.varint()
    require(1 <= divisor < node.modulus, "int_mult: the divisor is impossible")
    return ((quotient * divisor + base) % node.modulus for quotient in node.child(node.count))


@encoding(7, "sortable", takes=is_float, children=lambda type_name: [signed_of(type_name)])
def sortable(node):
    top = node.modulus >> 1
    return (word ^ (top - 1) if word & top else word for word in node.child(node.count))


def takes_divisor(type_name, multiplier, shift):
    return multiplier << shift < 1 << 8 * WIDTHS[type_name]


def divide_children(type_name, *_parameters):
    quotients = signed_of if is_float(type_name) or type_name.startswith("i") else unsigned_of
    return [quotients(type_name), unsigned_of(type_name)]


@encoding(14, "divide", ranges=((1, 2**32 - 1), (0, 63)), takes=takes_divisor, children=divide_children)
def divide(node):
    divisor, top = node.parameters[0] << node.parameters[1], node.modulus >> 1
    quotients, remainders = node.child(node.count), node.child(node.count)

    def word(quotient, remainder):
        if is_float(node.type) and quotient >= top:
            return ((node.modulus - 1 - quotient) * divisor + remainder) % node.modulus ^ top
        return (quotient * divisor + remainder) % node.modulus

    return map(word, quotients, remainders)


# ---- exceptions -----------------------------------------------------------------------------------------------------------------


def with_exceptions(words, gaps, exceptions):
    """Words, of which some are replaced."""
    pairs = iter(list(zip(gaps, exceptions, strict=True)))
    pair = next(pairs, None)
    until = pair[0] if pair else None
    for word in words:
        if until == 0:
            yield pair[1]
            pair = next(pairs, None)
            until = pair[0] if pair else None
        else:
            yield word
            until = until - 1 if pair else None


@encoding(9, "sparse", children=lambda type_name: ["u64", type_name])
def sparse(node):
    word, exceptions = node.word(), node.reader.varint()
    require(exceptions <= node.count, "sparse: more exceptions than words")
    return with_exceptions(itertools.repeat(word, node.count), node.child(exceptions), node.child(exceptions))


def takes_decimal(type_name, _digits, integer_bytes):
    return integer_bytes in {"f64": (4, 8), "f32": (4,)}.get(type_name, ())


@encoding(6, "decimal", ranges=((0, 22), (4, 8)), takes=takes_decimal, children=lambda type_name, _digits, width: [f"i{8 * width}", "u64", type_name])
def decimal(node):
    digits, width = node.parameters
    exceptions = node.reader.varint()
    require(exceptions <= node.count, "decimal: more exceptions than words")

    def value(word):
        integer = signed(word, 8 * width)
        require(-(1 << 51) <= integer < 1 << 51, "decimal: an integer is too large")
        return int.from_bytes(struct.pack("<d" if node.type == "f64" else "<f", float(integer) / float(10**digits)), "little")

    return with_exceptions(map(value, node.child(node.count)), node.child(exceptions), node.child(exceptions))


# ---- runs, sides, entries -------------------------------------------------------------------------------------------------------


@encoding(4, "rle", children=lambda type_name: ["u32", type_name])
def rle(node):
    runs = node.reader.varint()
    require(1 <= runs <= node.count, "rle: the number of runs is impossible")
    return run_words(node.child(runs), node.child(runs), node.count)


def run_words(lengths, values, left):
    for length, value in list(zip(lengths, values, strict=True)):
        yield from itertools.repeat(value, min(length, left))
        left -= min(length, left)
        if left == 0:
            return
    raise Corrupt("rle: the runs are too short")


def takes_split(type_name, kind):
    return is_integer(type_name) or kind >= 2


@encoding(8, "split", ranges=((0, 3),), takes=takes_split, children=lambda type_name, _kind: ["bool", type_name, type_name])
def split(node):
    seconds = node.reader.varint()
    require(seconds <= node.count, "split: more words on one side than there are")
    stencil, sides = node.child(node.count), [node.child(node.count - seconds), node.child(seconds)]

    def word(side):
        found = next(sides[1 if side else 0], None)
        require(found is not None, "split: the stencil wants more words of one side than there are")
        return found

    return map(word, stencil)


@encoding(10, "stride_split", ranges=((2, 8),), children=lambda type_name, k: [type_name] * k)
def stride_split(node):
    k = node.parameters[0]
    parts = [node.child(max(0, -(-(node.count - part) // k))) for part in range(k)]
    return (next(parts[i % k]) for i in range(node.count))


@encoding(11, "dict", ranges=((0, 2), (1, 65535)), children=lambda type_name, *_: [type_name, "u16", type_name])
def dictionary(node):
    entry_count, exception_count = node.reader.varint(), node.reader.varint()
    require(1 <= entry_count <= min(node.parameters[1], node.count), "dict: the number of entries is impossible")
    require(exception_count <= node.count, "dict: more exceptions than words")
    entries, codes, exceptions = node.child(entry_count), node.child(node.count), node.child(exception_count)
    return dictionary_words(list(entries), codes, exceptions)


def dictionary_words(entries, codes, exceptions=None):
    """Without exceptions, codes are those of entries."""
    for code in codes:
        require(code < len(entries) or (exceptions is not None and code == len(entries)), "a code without an entry")
        word = entries[code] if code < len(entries) else next(exceptions, None)
        require(word is not None, "dict: more codes of exceptions than exceptions")
        yield word


@encoding(15, "unique", children=lambda type_name: [type_name, "u32"])
def unique(node):
    entry_count = node.reader.varint()
    require(1 <= entry_count <= min(1 << 20, node.count), "unique: the number of entries is impossible")
    entries, codes = node.child(entry_count), node.child(node.count)
    return dictionary_words(list(entries), codes)


# ---- codec ----------------------------------------------------------------------------------------------------------------------


def takes_codec(type_name, codec_id, dimensionality):
    codec = CODECS[codec_id]
    return codec.width == WIDTHS[type_name] and (dimensionality == 1 or codec.has_dimensionality)


@encoding(12, "codec", ranges=((1, 8), (1, 32)), takes=takes_codec)
def codec(node):
    """A nested leaf."""
    leaf = Leaf(node.reader, *node.parameters, node.count * node.bits // 8, has_checksums=False)
    return (word for _ in range(1) for word in words_of(leaf.decode(), node.bits // 8)[0])


CODEC = ENCODINGS[12]


# ---- entropy --------------------------------------------------------------------------------------------------------------------


@encoding(13, "entropy", takes=is_integer)
def entropy(node):
    control = node.reader.number(1)
    mantissa, lanes_log, is_folded = control & 7, control >> 3 & 7, control >> 7
    require(lanes_log <= 5, "entropy: more than 32 lanes")
    require(control & 64 == 0, "entropy: a reserved bit is not zero")
    base = node.reader.signed_varint(node.bits)
    table = read_frequencies(node.reader, mantissa, node.bits)
    word_bytes, extra_bytes = node.reader.varint(), node.reader.varint()
    states = [node.reader.number(4) for _ in range(1 << lanes_log)]
    more = iter(words_of(node.reader.take(word_bytes), 2)[0])
    extra_bits = BitReader(node.reader.take(extra_bytes))

    def word(symbol):
        extra = extra_bits_of(symbol, mantissa)
        offset = (symbol - (extra << mantissa)) << extra | extra_bits.get(extra)
        if is_folded:
            offset = offset >> 1 ^ -(offset & 1)
        return (base + offset) % node.modulus

    return map(word, symbols_of(states, table, more, node.count))


def extra_bits_of(symbol, mantissa):
    return 0 if symbol < 2 << mantissa else (symbol >> mantissa) - 1


def read_frequencies(reader, mantissa, bits):
    """For each of the numbers below 4096 its symbol, the frequency of that, and which of its numbers it is."""
    last = reader.number(1)
    stream = BitReader(reader.data[reader.position : reader.position + 1024])  # 256 symbols of up to 18 bits
    table, symbol = [], 0
    while symbol <= last:
        size = stream.get(4)
        if size == 0:
            symbol += 1 + stream.get(4)
            continue
        frequency = 1 << (size - 1) | stream.get(size - 1)
        extra = extra_bits_of(symbol, mantissa)
        require(extra == 0 or extra + mantissa + 1 <= bits, "entropy: a symbol needs more bits than the word has")
        require(len(table) + frequency <= 4096, "entropy: frequencies sum to more than 4096")
        table += [(symbol, frequency, place) for place in range(frequency)]
        symbol += 1
    require(len(table) == 4096, "entropy: frequencies do not sum to 4096")
    reader.take(stream.bytes_used())
    return table


def symbols_of(states, table, more, count):
    for i in range(count):
        lane = i % len(states)
        symbol, frequency, place = table[states[lane] % 4096]
        state = frequency * (states[lane] >> 12) + place
        if state < 1 << 16:
            word = next(more, None)
            require(word is not None, "entropy: the words end early")
            state = state << 16 | word
        states[lane] = state
        yield symbol
