"""All encodings, from docs/format/encodings: one function for each. It reads the header of a node, opens the children, and returns an iterator over the
words. Words are numbers from 0 to 2^W - 1, whatever their type."""

import itertools
import struct

from floe_bytes import BitReader, Corrupt, Reader, align16, require, signed, words_of
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


@encoding(3, "delta", ranges=((1, 2), (1, 1 << 20)), takes=is_integer, children=lambda type_name, *_: [signed_of(type_name)])
def delta(node):
    order, stride = node.parameters
    if stride > 64:
        words = node.child(node.count)
        for _ in range(order):
            words = far_sums(stride, words, node.modulus)
        return words
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


def far_sums(stride, differences, modulus):
    last = []
    for i, difference in enumerate(differences):
        if i < stride:
            last.append(difference)
        else:
            last[i % stride] = (last[i % stride] + difference) % modulus
        yield last[i % stride]


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


# Bits of a mantissa with its leading one, and of an exponent.
MANTISSAS = {"f64": (53, 11), "f32": (24, 8), "f16": (11, 5), "bf16": (8, 8)}


@encoding(16, "grid", takes=is_float, children=lambda type_name: [signed_of(type_name), "u8", "u64", type_name])
def grid(node):
    mantissa_bits, exponent_bits = MANTISSAS[node.type]
    exponent, low_bytes, exceptions = node.reader.varint(), node.reader.varint(), node.reader.varint()
    require(1 <= exponent < (1 << exponent_bits) - 1, "grid: the exponent is impossible")
    require(exceptions <= node.count, "grid: more exceptions than words")
    multiples, low = node.child(node.count), node.child(low_bytes)
    pending, pending_bits = 0, 0

    def value(word):
        nonlocal pending, pending_bits
        multiple = signed(word, node.bits)
        if multiple == 0:
            return 0
        below = mantissa_bits - abs(multiple).bit_length()
        require(below >= 0, "grid: a multiple is too large")
        require(exponent - below >= 1, "grid: an exponent is too small")
        while pending_bits < below:
            byte = next(low, None)
            require(byte is not None, "grid: bits end early")
            pending |= byte << pending_bits
            pending_bits += 8
        mantissa = abs(multiple) << below | pending & (1 << below) - 1
        pending >>= below
        pending_bits -= below
        return (multiple < 0) << (node.bits - 1) | (exponent - below - 1 << mantissa_bits - 1) + mantissa

    return with_exceptions(map(value, multiples), node.child(exceptions), node.child(exceptions))


@encoding(17, "linear", ranges=((1, 32), (1, 1 << 20)), takes=is_integer, children=lambda type_name, *_: [signed_of(type_name)])
def linear(node):
    count, row = node.parameters
    distances = list(range(1, count + 1))
    if row > 1:
        steps = [node.reader.varint() for _ in range(count)]
        require(min(steps) > 0, "linear: a step of 0")
        distances = list(itertools.accumulate(steps))
        require(distances[-1] <= 1 << 20, "linear: a word is too far")
    weights = [signed(node.reader.signed_varint(32), 32) for _ in range(count)]
    return predicted_words(weights, distances, node.child(node.count), node.bits)


def predicted_words(weights, distances, errors, bits):
    words = []
    for error in errors:
        before = [words[-distance] if distance <= len(words) else 0 for distance in distances]
        if bits == 64:
            prediction = sum(weight * (word >> 16) for weight, word in zip(weights, before, strict=True))
        else:
            total = (1 << 15) + sum(weight * word for weight, word in zip(weights, before, strict=True))
            prediction = signed(total % (1 << 64), 64) >> 16
        word = (error + prediction) % (1 << bits)
        yield word
        words.append(signed(word, bits))


