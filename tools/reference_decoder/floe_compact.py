"""Compact frames, from docs/format/compact.md: small tables in one piece."""

from types import SimpleNamespace

from floe_bytes import Reader, Truncated, require, require_crc, require_known
from floe_cells import DECIMAL, F32, F64, FREE_DECIMAL, TEXT, TIME, WORDS, CellFormat, check_streams, has_whole_numbers
from floe_container import COLUMN_TYPES, CSV, MAX_NAME, MAX_PREFIX, MAX_SEGMENT_ROWS, TYPES
from floe_registry import WIDTHS
from floe_trees import CompactStream

VERSION = 2
MAX_BODY = MAX_WORDS = 1 << 22
MAX_COLUMNS = 65536
ROLES = ("bytes", "lengths", "codes", "decimals", "marks", "numbers")
CELL_BYTES = {DECIMAL: (3, 6), F32: (6, 8), F64: (6, 8), TIME: (8, 13)}
TYPE_OF_KIND = {FREE_DECIMAL: "f64", F32: "f64", F64: "f64", TIME: "time", WORDS: "text", TEXT: "text"}
TYPE_NUMBERS = {name: number for number, name in TYPES.items()}


def is_compact(frame):
    return frame[0:4] == b"FLOE" and len(frame) > 4 and frame[4] == VERSION


def body_of(frame):
    if len(frame) < 9:
        raise Truncated("the frame is shorter than its begin")
    reader = Reader(frame, 5)
    size = reader.varint()
    require(1 <= size <= MAX_BODY, "the length of a compact frame is impossible")
    end = reader.position + size
    if len(frame) < end + 4:
        raise Truncated("a compact frame ends early")
    require(len(frame) == end + 4, "bytes follow the end of the frame")
    require_crc(frame, end, "a compact frame")
    return Reader(frame[reader.position : end])


def roles_of(cells):
    roles = {WORDS: ["lengths", "bytes", "codes"], TEXT: ["lengths", "bytes"], FREE_DECIMAL: ["numbers", "decimals"]}.get(cells.kind, ["numbers"])
    return roles + (["marks", "lengths", "bytes"] if cells.has_exceptions else [])


def has_width(role, kind):
    return role in ("lengths", "codes") or (role == "numbers" and kind not in (F32, F64))


def type_of(role, kind, width):
    if role == "numbers":
        return {F32: "f32", F64: "f64"}.get(kind, ("i8", "i16", "i32", "i64")[width])
    return ("u8", "u16", "u32", "u64")[width] if has_width(role, kind) else "u8"


class Entry:
    """A column: `streams` have type, count and role."""

    def __init__(self, reader, rows):
        front = reader.number(1)
        require(front < 128, "unknown flags of a column")
        kind, flags = front & 7, front >> 3 & 7
        require(kind != 0, "a cell format that does not go with the source of the rows")
        self.has_quotes = kind in (WORDS, TEXT) and bool(flags & 1)
        fields = bytearray(13)
        fields[0], fields[1] = kind, flags & ~1 if kind in (WORDS, TEXT) else flags
        fields[2] = reader.number(1) if flags & 2 else 0
        first, end = CELL_BYTES.get(kind, (0, 0))
        fields[first:end] = reader.take(end - first)
        self.format = CellFormat(bytes(fields))
        roles = roles_of(self.format)
        widths = reader.number(1) if any(has_width(role, kind) for role in roles) else 0
        self.streams = []
        for role in roles:
            self.streams.append(SimpleNamespace(role=role, type=type_of(role, kind, widths & 3), count=rows))
            widths >>= 2 if has_width(role, kind) else 0
        require(widths == 0, "unknown widths of words")
        for position, stream in enumerate(self.streams):
            if stream.role == "bytes" or (stream.role == "lengths" and (kind != TEXT or position > 0)):
                stream.count = reader.varint()
                require(stream.count <= MAX_WORDS, "more words than a compact frame may have")
        self.base = (reader.varint(), reader.signed_varint(32), reader.varint()) if front & 64 else None

    def inferred_type(self):
        decimals = self.format.decimals
        return (TYPE_OF_KIND.get(self.format.kind, "f64" if decimals else "i64"), decimals)


