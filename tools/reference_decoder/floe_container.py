"""The parts of a frame, from docs/format/container.md: header, segment headers, footer. Every MUST of that page is a check here."""

import itertools
import math
import struct

from floe_bytes import Reader, Truncated, align16, number, require, require_crc, require_known, require_zeros, signed
from floe_cells import NATIVE, CellFormat, check_streams, has_whole_numbers, range_kind
from floe_registry import WIDTHS

TYPES = {1: "f64", 2: "f32", 3: "f16", 4: "bf16", 5: "i8", 6: "i16", 7: "i32", 8: "i64", 9: "u8", 10: "u16", 11: "u32", 12: "u64", 13: "bool"}
COLUMN_TYPES = TYPES | {14: "time", 15: "text"}
ARRAY, TABLE = range(2)
CSV, RECORDS, COLUMNS = range(3)

FIXED_HEADER, MIN_HEADER, MAX_HEADER = 24, 32, 1 << 26
MIN_SEGMENT_HEADER = 64
MIN_FOOTER = 48
MAX_FIELDS = 1 << 20
MAX_PREFIX = MAX_PADDING = 1 << 20
MAX_SEGMENT_BYTES, MAX_SEGMENT_ROWS = 1 << 30, 1 << 20
MAX_COLUMNS = MAX_NAME = 65536
MAX_SUM = (1 << 63) - 1
PREFIX_TAG, TABLE_TAG, BASE_COLUMNS_TAG, FIRST_REQUIRED_TAG = 0x0001, 0x8001, 0x8001, 0x8000


# ---- fields ---------------------------------------------------------------------------------------------------------------------


def read_fields(data, position, end, known_tags=()):
    """The fields of data[position:end] as a dict from tag to bytes, and where they end: at `end`, or where zero bytes begin."""
    fields = {}
    last_tag = 0
    while end - position >= 8 and (number(data, position, 2) != 0 or number(data, position + 4, 4) != 0):
        tag, reserved, length = number(data, position, 2), number(data, position + 2, 2), number(data, position + 4, 4)
        require(reserved == 0, "a reserved number of a field is not zero")
        require(tag > last_tag, "fields are not in ascending order")
        last_tag = tag
        require(length >= 1, "a field is empty")
        padded = (length + 7) // 8 * 8
        require(position + 8 + padded <= end, "a field is longer than the area that it is in")
        require_zeros(data[position + 8 + length : position + 8 + padded], "the padding of a field is not zero")
        require_known(tag < FIRST_REQUIRED_TAG or tag in known_tags, f"field {tag:04X}")
        fields[tag] = data[position + 8 : position + 8 + length]
        position += 8 + padded
    require_zeros(data[position:end], "the padding behind the fields is not zero")
    return fields, position


def read_area(data, position, size, known_tags=()):
    """The fields of a segment header or footer, and where they end."""
    require(size % 8 == 0 and size <= MAX_FIELDS, "the length of an area of fields is impossible")
    require(position + size <= len(data), "an area of fields lies beyond the end of its part")
    fields, end = read_fields(data, position, position + size, known_tags)
    require(end == position + size, "fields do not fill their area")
    return fields, end


# ---- header ---------------------------------------------------------------------------------------------------------------------


