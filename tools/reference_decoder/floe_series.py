"""Encoded segments of columns, from docs/format/series/*.md except table.md: parts, plans, and one class per encoding. Words are numbers from 0 to
2^W - 1, whatever their type; streams are generators, so that words which nobody asks for are not looked at."""

import itertools
import struct

from floe_stages import CHUNK_BYTES, CODECS, Corrupt, require

# Id of a type: name, bits of a word.
TYPES = {1: ("i8", 8), 2: ("i16", 16), 3: ("i32", 32), 4: ("i64", 64), 5: ("u8", 8), 6: ("u16", 16), 7: ("u32", 32), 8: ("u64", 64), 9: ("f32", 32), 10: ("f64", 64), 11: ("bool", 8)}
WIDTHS = dict(TYPES.values())

LARGEST_VARINT = (1 << 64) - 1
MOST_PARTS = 1024
MOST_NODES, MOST_DEPTH = 64, 8
VECTOR = 1024


def is_float(type_name):
    return type_name in ("f32", "f64")


def is_integer(type_name):
    return not is_float(type_name)


def signed(word, bits):
    return word - (1 << bits) if word >> (bits - 1) else word


def words_of(data, bits):
    size = bits // 8
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]


class Reader:
    """Bytes from the front."""

    def __init__(self, data):
        self.data = data
        self.position = 0

    def take(self, count):
        require(count <= len(self.data) - self.position, "a segment of a column ends early")
        self.position += count
        return self.data[self.position - count : self.position]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        number = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte < 128:
                require(number <= LARGEST_VARINT, "a varint has more than 64 bits")
                return number
        raise Corrupt("a varint has more than 10 bytes")

    def signed_varint(self, bits):
        folded = self.varint()
        require(folded < 1 << bits, "a signed varint has more bits than a word")
        return (folded >> 1 ^ -(folded & 1)) % (1 << bits)


class Bits:
    """A bit stream."""

    def __init__(self, data):
        self.number = int.from_bytes(data, "little")
        self.left = 8 * len(data)

    def get(self, count):
        require(count <= self.left, "a bit stream ends early")
        self.left -= count
        field = self.number & ((1 << count) - 1)
        self.number >>= count
        return field


# ---- encodings ------------------------------------------------------------------------------------------------------------------


class Node:
    """A node that is opened: `type`, its bits, `count` words, parameters. open() reads header and payload, words() gives the words."""

    ranges = ()

    def __init__(self, opening, type_name, count, parameters):
        self.type = type_name
        self.bits = WIDTHS[type_name]
        self.modulus = 1 << self.bits
        self.count = count
        self.parameters = parameters
        self.open(opening.reader, opening)

    @staticmethod
    def takes(_type_name, _parameters):
        return True

    @staticmethod
    def children(_type_name, _parameters):
        """Types of the children."""
        return []


class IntegerNode(Node):
    @staticmethod
    def takes(type_name, _parameters):
        return is_integer(type_name)


def signed_of(type_name):
    return f"i{WIDTHS[type_name]}"


def unsigned_of(type_name):
    return f"u{WIDTHS[type_name]}"


