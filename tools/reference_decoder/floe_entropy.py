"""Entropy and multi_entropy, from docs/format/encodings/entropy.md and multi_entropy.md."""

from floe_bytes import BitReader, Reader, align16, require, words_of
from floe_integers import sums
from floe_registry import encoding

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
            table += [(symbol, frequency, position) for position in range(frequency)]
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
                symbol, frequency, position = table[state % (1 << self.frequency_bits)]
                symbols[lane * self.steps + step] = symbol
                states[lane] = (frequency * (state >> self.frequency_bits) + position) % (1 << 32)
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