class Header:
    def __init__(self, frame):
        if len(frame) < 4:
            raise Truncated("the frame is shorter than its magic")
        require(frame[0:4] == b"FLOE", "no frame: it does not begin with FLOE")
        if len(frame) < FIXED_HEADER:
            raise Truncated("the frame is shorter than a header")
        require_known(frame[4] == 1, f"format version {frame[4]}")
        self.bytes = number(frame, 20, 4)
        require(self.bytes % 16 == 0 and MIN_HEADER <= self.bytes <= MAX_HEADER, "the header's length is impossible")
        if len(frame) < self.bytes + MIN_FOOTER:
            raise Truncated("the frame is shorter than its header and a footer")
        data, end = frame[: self.bytes], self.bytes - 4
        require_crc(data, end, "the header")
        self.crc = number(data, end, 4)

        required = number(data, 8, 4)
        require_known(required & ~1 == 0, f"required feature, bit {(required & ~1).bit_length() - 1}")
        self.has_checksums = bool(required & 1)
        require_known(data[5] <= TABLE, f"content {data[5]}")
        self.is_table = data[5] == TABLE
        require(not self.is_table or data[6] == 0, "a table has no element type")
        require_known(self.is_table or data[6] in TYPES, f"element type {data[6]}")
        self.dtype = TYPES.get(data[6])
        self.rank = data[7]
        require(self.rank == 1 if self.is_table else self.rank <= 8, "the rank is impossible")
        self.max_length = number(data, 16, 4)
        most = MAX_SEGMENT_ROWS if self.is_table else MAX_SEGMENT_BYTES // WIDTHS[self.dtype]
        require(1 <= self.max_length <= most, "the length of segments is impossible")
        inner = max(self.rank - 1, 0)
        require(FIXED_HEADER + 8 * inner <= end, "the header is too short for its rank")
        self.inner_sizes = [number(data, FIXED_HEADER + 8 * i, 8) for i in range(inner)]
        self.read_fields(data, FIXED_HEADER + 8 * inner, end)

    def read_fields(self, data, begin, end):
        fields, fields_end = read_fields(data, begin, end, (PREFIX_TAG, TABLE_TAG) if self.is_table else (PREFIX_TAG,))
        self.prefix = fields.get(PREFIX_TAG, b"")
        require(len(self.prefix) <= MAX_PREFIX, "the prefix is too long")
        require(self.bytes == max(align16(fields_end + 4), MIN_HEADER), "the header is longer than its fields")
        self.source, self.columns = None, None
        if self.is_table:
            require(TABLE_TAG in fields, "the header says nothing of the columns")
            self.read_table(Reader(fields[TABLE_TAG]))
            require(self.source == CSV or not self.prefix, "text before binary rows")

    def read_table(self, reader):
        self.source, flags, separator = reader.number(1), reader.number(1), reader.take(1)
        reader.zeros(1)
        self.padding_bytes, count = reader.number(4), reader.number(4)
        require_known(self.source <= COLUMNS, f"source {self.source} of rows")
        is_csv = self.source == CSV
        require(flags <= (3 if is_csv else 0), "unknown flags of a table")
        self.line_end = b"\r\n" if flags & 1 else b"\n"
        self.separator = separator
        require(separator not in (b"\0", b"\n", b"\r", b'"') if is_csv else separator == b"\0", "the separator is impossible")
        require(self.padding_bytes <= MAX_PADDING and (self.source == RECORDS or self.padding_bytes == 0), "the padding is impossible")
        require(1 <= count <= MAX_COLUMNS, "the number of columns is impossible")
        self.columns = []  # type, decimals, name
        for _ in range(count):
            type_number, decimals = reader.number(1), reader.number(1)
            reader.zeros(2)
            name_bytes = reader.number(4)
            require_known(type_number in COLUMN_TYPES, f"type {type_number} of a column")
            type_name = COLUMN_TYPES[type_number]
            require(decimals <= 40 and name_bytes <= MAX_NAME, "a column makes no sense")
            require(type_name not in (("f16", "bf16") if is_csv else ("text",)), "a column of a type that its source does not have")
            self.columns.append((type_name, decimals, reader.take(name_bytes)))
        require(reader.remaining() == 0, "the description of a table is longer than its columns")

    def column_types(self):
        return [type_name for type_name, _, _ in self.columns] if self.is_table else [self.dtype]


# ---- footer ---------------------------------------------------------------------------------------------------------------------


