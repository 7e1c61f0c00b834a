"""Compact frames that hold a text, from docs/format/text.md: a model that says how probable each bit is, and a code of intervals."""

from collections import defaultdict
from types import SimpleNamespace

from floe_bytes import Reader, require, require_known
from floe_container import COLUMN_TYPES, CSV, MAX_NAME, MAX_PREFIX, MAX_SEGMENT_ROWS

BODY = 1
MAX_TEXT = 1 << 22
MAX_QUOTED = 1 << 20
MAX_COLUMNS, COLUMNS_IN_CONTEXTS = 65536, 4096
BYTES_PER_CODE_BYTE = 4096
MASK = (1 << 32) - 1
CONTEXTS = 8
KEPT = (0, 1, 2, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7)
NODES = (1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994, 3348, 3607, 3785, 3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094)
RATES = [81920 // (10 * n + 16) for n in range(256)]
MAX_LOGIT = 2047
FIRST_WEIGHT, INPUTS = 393, CONTEXTS + 2
QUOTE, LF, ZERO = 34, 10, 0x30
MANY = 20
POWERS = [pow(0x2C1B3C6D, i, 1 << 32) for i in range(1, MANY + 1)]
# What nodes 1 to 15 of group 0 lead to: nodes, bytes, or the first nodes of groups.
FIRST_GROUP = ((2, 11), (3, 4), "01", (5, 8), (6, 7), "23", "45", (9, 10), "67", "89", (",", 12), (13, 15), (".", 14), '"\n', (17, 33))
LISTED_GROUPS = ("eatsionrlcmud -g", "/\r;\t:hypfbANES", "MLCFIDRTWOBPUGvw")
HALVES = 4  # the group of upper halves of bytes


def squash(x):
    node, part = divmod(x + 2048, 128)
    return (NODES[node] * (128 - part) + NODES[node + 1] * part + 64) >> 7


def clamp(x, least, most):
    return min(max(x, least), most)


def limited(x):
    return x if -32768 <= x <= 32767 else clamp(x, -32768, 32767)


def logits():
    table, x = [], -MAX_LOGIT
    for p in range(4096):
        while x < MAX_LOGIT and squash(x) < p:
            x += 1
        table.append(x)
    return table


LOGITS = logits()


def mix(a, b):
    x = (a * 0x9E3779B1 ^ (b * 0x85EBCA6B + 0x165667B1)) & MASK
    x ^= x >> 15
    x = x * 0x2C1B3C6D & MASK
    return x ^ x >> 13


class Tree:
    """`next`: by node, what its bits lead to, a node or -1 - byte. `paths`: by byte, its bits from the root."""

    def __init__(self, separator, kind):
        exchanged = {ord(","): separator, separator: ord(",")}
        self.next = {}
        for node, pair in enumerate(FIRST_GROUP, 1):
            self.next[node] = tuple(self.leaf(to, exchanged) if isinstance(to, str) else to for to in pair)
        for group in range(1, HALVES + 17):
            for node in range(1, 16):
                self.next[16 * group + node] = tuple(16 * group + below if below < 16 else self.end(group, below - 16, exchanged) for below in (2 * node, 2 * node + 1))
        self.paths = {}
        self.root = 16 * HALVES + 1 if kind else 1
        self.find_paths(self.root, ())

    @staticmethod
    def leaf(letter, exchanged):
        return -1 - exchanged.get(ord(letter), ord(letter))

    def end(self, group, position, exchanged):
        if group > HALVES:
            return -1 - (16 * (group - HALVES - 1) + position)
        listed = LISTED_GROUPS[group - 1] if group < HALVES else ""
        return self.leaf(listed[position], exchanged) if position < len(listed) else 16 * (group + 1 + position - len(listed)) + 1

    def find_paths(self, node, path):
        for bit, to in enumerate(self.next[node]):
            if to >= 0:
                self.find_paths(to, (*path, bit))
            elif -1 - to not in self.paths or len(self.paths[-1 - to]) > len(path) + 1:
                self.paths[-1 - to] = (*path, bit)


class Adaptive:
    def __init__(self, probability=1 << 21):
        self.probability, self.count = probability, 0

    def update(self, bit):
        self.probability += (((bit << 22) - self.probability) >> 3) * RATES[self.count] >> 10
        self.count = min(self.count + 1, 255)

    def logit(self):
        return LOGITS[self.probability >> 10]


class Contexts:
    """What stands before a byte."""

    def __init__(self, separator):
        self.separator, self.text, self.in_quotes = separator, bytearray(), False
        self.column = self.begin = self.cell = self.left = self.second_left = 0
        self.above = {}  # by column: begin and length of a cell
        self.of_few, self.of_many, self.repetition, self.repeated = {}, {}, 0, 0

    def back(self, distance):
        return self.text[-distance] if distance <= len(self.text) else 0

    def last_four(self):
        return self.back(1) | self.back(2) << 8 | self.back(3) << 16 | self.back(4) << 24

    def position(self):
        return len(self.text) - self.begin

    def hashes(self):
        column, four, position = self.column % COLUMNS_IN_CONTEXTS, self.last_four(), self.position()
        begin, length = self.above.get(column, (0, 0))
        above = self.text[begin + position] if position < length else self.separator if position == length else 0
        second = self.text[begin + position + 1] if position + 1 < length else 0
        cell = mix(self.cell, column)
        contexts = (
            four & 0xFF,
            four & 0xFFFFFF,
            mix(four, self.back(5) | self.back(6) << 8),
            cell,
            mix(cell, mix(self.left, self.second_left)),
            mix(above | second << 8 | self.back(1) << 16, column),
            mix(column, position | above << 16),
            mix(column, position | 1 << 31),
        )
        return [mix(context, i) for i, context in enumerate(contexts)]

    def add(self, byte):
        self.text.append(byte)
        self.in_quotes ^= byte == QUOTE
        if byte == LF or (byte == self.separator and not self.in_quotes):
            self.end_cell(byte == LF)
        else:
            self.cell = mix(self.cell, byte + 1)
        self.find_repetition(byte)

    def end_cell(self, ends_row):
        self.above[self.column % COLUMNS_IN_CONTEXTS] = (self.begin, len(self.text) - 1 - self.begin)
        self.second_left, self.left = self.left, self.cell
        self.column += 1
        if ends_row:
            self.column = self.left = self.second_left = 0
            self.in_quotes = False
        self.cell, self.begin = 0, len(self.text)

    def find_repetition(self, byte):
        if self.repeated and self.text[self.repetition] == byte:
            self.repetition += 1
            self.repeated = min(self.repeated + 1, 65535)
        else:
            self.repeated = 0
        size = len(self.text)
        if size >= MANY:
            key = mix(sum(self.back(i) * power for i, power in enumerate(POWERS, 1)) & MASK, MANY) >> 16
            if self.repeated < MANY:
                self.begin_repetition(self.of_many.get(key, 0))
            self.of_many[key] = size
        if size >= 5:
            key = mix(self.last_four(), self.back(5)) >> 16
            if self.repeated == 0:
                self.begin_repetition(self.of_few.get(key, 0))
            self.of_few[key] = size

    def begin_repetition(self, position):
        same = 0
        while same < min(32, position) and self.text[position - 1 - same] == self.text[-1 - same]:
            same += 1
        if same > self.repeated:
            self.repetition, self.repeated = position, same


class Model:
    def __init__(self, size, separator, kind):
        self.tree, self.contexts = Tree(separator, kind), Contexts(separator)
        buckets = 1 << 10
        while buckets < min((size + 1) // 2, 1 << 18):
            buckets *= 2
        self.bucket_mask, self.buckets = buckets - 1, {}
        self.histories = [[Adaptive(((2 * (h & 15) + 1) << 22) // (2 * ((h >> 4) + (h & 15)) + 2)) for h in range(256)] for _ in range(CONTEXTS)]
        self.repetitions = [Adaptive() for _ in range(64)]
        self.weights = [{} for _ in range(5)]
        straight = [16 * squash(clamp(128 * i - 2048, -MAX_LOGIT, MAX_LOGIT)) for i in range(33)]
        self.by_node = defaultdict(lambda: list(straight))
        self.by_last = defaultdict(lambda: list(straight))
        self.node, self.path = self.tree.root, ()
        self.hashes = self.contexts.hashes()
        self.find_histories()

    def group_of(self, context, check_hash):
        check, bucket = check_hash >> 24 | 1, self.buckets.setdefault(context & self.bucket_mask, [[0] * 16 for _ in range(4)])
        for group in bucket:
            if group[0] == check:
                return group
        group = min(bucket, key=lambda histories: (histories[1] >> 4) + (histories[1] & 15))
        group[:] = [check] + [0] * 15
        return group

    def find_histories(self):
        # Contexts may share a group, also one that was another's a moment before.
        number = self.node >> 4
        self.groups = [self.group_of(context, mix(context, number) if number else context) for context in self.hashes]

    def repetition_input(self):
        self.expected, self.repetition = None, 0
        contexts = self.contexts
        if contexts.repeated == 0:
            return 0
        expected, depth = self.tree.paths[contexts.text[contexts.repetition]], len(self.path)
        if depth >= len(expected) or expected[:depth] != self.path:
            contexts.repeated = 0
            return 0
        size = contexts.repeated if contexts.repeated < 16 else min(31, 16 + (contexts.repeated - 16) // 8)
        self.expected = expected[depth]
        self.repetition = 2 * size + self.expected
        return self.repetitions[self.repetition].logit()

    def refined(self, table):
        low, part = divmod(self.mixed + 2048, 128)
        return (table[low] * (128 - part) + table[low + 1] * part) >> 7, low + (part >> 6)

    def sets(self):
        depth, column, position = min(len(self.path), 7), self.contexts.column, min(self.contexts.position(), 31)
        return (self.node, (self.repetition // 2, depth), (min(column, 255), depth), (position, depth), (mix(position, column) >> 23, depth))

    def probability(self):
        self.seen = [group[self.node & 15] for group in self.groups]
        self.inputs = [self.histories[i][history].logit() if history else 0 for i, history in enumerate(self.seen)]
        self.inputs += [self.repetition_input(), 256]
        self.chosen = [weights.setdefault(number, [FIRST_WEIGHT] * INPUTS) for weights, number in zip(self.weights, self.sets(), strict=True)]
        self.mixed = clamp(sum(map(self.product, self.inputs, *self.chosen)) >> 14, -MAX_LOGIT, MAX_LOGIT)
        last = self.contexts.text[-1] if self.contexts.text else 0
        self.tables = (self.by_node[self.node], self.by_last[mix(self.node | last << 16, self.contexts.column) >> 22])
        (first, self.nearest_by_node), (second, self.nearest_by_last) = (self.refined(table) for table in self.tables)
        return clamp((32 * squash(self.mixed) + first + second) >> 2, 16, 65536 - 16)

    @staticmethod
    def product(value, *weights):
        if not value:
            return 0
        total = 0
        for weight in weights:
            total = limited(total + weight)
        return value * total

    def update(self, bit):
        error = (bit << 12) - squash(self.mixed)
        for i, value in enumerate(self.inputs):
            step = (value * error + (1 << 13)) >> 14
            if step:
                for weights in self.chosen:
                    weights[i] = limited(weights[i] + step)
        for i, (group, history) in enumerate(zip(self.groups, self.seen, strict=True)):
            if history:
                self.histories[i][history].update(bit)
            zeros, ones = history >> 4, history & 15
            group[self.node & 15] = KEPT[zeros] << 4 | min(ones + 1, 15) if bit else min(zeros + 1, 15) << 4 | KEPT[ones]
        if self.expected is not None:
            self.repetitions[self.repetition].update(bit)
            if self.expected != bit:
                self.contexts.repeated = 0
        for table, nearest, shift in zip(self.tables, (self.nearest_by_node, self.nearest_by_last), (6, 4), strict=True):
            table[nearest] += (65535 * bit - table[nearest]) >> shift
        self.go_on(self.tree.next[self.node][bit], bit)

    def go_on(self, to, bit):
        group = self.node >> 4
        self.node, self.path = to, (*self.path, bit)
        if to < 0:
            self.contexts.add(-1 - to)
            self.hashes, self.node, self.path = self.contexts.hashes(), self.tree.root, ()
        if to < 0 or to >> 4 != group:
            self.find_histories()


def decode_text(code, size, separator, kind):
    model, first, last = Model(size, separator, kind), 0, MASK
    number, position = int.from_bytes(code[:4].ljust(4, b"\0"), "big"), 4
    while len(model.contexts.text) < size:
        last_of_ones = first + ((last - first) * model.probability() >> 16)
        bit = int(number <= last_of_ones)
        first, last = (first, last_of_ones) if bit else (last_of_ones + 1, last)
        while first >> 24 == last >> 24:
            first, last = first << 8 & MASK, (last << 8 | 255) & MASK
            number = (number << 8 | (code[position] if position < len(code) else 0)) & MASK
            position += 1
        model.update(bit)
    return bytes(model.contexts.text)


def end_of_quotes(text, begin):
    """Behind the quote that closes the one at `begin`; None if there is none that is near."""
    at = text.find(b'"', begin + 1)
    while at >= 0 and text[at + 1 : at + 2] == b'"':
        at = text.find(b'"', at + 2)
    return at + 1 if 0 <= at <= begin + MAX_QUOTED else None


def row_count(text, separator, line_end, columns):
    """Lines with a cell for each column."""
    rows, at = 0, 0
    while at < len(text):
        line, cells, cell = at, 1, at
        while at < len(text) and text[at] != LF:
            if text[at] == QUOTE and at == cell:
                at = end_of_quotes(text, at) or at + 1
            elif text[at : at + 1] == separator:
                cells, cell, at = cells + 1, at + 1, at + 1
            else:
                at += 1
        at += 1
        has_end = at <= len(text)
        rows += cells == columns and (text[line:at].endswith(line_end) if has_end else at - 1 > line)
    return rows


class TextTable:
    """The table of a compact frame with a text: a `description` with the attributes of a header, and its `content`."""

    def __init__(self, body):
        require(body.varint() == BODY, "no text")
        separator = body.number(1)
        size, kind = divmod(body.varint(), 2)
        code = body.take(body.remaining())
        require(0 < size <= min(MAX_TEXT, BYTES_PER_CODE_BYTE * len(code)), "an impossible text")
        reader = Reader(decode_text(code, size, separator, kind))
        flags = reader.number(1) - ZERO
        require(0 <= flags <= 3, "unknown flags of a compact frame")
        self.line_end = b"\r\n" if flags & 1 else b"\n"
        self.description = SimpleNamespace(is_table=True, source=CSV, has_checksums=True, separator=bytes([separator]))
        count = reader.varint() - ZERO
        require(1 <= count <= MAX_COLUMNS, "an impossible table")
        types = [self.column_type(reader) for _ in range(count)]
        names = [reader.take(reader.varint()) for _ in range(count)] if flags & 2 else None
        prefix = reader.varint()
        require(prefix < reader.remaining(), "no rows")
        require(prefix <= MAX_PREFIX, "the prefix is too long")
        require(bytes([separator]) not in (b"\0", b"\n", b"\r", b'"'), "the separator is impossible")
        self.content = reader.take(reader.remaining())
        self.description.prefix = self.content[:prefix]
        names = names or self.names(self.description.prefix, bytes([separator]), count)
        require(all(len(name) <= MAX_NAME for name in names), "a name is too long")
        for number, decimals in types:
            require_known(number in COLUMN_TYPES, f"type {number} of a column")
            require(decimals <= 40 and COLUMN_TYPES[number] not in ("f16", "bf16"), "a column makes no sense")
        self.row_count = row_count(self.content[prefix:], bytes([separator]), self.line_end, count)
        require(self.row_count <= MAX_SEGMENT_ROWS, "too many rows")
        self.description.columns = [(COLUMN_TYPES[number], decimals, name) for (number, decimals), name in zip(types, names, strict=True)]

    @staticmethod
    def column_type(reader):
        front = reader.number(1) ^ ZERO
        return (front & 15, front >> 4 if front >> 4 < 15 else reader.number(1))

    @staticmethod
    def names(prefix, separator, count):
        line = prefix.removesuffix(b"\n").removesuffix(b"\r").split(b"\n")[-1]
        names = [cell[1:-1] if len(cell) >= 2 and cell[:1] == cell[-1:] == b'"' else cell for cell in line.split(separator)]
        return names if len(names) == count else [b""] * count