def single(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def double(number):
    return number


def takes_lines(type_name, *_parameters):
    return type_name in {"f64", "f32"}


@encoding(18, "affine", ranges=((1, 64),), takes=takes_lines, children=lambda type_name, *_: ["i32", "i8", type_name, "u64", type_name])
def affine(node):
    channels, left = node.parameters[0], node.count
    blocks, steps = [], None
    for _ in range(node.reader.varint()):
        rows, form = node.reader.varint(), node.reader.number(1)
        require(0 < rows <= -(-left // channels), "affine: the number of rows is impossible")
        require(form <= (6 if node.type == "f32" else 3), "affine: an unknown form")
        lines = affine_lines(node, steps) if form > 0 else []
        steps = [step for step, _ in lines] or steps
        blocks.append((form, lines, min(left, rows * channels)))
        left -= blocks[-1][2]
    require(left == 0, "affine: rows are missing")
    exceptions = node.reader.varint()
    require(exceptions <= node.count, "affine: more exceptions than words")
    on_lines = sum(words for form, _, words in blocks if form > 0)
    integers, errors, plain = node.child(on_lines), node.child(on_lines), node.child(node.count - on_lines)
    return with_exceptions(words_of_blocks(node, blocks, integers, errors, plain), node.child(exceptions), node.child(exceptions))


def affine_lines(node, steps):
    most = 2.0**400 if node.type == "f64" else 2.0**60
    lines = []
    for channel in range(node.parameters[0]):
        has = node.reader.number(1)
        require(has < 4, "affine: reserved bits")
        require(has & 1 or steps, "affine: there was no step before")
        step = struct.unpack("<d", node.reader.take(8))[0] if has & 1 else steps[channel]
        offset = struct.unpack("<d", node.reader.take(8))[0] if has & 2 else 0.0
        require(1 / most <= step <= most and abs(offset) <= most, "affine: a step or an offset is impossible")
        lines.append((step, offset))
    return lines


def words_of_blocks(node, blocks, integers, errors, plain):
    top = node.modulus >> 1
    for form, lines, words in blocks:
        for i in range(words):
            if form == 0:
                yield next(plain)
                continue
            value = float_on_line(form, *lines[i % len(lines)], signed(next(integers), 32))
            word = int.from_bytes(struct.pack("<d" if node.type == "f64" else "<f", value), "little")
            number = (word ^ (top - 1) if word & top else word) + signed(next(errors), 8)
            yield number % node.modulus ^ (top - 1) if number & top else number % node.modulus


def float_on_line(form, step, offset, integer):
    rounded = single if form > 3 else double
    step, offset, integer = rounded(step), rounded(offset), rounded(float(integer))
    if form in {1, 4}:
        return rounded(rounded(integer * step) + offset)
    moved = rounded(integer + offset)
    return rounded(moved * step if form in {2, 5} else moved / step)


@encoding(19, "match", ranges=((0, 2), (0, 64)), children=lambda type_name, *_: [type_name, "u32", "u32", "u32"])
def match(node):
    literals, sequences, farthest = (node.reader.varint() for _ in range(3))
    require(literals <= node.count and sequences <= node.count - literals, "match: too many literals or sequences")
    require(farthest <= min(node.count, 1 << 24), "match: the farthest distance is too great")
    children = [node.child(count) for count in (literals, sequences, sequences, sequences)]
    return matched_words(*children, farthest, node.count)


def matched_words(literals, literal_lengths, match_lengths, codes, farthest, count):
    words = []
    recent = [1, 2, 3]
    for literal_length, match_length, code in zip(literal_lengths, match_lengths, codes, strict=True):
        for _ in range(min(literal_length, count - len(words))):
            word = next(literals, None)
            require(word is not None, "match: literals lack")
            words.append(word)
        distance = recent.pop(code) if code < 3 else code - 2
        recent = [distance, *recent][:3]
        if len(words) < count:
            require(distance <= min(farthest, len(words)), "match: a distance is too great")
        for _ in range(min(match_length + 1, count - len(words))):
            words.append(words[-distance])
        if len(words) == count:
            return iter(words)
    words += itertools.islice(literals, count - len(words))
    require(len(words) == count, "match: words lack")
    return iter(words)


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


SECTION, RUN = 1 << 16, 64


@encoding(13, "entropy")
def entropy(node):
    return entropy_words(node, may_have_tables=False)


@encoding(20, "multi_entropy", ranges=((1, 3),))
def multi_entropy(node):
    return entropy_words(node, may_have_tables=True)


def entropy_words(node, may_have_tables):
    size = node.reader.varint()
    unit = 16 if node.count >= 4096 else 1
    if unit == 16:
        node.reader.align16()
    payload = node.reader.take(size)
    sections = (EntropySection(section, count, node.bits, unit, may_have_tables) for section, count in sections_of(payload, node.count, unit))
    return (word for section in sections for word in section.words())


ENTROPY, MULTI_ENTROPY = ENCODINGS[13], ENCODINGS[20]


def sections_of(payload, count, unit):
    sections = -(-count // SECTION)
    ends, begin = [len(payload)], 0
    if sections > 1:
        reader = Reader(payload)
        ends = [unit * reader.number(4) for _ in range(sections)]
        begin = align16(reader.position)
    for i, end in enumerate(ends):
        require(begin < end <= len(payload), "entropy: the ends of sections do not ascend")
        yield payload[begin:end], min(SECTION, count - i * SECTION)
        begin = end
    require(begin == len(payload), "entropy: bytes behind the last section")


class EntropySection:
    def __init__(self, data, count, bits, unit, may_have_tables):
        self.data, self.count, self.bits, self.unit = data, count, bits, unit
        reader = Reader(data)
        control, raw_bits, self.block_bits = reader.number(1), reader.number(1), reader.number(1)
        self.mantissa, self.mode, lane_bits = control & 7, control >> 3 & 3, control >> 5
        self.raw = raw_bits & 63
        self.frequency_bits = 8 if raw_bits & 64 else 12
        has_tables = raw_bits >= 128
        require(not has_tables or may_have_tables and unit == 16, "entropy: a section has several tables")
        require(self.mode < 3, "entropy: an unknown mode")
        require(lane_bits == 5 if unit == 16 else lane_bits <= 5, "entropy: another number of lanes")
        require((10 if lane_bits == 5 else 8) <= self.block_bits <= 16, "entropy: another size of blocks")
        self.lanes = 1 << lane_bits
        self.steps = {64: 2, 32: 4}.get(bits, 8)
        self.base = reader.signed_varint(bits)
        require(self.mode != 2 or self.base == 0, "entropy: rotated words have a base")
        table_bits = reader.number(1) if has_tables else 0
        require(not has_tables or 1 <= table_bits <= 3, "entropy: another number of tables")
        self.tables = [self.read_frequencies(reader) for _ in range(1 << table_bits)]
        self.choices = self.read_choices(reader, table_bits)
        self.directory = self.aligned(reader.position)

    def aligned(self, position):
        return -(-position // self.unit) * self.unit

    def dropped_bits_of(self, symbol):
        return max(0, (symbol >> self.mantissa) - 1)

    def read_frequencies(self, reader):
        """For each of the numbers below 2^B its symbol, the frequency of that, and which of its numbers it is."""
        first, last = reader.number(1), reader.number(1)
        require(first <= last, "entropy: the last symbol is before the first")
        stream = BitReader(reader.data[reader.position : reader.position + 1024])  # 256 symbols of up to 18 bits
        sizes = [stream.get(4) for _ in range(first, last + 1)]
        table = []
        for symbol, size in enumerate(sizes, first):
            if size == 0:
                continue
            frequency = 1 << (size - 1) | stream.get(size - 1)
            dropped = self.dropped_bits_of(symbol)
            top = symbol - (dropped << self.mantissa)
            require(dropped + top.bit_length() + self.raw <= self.bits, "entropy: a symbol needs more bits than the word has")
            require(frequency < 1 << self.frequency_bits, "entropy: a frequency is too large")
            table += [(symbol, frequency, place) for place in range(frequency)]
        require(len(table) == 1 << self.frequency_bits, "entropy: frequencies have another sum")
        reader.take(stream.bytes_used())
        return table

    def read_choices(self, reader, table_bits):
        """The table of each run of 64 words, and of those that fill the last group up."""
        runs = -(-self.count // RUN)
        choices = BitReader(reader.take(-(-runs * table_bits // 8)))
        return [choices.get(table_bits) for _ in range(runs)] + 4 * [0]

    def words(self):
        block_words = 1 << self.block_bits
        blocks = -(-self.count // block_words)
        reader = Reader(self.data, self.directory)
        entries = [(self.unit * reader.number(2), reader.number(2)) for _ in range(blocks)]
        ends = [start for start, _ in entries[1:]] + [len(self.data)]
        sums = blocks * self.bits // 8 if self.unit > 1 else 0
        begin = self.aligned(reader.position + sums)
        for i, ((start, extras), end) in enumerate(zip(entries, ends)):
            require(begin <= start <= end <= len(self.data), "entropy: the starts of blocks do not ascend")
            yield from self.words_of_block(Reader(self.data[start:end]), extras, i * block_words, min(block_words, self.count - i * block_words))
            begin = end

    def words_of_block(self, reader, extras, first, count):
        """All of them: whoever takes words one by one would not come to the check behind the last one."""
        states = [reader.number(4) for _ in range(self.lanes)]
        extra_bits = BitReader(reader.take(4 * extras))
        more = iter(words_of(reader.take(reader.remaining()), 2)[0])
        words = []
        while len(words) < count:
            symbols = self.symbols_of_group(states, more, first + len(words))
            words += [self.word(symbol, extra_bits) for symbol in symbols[: count - len(words)]]
        require(all(state == 1 << 16 for state in states), "entropy: the states of a block end otherwise")
        return words

    def symbols_of_group(self, states, more, first):
        symbols = [0] * (self.lanes * self.steps)
        for step in range(self.steps):
            for lane, state in enumerate(states):
                table = self.tables[self.choices[(first + lane * self.steps) // RUN]]
                symbol, frequency, place = table[state % (1 << self.frequency_bits)]
                symbols[lane * self.steps + step] = symbol
                states[lane] = (frequency * (state >> self.frequency_bits) + place) % (1 << 32)
            if self.frequency_bits == 8 and step % 2 == 0:
                continue
            for lane, state in enumerate(states):
                if state < 1 << 16:
                    word = next(more, None)
                    require(word is not None, "entropy: the words end early")
                    states[lane] = state << 16 | word
        return symbols

    def word(self, symbol, extra_bits):
        dropped = self.dropped_bits_of(symbol)
        length = dropped + self.raw
        offset = (symbol - (dropped << self.mantissa)) << length | extra_bits.get(length)
        if self.mode == 2:
            return offset >> 1 | (offset & 1) << (self.bits - 1)
        if self.mode == 1:
            offset = offset >> 1 ^ -(offset & 1)
        return (self.base + offset) % (1 << self.bits)