class Footer:
    def __init__(self, frame, header):
        if frame[-4:] != b"EOLF":
            raise Truncated("the frame does not end with a footer")
        self.bytes = number(frame, len(frame) - 16, 8)
        require(self.bytes % 8 == 0 and MIN_FOOTER <= self.bytes <= len(frame) - header.bytes, "the footer's length is impossible")
        self.offset = len(frame) - self.bytes
        data = frame[self.offset :]
        require_crc(data, self.bytes - 8, "the footer")
        require(data[0:4] == b"FEND", "the footer does not begin with FEND")
        fields_bytes = number(data, 4, 4)
        require(number(data, 8, 4) == header.crc, "the footer belongs to another frame")
        require_zeros(data[12:16], "a reserved number of the footer is not zero")
        self.outer_size, self.digest = number(data, 16, 8), number(data, 24, 8)
        count, rest = divmod(self.bytes - MIN_FOOTER - fields_bytes, 16)
        require(count >= 0 and rest == 0, "the fields do not fit the footer")
        self.index = [(number(data, 32 + 16 * i, 8), number(data, 40 + 16 * i, 8)) for i in range(count)]
        read_area(data, 32 + 16 * count, fields_bytes)

        require(header.rank > 0 or self.outer_size == 1, "a scalar has more than one element")
        self.shape = [] if header.rank == 0 else [self.outer_size] + header.inner_sizes
        self.element_count = math.prod(self.shape)
        require(header.is_table or self.element_count * WIDTHS[header.dtype] <= MAX_SUM, "the array is too large")
        self.check_index(header)

    def check_index(self, header):
        self.segments = []  # begin, end, first element, elements
        ends = self.index[1:] + [(self.offset, self.element_count)]
        for (begin, first), (end, next_first) in zip(self.index, ends):
            require(begin % 16 == 0 and end - begin >= MIN_SEGMENT_HEADER, "the offsets of segments are impossible")
            least = 0 if header.is_table else 1
            require(least <= next_first - first <= header.max_length, "the lengths of segments are impossible")
            self.segments.append((begin, end, first, next_first - first))
        first_offset, first_element = (self.index or [(self.offset, self.element_count)])[0]
        require(first_element == 0, "the segments do not hold all elements")
        require(first_offset == header.bytes, "the first segment does not follow the header")


# ---- segments -------------------------------------------------------------------------------------------------------------------


class StreamEntry:
    def __init__(self, reader):
        type_number = reader.number(1)
        reader.zeros(3)
        self.count, self.stored_bytes, self.digest = reader.number(4), reader.number(8), reader.number(8)
        require_known(type_number in TYPES, f"type {type_number} of words")
        self.type = TYPES[type_number]
        require((self.count == 0) == (self.stored_bytes == 0), "a stream has words without bytes, or bytes without words")


class ColumnEntry:
    def __init__(self, reader, header, type_name, rows):
        self.format = CellFormat(reader.take(13))
        self.read_range(reader)
        self.streams = [StreamEntry(reader) for _ in range(self.format.stream_count())]
        require((self.format.kind == NATIVE) == (header.source != CSV), "a cell format that does not go with the source of the rows")
        check_streams(self.format, self.streams, type_name, rows)
        require(self.range_kind in (0, range_kind(self.format, self.streams)), "a range of another kind than the column")

    def read_range(self, reader):
        self.range_kind = reader.number(1)
        reader.zeros(2)
        bounds = reader.take(16)
        require(self.range_kind <= 3, "an unknown kind of range")
        if self.range_kind == 0:
            require_zeros(bounds, "no range, but numbers of one")
        else:
            least, greatest = struct.unpack("<2" + " qQd"[self.range_kind], bounds)
            require(least <= greatest, "a range that is none")