class Description:
    """What the frame says of its table; with the attributes of a header and of a segment header."""

    is_table, source, has_checksums, padding_bytes = True, CSV, True, 0

    def __init__(self, reader):
        flags = reader.number(1)
        require(flags <= 31, "unknown flags of a compact frame")
        self.line_end = b"\r\n" if flags & 1 else b"\n"
        self.lacks_line_end = bool(flags & 4)
        self.separator = reader.take(1)
        require(self.separator not in (b"\0", b"\n", b"\r", b'"'), "the separator is impossible")
        self.count, columns = reader.varint(), reader.varint()
        require(self.count <= MAX_SEGMENT_ROWS and 1 <= columns <= MAX_COLUMNS, "an impossible table")
        require(self.count > 0 or (flags & 8 and not self.lacks_line_end), "a table of nothing")
        self.malformed, self.padding = [], []
        if flags & 8:
            lines, size = reader.varint(), reader.varint()
            require(0 < lines <= MAX_WORDS and size <= MAX_WORDS, "impossible malformed rows")
            self.malformed = [SimpleNamespace(role=role, type=name, count=count) for role, name, count in (("codes", "u32", lines), ("lengths", "u32", lines), ("bytes", "u8", size))]
        self.columns_of_segment = [Entry(reader, self.count) for _ in range(columns)]
        types = [self.listed_type(reader) if flags & 16 else entry.inferred_type() for entry in self.columns_of_segment]
        self.prefix = reader.take(reader.varint())
        require(len(self.prefix) <= MAX_PREFIX, "the prefix is too long")
        self.columns = [(*column, name) for column, name in zip(types, self.names(reader, columns), strict=True)]
        self.check_bases()

    @staticmethod
    def listed_type(reader):
        number, decimals = reader.number(1), reader.number(1)
        require_known(number in COLUMN_TYPES, f"type {number} of a column")
        require(decimals <= 40 and COLUMN_TYPES[number] not in ("f16", "bf16"), "a column makes no sense")
        return (COLUMN_TYPES[number], decimals)

    def names(self, reader, columns):
        line = self.prefix.removesuffix(b"\n").removesuffix(b"\r").split(b"\n")[-1]
        names = [cell[1:-1] if len(cell) >= 2 and cell[:1] == cell[-1:] == b'"' else cell for cell in line.split(self.separator)]
        if len(names) != columns:
            names = [b""] * columns
        least = 0
        for _ in range(reader.varint()):
            column = reader.varint()
            require(least <= column < columns, "names of columns that are not there, or not in ascending order")
            names[column] = reader.take(reader.varint())
            least = column + 1
        require(all(len(name) <= MAX_NAME for name in names), "a name is too long")
        return names

    def check_bases(self):
        entries = self.columns_of_segment
        self.bases = [entry.base for entry in entries]
        for entry in entries:
            if entry.base is not None:
                base, multiplier, divisor = entry.base
                require(base < len(entries) and multiplier != 0 and 1 <= divisor < 1 << 31, "a base column that makes no sense")
                require(entries[base].base is None, "a base column has one itself")
                require(has_whole_numbers(entry) and has_whole_numbers(entries[base]), "a base column of other numbers")
                entry.base = (base, multiplier - (1 << 32) if multiplier >> 31 else multiplier, divisor)
        self.bases = [entry.base for entry in entries]

    def streams(self):
        return self.malformed + [stream for entry in self.columns_of_segment for stream in entry.streams]


class CompactTable:
    """The table of a compact frame: `description`, `stored` streams of types, and the `words` of each stream of the table."""

    def __init__(self, frame):
        reader = body_of(frame)
        mask = reader.varint()
        require(mask < 1 << 14 and not mask & 1, "words of unknown types")
        types = [name for number, name in TYPES.items() if mask >> number & 1]
        sizes = [(name, reader.varint(), reader.varint()) for name in types]
        require(all(count > 0 for _, count, _ in sizes), "a type without words")
        require(sum(count * WIDTHS[name] for name, count, _ in sizes) <= MAX_WORDS, "more words than a compact frame may have")
        self.stored = {name: CompactStream(reader.take(stored), name, count) for name, count, stored in sizes}
        require(reader.remaining() == 0, "bytes behind the streams of a compact frame")
        require("u8" in self.stored, "a compact frame without a description")
        words = {name: stream.words for name, stream in self.stored.items()}
        of_bytes = Reader(bytes(words["u8"]))
        self.description = Description(of_bytes)
        words["u8"] = words["u8"][of_bytes.position :]
        self.take_words(words)
        self.put_quotes_back()
        for (type_name, _, _), entry in zip(self.description.columns, self.description.columns_of_segment, strict=True):
            check_streams(entry.format, entry.streams, type_name, self.description.count)

    def take_words(self, words):
        self.streams = self.description.streams()
        order = sorted(self.streams, key=lambda stream: (TYPE_NUMBERS[stream.type], ROLES.index(stream.role)))
        for stream in order:
            found = words.get(stream.type, [])
            require(stream.count <= len(found), "fewer words than the streams have")
            stream.words, words[stream.type] = found[: stream.count], found[stream.count :]
        require(not any(words.values()), "more words than the streams have")

    def put_quotes_back(self):
        for entry in self.description.columns_of_segment:
            if entry.has_quotes:
                lengths, content = entry.streams[:2]
                require(sum(lengths.words) == len(content.words), "lengths do not add up to the bytes")
                rest, quoted = content.words, []
                for length in lengths.words:
                    quoted += [34, *rest[:length], 34]
                    rest = rest[length:]
                lengths.words = [length + 2 for length in lengths.words]
                require(all(length < 1 << 8 * WIDTHS[lengths.type] for length in lengths.words), "a length that does not fit its type")
                content.words, content.count = quoted, len(quoted)