class Raw(Node):
    def open(self, reader, _opening):
        self.payload = reader.take(self.count * self.bits // 8)

    def words(self):
        return iter(words_of(self.payload, self.bits))


class Constant(Node):
    def open(self, reader, _opening):
        (self.word,) = words_of(reader.take(self.bits // 8), self.bits)

    def words(self):
        return itertools.repeat(self.word, self.count)


class Afl(IntegerNode):
    def open(self, reader, _opening):
        self.payload = Reader(reader.take(reader.varint()))

    def words(self):
        base = 0
        for first in range(0, self.count, VECTOR):
            base, vector = self.vector(base, min(VECTOR, self.count - first))
            yield from vector

    def vector(self, base, count):
        control = self.payload.byte()
        width = control & 127
        require(width <= self.bits, "afl: a width is more than the word has bits")
        base = (base + self.payload.signed_varint(self.bits)) % self.modulus
        packed = self.payload.take((count * width + 7) // 8)
        fields = self.interleaved(packed, width) if count == VECTOR else self.plain(packed, width, count)
        if control & 128:
            self.add_exceptions(fields, width)
        return base, [(base + field) % self.modulus for field in fields]

    @staticmethod
    def plain(packed, width, count):
        bits = Bits(packed)
        return [bits.get(width) for _ in range(count)]

    def interleaved(self, packed, width):
        lanes = VECTOR // self.bits
        rows = [words_of(packed[at : at + VECTOR // 8], self.bits) for at in range(0, len(packed), VECTOR // 8)]
        fields = [0] * VECTOR
        for lane in range(lanes):
            bits = sum(row[lane] << self.bits * r for r, row in enumerate(rows))
            for i in range(lane, VECTOR, lanes):
                fields[i] = bits & ((1 << width) - 1)
                bits >>= width
        return fields

    def add_exceptions(self, fields, width):
        count = self.payload.varint()
        upper = self.payload.byte()
        require(count <= len(fields), "afl: more exceptions than words")
        require(width + upper <= self.bits, "afl: an exception has more bits than the word")
        bits = Bits(self.payload.take((count * (10 + upper) + 7) // 8))
        for _ in range(count):
            position = bits.get(10)
            require(position < len(fields), "afl: an exception lies behind its vector")
            fields[position] += bits.get(upper) << width


class Delta(IntegerNode):
    ranges = ((1, 2), (1, 64))

    @staticmethod
    def children(type_name, _parameters):
        return [signed_of(type_name)]

    def open(self, reader, opening):
        order, stride = self.parameters
        self.firsts = []
        left = self.count
        for _ in range(order):
            self.firsts.append([reader.signed_varint(self.bits) for _ in range(min(stride, left))])
            left -= len(self.firsts[-1])
        self.differences = opening.child(left)

    def words(self):
        words = self.differences
        for firsts in reversed(self.firsts):
            words = self.sums(firsts, words)
        return words

    def sums(self, firsts, differences):
        last = list(firsts)
        yield from firsts
        for i, difference in enumerate(differences):
            last[i % len(last)] = (last[i % len(last)] + difference) % self.modulus
            yield last[i % len(last)]


class Rle(Node):
    @staticmethod
    def children(type_name, _parameters):
        return ["u32", type_name]

    def open(self, reader, opening):
        runs = reader.varint()
        require(1 <= runs <= self.count, "rle: the number of runs is impossible")
        self.lengths = opening.child(runs)
        self.values = opening.child(runs)

    def words(self):
        left = self.count
        for length, value in zip(self.lengths, self.values, strict=True):
            yield from itertools.repeat(value, min(length, left))
            left -= min(length, left)
            if left == 0:
                return
        raise Corrupt("rle: the runs are too short")


class Scale(IntegerNode):
    @staticmethod
    def children(type_name, _parameters):
        return [unsigned_of(type_name)]

    def open(self, reader, opening):
        self.base = reader.signed_varint(self.bits)
        self.divisor = reader.varint()
        require(1 <= self.divisor < self.modulus, "scale: the divisor is impossible")
        self.quotients = opening.child(self.count)

    def words(self):
        return ((quotient * self.divisor + self.base) % self.modulus for quotient in self.quotients)


def with_exceptions(words, gaps, exceptions):
    """Words, of which some are replaced."""
    pairs = zip(gaps, exceptions, strict=True)
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


class Decimal(Node):
    ranges = ((0, 22), (4, 8))

    @staticmethod
    def takes(type_name, parameters):
        return is_float(type_name) and parameters[1] in ((4, 8) if type_name == "f64" else (4,))

    @staticmethod
    def children(type_name, parameters):
        return [f"i{8 * parameters[1]}", "u64", type_name]

    def open(self, reader, opening):
        exceptions = reader.varint()
        require(exceptions <= self.count, "decimal: more exceptions than words")
        self.integers = opening.child(self.count)
        self.gaps = opening.child(exceptions)
        self.exceptions = opening.child(exceptions)

    def words(self):
        return with_exceptions(map(self.value, self.integers), self.gaps, self.exceptions)

    def value(self, word):
        integer = signed(word, 8 * self.parameters[1])
        require(-(1 << 51) <= integer < 1 << 51, "decimal: an integer is too large")
        quotient = float(integer) / float(10 ** self.parameters[0])
        return int.from_bytes(struct.pack("<d" if self.type == "f64" else "<f", quotient), "little")


class Ordered(Node):
    @staticmethod
    def takes(type_name, _parameters):
        return is_float(type_name)

    @staticmethod
    def children(type_name, _parameters):
        return [signed_of(type_name)]

    def open(self, _reader, opening):
        self.integers = opening.child(self.count)

    def words(self):
        top = self.modulus >> 1
        return (word ^ (top - 1) if word & top else word for word in self.integers)


class Split(Node):
    ranges = ((0, 3),)

    @staticmethod
    def takes(type_name, parameters):
        return is_integer(type_name) or parameters[0] >= 2

    @staticmethod
    def children(type_name, _parameters):
        return ["bool", type_name, type_name]

    def open(self, reader, opening):
        seconds = reader.varint()
        require(seconds <= self.count, "split: more words on one side than there are")
        self.stencil = opening.child(self.count)
        self.sides = [opening.child(self.count - seconds), opening.child(seconds)]

    def words(self):
        for side in self.stencil:
            word = next(self.sides[1 if side else 0], None)
            require(word is not None, "split: the stencil wants more words of one side than there are")
            yield word


class Freq(Node):
    @staticmethod
    def children(type_name, _parameters):
        return ["u64", type_name]

    def open(self, reader, opening):
        (self.word,) = words_of(reader.take(self.bits // 8), self.bits)
        exceptions = reader.varint()
        require(exceptions <= self.count, "freq: more exceptions than words")
        self.gaps = opening.child(exceptions)
        self.exceptions = opening.child(exceptions)

    def words(self):
        return with_exceptions(itertools.repeat(self.word, self.count), self.gaps, self.exceptions)


class StrideSplit(Node):
    ranges = ((2, 8),)

    @staticmethod
    def children(type_name, parameters):
        return [type_name] * parameters[0]

    def open(self, _reader, opening):
        k = self.parameters[0]
        self.parts = [opening.child((self.count - part + k - 1) // k if self.count > part else 0) for part in range(k)]

    def words(self):
        return (next(self.parts[i % len(self.parts)]) for i in range(self.count))


class Dict(Node):
    ranges = ((0, 2), (1, 65535))

    @staticmethod
    def children(type_name, _parameters):
        return [type_name, "u16", type_name]

    def open(self, reader, opening):
        entries = reader.varint()
        exceptions = reader.varint()
        require(1 <= entries <= min(self.parameters[1], self.count), "dict: the number of entries is impossible")
        require(exceptions <= self.count, "dict: more exceptions than words")
        self.entries = opening.child(entries)
        self.codes = opening.child(self.count)
        self.exceptions = opening.child(exceptions)

    def words(self):
        entries = list(self.entries)
        for code in self.codes:
            require(code <= len(entries), "dict: a code without an entry")
            word = entries[code] if code < len(entries) else next(self.exceptions, None)
            require(word is not None, "dict: more codes of exceptions than exceptions")
            yield word


class Unique(Node):
    @staticmethod
    def children(type_name, _parameters):
        return [type_name, "u32"]

    def open(self, reader, opening):
        entries = reader.varint()
        require(1 <= entries <= min(1 << 20, self.count), "unique: the number of entries is impossible")
        self.entries = opening.child(entries)
        self.codes = opening.child(self.count)

    def words(self):
        entries = list(self.entries)
        for code in self.codes:
            require(code < len(entries), "unique: a code without an entry")
            yield entries[code]


class Divide(Node):
    ranges = ((1, 2**32 - 1), (0, 63))

    @staticmethod
    def takes(type_name, parameters):
        return parameters[0] << parameters[1] < 1 << WIDTHS[type_name]

    @staticmethod
    def children(type_name, _parameters):
        sign = "i" if type_name[0] in "if" else "u"
        return [f"{sign}{WIDTHS[type_name]}", f"u{WIDTHS[type_name]}"]

    def open(self, _reader, opening):
        self.quotients = opening.child(self.count)
        self.remainders = opening.child(self.count)

    def words(self):
        divisor, modulus, top = self.parameters[0] << self.parameters[1], 1 << self.bits, 1 << (self.bits - 1)
        for quotient, remainder in zip(self.quotients, self.remainders, strict=True):
            if self.type[0] == "f" and quotient >= top:
                yield ((modulus - 1 - quotient) * divisor + remainder) % modulus ^ top
            else:
                yield (quotient * divisor + remainder) % modulus


class Codec(Node):
    ranges = ((0, 255),)

    @staticmethod
    def takes(type_name, parameters):
        codec = CODECS.get(parameters[0])
        return codec is not None and not codec.has_history and 8 * codec.width == WIDTHS[type_name]

    def open(self, reader, _opening):
        self.payload = Reader(reader.take(reader.varint()))

    def words(self):
        left = self.count * self.bits // 8
        while left > 0:
            chunk_bytes = min(CHUNK_BYTES, left)
            stored = int.from_bytes(self.payload.take(2), "little")
            require(stored <= chunk_bytes, "codec: a stored chunk is longer than the chunk")
            payload = self.payload.take(stored)
            chunk = payload if stored == chunk_bytes else CODECS[self.parameters[0]].decode_chunk(payload, chunk_bytes, 1)
            yield from words_of(chunk, self.bits)
            left -= chunk_bytes


class Entropy(IntegerNode):
    def open(self, reader, _opening):
        control = reader.byte()
        self.mantissa = control & 7
        lanes_log = control >> 3 & 7
        require(lanes_log <= 5, "entropy: more than 32 lanes")
        require(control & 64 == 0, "entropy: a reserved bit is not zero")
        self.is_folded = bool(control & 128)
        self.base = reader.signed_varint(self.bits)
        self.read_table(reader)
        word_bytes, extra_bytes = reader.varint(), reader.varint()
        self.states = [int.from_bytes(reader.take(4), "little") for _ in range(1 << lanes_log)]
        self.more = iter(words_of(reader.take(word_bytes)[: word_bytes // 2 * 2], 16))
        self.extra = Bits(reader.take(extra_bytes))

    def read_table(self, reader):
        last = reader.byte()
        begin = reader.position
        bits = Bits(reader.data[begin:])
        whole = bits.left
        self.table = []  # the symbol and the place of each of the 4096 numbers
        symbol = 0
        while symbol <= last:
            size = bits.get(4)
            if size == 0:
                symbol += 1 + bits.get(4)
                continue
            frequency = 1 << (size - 1) | bits.get(size - 1)
            require(self.symbol_bits(symbol) <= self.bits, "entropy: a symbol needs more bits than the word has")
            require(len(self.table) + frequency <= 4096, "entropy: frequencies sum to more than 4096")
            self.table += [(symbol, frequency, place) for place in range(frequency)]
            symbol += 1
        require(len(self.table) == 4096, "entropy: frequencies do not sum to 4096")
        reader.take((whole - bits.left + 7) // 8)

    def extra_bits(self, symbol):
        return 0 if symbol < 2 << self.mantissa else (symbol >> self.mantissa) - 1

    def symbol_bits(self, symbol):
        extra = self.extra_bits(symbol)
        return symbol.bit_length() if extra == 0 else extra + self.mantissa + 1

    def words(self):
        for i in range(self.count):
            lane = i % len(self.states)
            state = self.states[lane]
            symbol, frequency, place = self.table[state % 4096]
            state = frequency * (state >> 12) + place
            if state < 1 << 16:
                word = next(self.more, None)
                require(word is not None, "entropy: the words end early")
                state = state << 16 | word
            self.states[lane] = state
            extra = self.extra_bits(symbol)
            offset = symbol if symbol < 2 << self.mantissa else (symbol - (extra << self.mantissa)) << extra | self.extra.get(extra)
            if self.is_folded:
                offset = offset >> 1 ^ -(offset & 1)
            yield (self.base + offset) % self.modulus


ENCODINGS = {
    0: Raw,
    1: Constant,
    2: Afl,
    3: Delta,
    4: Rle,
    5: Scale,
    6: Decimal,
    7: Ordered,
    8: Split,
    9: Freq,
    10: StrideSplit,
    11: Dict,
    12: Codec,
    13: Entropy,
    14: Divide,
    15: Unique,
}


# ---- plans ----------------------------------------------------------------------------------------------------------------------


class Plan:
    """Pre-order list of (encoding, parameters, children)."""

    def __init__(self, reader, type_name):
        self.nodes = 0
        self.root = self.read(reader, type_name, 1)

    def read(self, reader, type_name, depth):
        identifier = reader.byte()
        require(identifier in ENCODINGS, "a plan has an encoding that is unknown")
        self.nodes += 1
        require(self.nodes <= MOST_NODES and depth <= MOST_DEPTH, "a plan is too large")
        encoding = ENCODINGS[identifier]
        parameters = [reader.varint() for _ in encoding.ranges]
        for parameter, (least, most) in zip(parameters, encoding.ranges, strict=True):
            require(least <= parameter <= most, "a parameter is out of its range")
        require(encoding.takes(type_name, parameters), "an encoding does not take the type of its stream")
        return encoding, parameters, [(child, self.read(reader, child, depth + 1)) for child in encoding.children(type_name, parameters)]


class Opening:
    """Opens the nodes of a tree in pre-order. Adds the encodings of those that have words to `used`."""

    def __init__(self, reader, used, children=()):
        self.reader = reader
        self.used = used
        self.children = iter(children)

    def child(self, count):
        type_name, node = next(self.children)
        return self.open(type_name, node, count)

    def open(self, type_name, node, count):
        if count == 0:
            return iter(())
        encoding, parameters, children = node
        self.used.add(encoding)
        return iter(encoding(Opening(self.reader, self.used, children), type_name, count, parameters).words())


def decode_segment(data, type_name, count, used):
    """The words of an encoded segment. Adds the encodings that they went through to `used`."""
    reader = Reader(data)
    part_count = reader.varint()
    require(1 <= part_count <= MOST_PARTS, "a segment has no parts, or too many")
    plans, words = [], []
    for part in range(part_count):
        left = count - len(words)
        length = left if part + 1 == part_count else reader.varint()
        require(length <= left, "the parts of a segment are longer than the segment")
        reference = reader.varint()
        require(reference <= len(plans), "a part refers to no plan")
        if reference == 0:
            plans.append(Plan(reader, type_name))
        plan = plans[reference - 1]
        if length > 0:
            words += Opening(reader, used).open(type_name, plan.root, length)
    return words