class SegmentHeader:
    """`data` is all of the segment's bytes."""

    def __init__(self, data, index, first, count, header):
        require(data[0:4] == b"FSEG", "a segment does not begin with FSEG")
        self.bytes = number(data, 4, 4)
        require(self.bytes % 16 == 0 and MIN_SEGMENT_HEADER <= self.bytes <= MAX_HEADER, "the length of a segment's header is impossible")
        require(self.bytes <= len(data), "a segment's header is longer than the segment")
        require_crc(data[: self.bytes], self.bytes - 4, "a segment's header")
        reader = Reader(data[: self.bytes - 4], 8)
        found_index, found_first, self.count, flags, crc, entries, columns, fields_bytes = (reader.number(size) for size in (8, 8, 4, 4, 4, 4, 4, 4))
        require(crc == header.crc, "a segment belongs to another frame")
        require(self.count <= header.max_length, "the length of a segment is impossible")
        self.check_flags(flags, header)
        require(columns == len(header.column_types()), "a segment has another number of columns than its frame")
        fields, reader.position = read_area(reader.data, reader.position, fields_bytes, (BASE_COLUMNS_TAG,) if header.is_table else ())
        self.malformed = [StreamEntry(reader) for _ in range(3 if flags & 2 else 0)]
        self.padding = [StreamEntry(reader) for _ in range(1 if flags & 4 else 0)]
        self.check_extra_streams(header)
        self.columns = [ColumnEntry(reader, header, type_name, self.count) for type_name in header.column_types()]
        self.read_base_columns(Reader(fields.get(BASE_COLUMNS_TAG, b"")))
        require(self.bytes == align16(reader.position + 4), "a segment's header is longer than its entries")
        reader.zeros(reader.remaining())
        self.streams = self.malformed + self.padding + [stream for column in self.columns for stream in column.streams]
        require(entries == len(self.streams), "the number of streams does not match the columns")
        sizes = [align16(stream.stored_bytes) for stream in self.streams]
        require(sum(sizes) <= MAX_SUM, "the streams of a segment have an impossible length")
        require((found_index, found_first, self.count) == (index, first, count), "a segment holds something else than the footer says")
        require(self.bytes + sum(sizes) == len(data), "a segment does not end where the next part begins")
        self.offsets = list(itertools.accumulate([self.bytes] + sizes))[:-1]

    def read_base_columns(self, reader):
        """For each column its base column, multiplier and divisor, or None."""
        self.bases = [None] * len(self.columns)
        require(reader.remaining() % 16 == 0, "base columns of another length")
        least = 0
        while reader.remaining() > 0:
            column, base = reader.number(4), reader.number(4)
            multiplier, divisor = signed(reader.number(4), 32), signed(reader.number(4), 32)
            require(least <= column, "base columns are not in ascending order")
            require(max(column, base) < len(self.columns), "a base column that is not there")
            require(all(has_whole_numbers(self.columns[i]) for i in (column, base)), "a base column of other numbers")
            require(multiplier != 0 and divisor >= 1, "a base column that is divided by nothing")
            self.bases[column] = (base, multiplier, divisor)
            least = column + 1
        require(all(base is None or self.bases[base[0]] is None for base in self.bases), "a base column has one itself")

    def check_flags(self, flags, header):
        is_csv = header.source == CSV
        require(flags <= (7 if header.is_table else 0), "unknown flags of a segment")
        self.lacks_line_end = bool(flags & 1)
        require(not self.lacks_line_end or (is_csv and self.count > 0), "a line end that lacks without a line")
        require(not flags & 2 or header.source != COLUMNS, "malformed rows among columns")
        require(not flags & 4 or header.padding_bytes > 0, "padding that the header does not know")
        require(self.count > 0 or flags & 2, "a segment of nothing")

    def check_extra_streams(self, header):
        if self.malformed:
            positions, lengths, content = self.malformed
            require((positions.type, lengths.type, content.type) == ("u32", "u32", "u8"), "malformed rows of other types")
            require(positions.count == lengths.count > 0, "malformed rows make no sense")
        if self.padding:
            require(self.padding[0].type == "u8" and self.padding[0].count == self.count * header.padding_bytes, "the padding makes no sense")
