"""Frames that are put together from their parts, and changed: for make_variants.py. Positions are those of docs/format/container.md."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "reference_decoder"))

from floe_bytes import align16, block_checksum, block_entry, crc32c, digest, digest_of_bytes  # noqa: E402
from floe_container import COLUMN_TYPES, Footer, Header, SegmentHeader  # noqa: E402
from floe_registry import WIDTHS  # noqa: E402
from floe_trees import Stream  # noqa: E402

TYPE_NUMBERS = {name: number for number, name in COLUMN_TYPES.items()}


def little(value, size):
    return value.to_bytes(size, "little")


def padded(data, alignment=16):
    return data + bytes(-len(data) % alignment)


def varint(value):
    data = bytearray()
    while value >= 128:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes(data) + bytes([value])


def words(type_name, values):
    return b"".join(little(value % (1 << 8 * WIDTHS[type_name]), WIDTHS[type_name]) for value in values)


# ---- parts of frames ------------------------------------------------------------------------------------------------------------


def field(tag, data):
    return little(tag, 2) + bytes(2) + little(len(data), 4) + padded(data, 8)


def sealed(part, length_at):
    """A header or a segment header, with its length and its CRC."""
    part = bytearray(padded(part + bytes(4)))
    part[length_at : length_at + 4] = little(len(part), 4)
    return part[:-4] + little(crc32c(part[:-4]), 4)


def make_header(content, type_name, inner, fields, max_length, has_checksums=True):
    rank = 0 if inner is None else len(inner) + 1
    fixed = b"FLOE" + bytes([1, content, TYPE_NUMBERS.get(type_name, 0), rank]) + little(int(has_checksums), 4) + bytes(4) + little(max_length, 4) + bytes(4)
    sizes = b"".join(little(size, 8) for size in inner or ())
    header = fixed + sizes + b"".join(field(tag, fields[tag]) for tag in sorted(fields))
    return sealed(header.ljust(28, b"\0"), 20)


def make_table_field(source, flags, separator, padding_bytes, columns):
    """`columns`: pairs of a name and a type."""
    entries = b"".join(bytes([TYPE_NUMBERS[type_name], 2, 0, 0]) + little(len(name), 4) + name.encode() for name, type_name in columns)
    return bytes([source, flags]) + separator.encode() + b"\0" + little(padding_bytes, 4) + little(len(columns), 4) + entries


NATIVE = bytes(13)
NO_RANGE = bytes(19)


def value_range(kind, smallest, greatest, reserved=0):
    return bytes([kind, reserved, 0]) + little(smallest, 8) + little(greatest, 8)



def cell_format(kind, flags=0, listed=0, decimals=(0, 0, 0), style=(0, 0), time=(0, "\0", "\0", 0, 0)):
    """`decimals`: most, least, scale. `style`: style, digits. `time`: layout, separators of the date and before the time, fraction, zone."""
    layout, date_separator, time_separator, fraction, zone = time
    return bytes([kind, flags, listed, *decimals, *style, layout]) + (date_separator + time_separator).encode() + bytes([fraction, zone])


class StreamDraft:
    """Stored bytes of `count` words. A leaf stream says how many bytes of content it has."""

    def __init__(self, type_name, count, stored):
        self.type, self.count, self.stored = type_name, count, bytearray(stored)

    def is_leaf_stream(self):
        """With a table."""
        return len(self.stored) >= 32 and Stream.is_leaf_stream(bytes(self.stored), self.type)

    def leaf_table(self):
        """Of a leaf stream with checksums: the positions of checksums, stored bytes, modes and payloads, and the number of chunks."""
        count = -(-self.count * WIDTHS[self.type] * (2 if self.stored[5] == 1 else 1) // 16384)
        groups = 8 * (-(-count // 256) - 1)
        begin = 16 + groups
        return begin, begin + 4 * count, begin + 6 * count, 16 + align16(groups + 7 * count), count

    def seal_chunks(self):
        """Makes the checksums of a leaf stream right."""
        checksums, sizes, _, at, count = self.leaf_table()
        for chunk in range(count):
            stored = int.from_bytes(self.stored[sizes + 2 * chunk : sizes + 2 * chunk + 2], "little")
            block = self.stored[at : at + align16(stored)]
            self.stored[checksums + 4 * chunk : checksums + 4 * chunk + 4] = little(block_checksum(block), 4)
            at += align16(stored)

    def digest(self, has_checksums):
        if not self.is_leaf_stream() or not has_checksums:
            return digest_of_bytes(self.stored, has_checksums)
        checksums, sizes, modes, _, count = self.leaf_table()
        entries = [block_entry(self.stored[:16], True)]
        for chunk in range(count):
            parts = (self.stored[checksums + 4 * chunk :][:4], self.stored[sizes + 2 * chunk :][:2], self.stored[modes + chunk :][:1])
            entries.append(int.from_bytes(b"".join(parts), "little"))
        return digest(entries)


def raw_stream(type_name, values):
    return StreamDraft(type_name, len(values), b"\x01\x00\x00" + words(type_name, values) if values else b"")


def make_segment(index, first, count, columns, flags=0, extra=(), fields=b""):
    """`columns`: cell format, range, streams. `extra`: streams before those of the columns. The header's CRC, digests and CRC are left to seal()."""
    streams = [*extra, *(stream for _, _, of_column in columns for stream in of_column)]
    header = b"FSEG" + bytes(4) + little(index, 8) + little(first, 8) + little(count, 4) + little(flags, 4) + bytes(4)
    header += little(len(streams), 4) + little(len(columns), 4) + little(len(fields), 4) + fields

    def entry(stream):
        return bytes([TYPE_NUMBERS[stream.type], 0, 0, 0]) + little(stream.count, 4) + little(len(stream.stored), 8) + bytes(8)

    header += b"".join(map(entry, extra))
    for cells, value_range, of_column in columns:
        header += cells + value_range + b"".join(map(entry, of_column))
    return SegmentDraft(sealed(header, 4), streams)


# ---- whole frames ---------------------------------------------------------------------------------------------------------------


class SegmentDraft:
    def __init__(self, header, streams):
        self.header, self.streams = bytearray(header), list(streams)

    def column_at(self, column):
        """Where the entry of a column begins, if nothing of the header was made longer."""
        return self.entries()[1][column]

    def entry_at(self, stream):
        return self.entries()[0][stream]

    def entries(self):
        at = 48 + int.from_bytes(self.header[44:48], "little")
        flags = int.from_bytes(self.header[28:32], "little")
        streams, columns = [], []
        for _ in range((3 if flags & 2 else 0) + (1 if flags & 4 else 0)):
            streams.append(at)
            at += 24
        for _ in range(int.from_bytes(self.header[40:44], "little")):
            columns.append(at)
            kind, cell_flags = self.header[at], self.header[at + 1]
            at += 32
            for _ in range({6: 3, 2: 2, 7: 2}.get(kind, 1) + (3 if cell_flags & 2 else 0)):
                streams.append(at)
                at += 24
        return streams, columns

    def __bytes__(self):
        return bytes(self.header) + b"".join(padded(bytes(stream.stored)) for stream in self.streams)


class Draft:
    """A frame in parts."""

    def __init__(self, header, segments, footer=None, firsts=(), outer=0):
        self.header, self.segments = bytearray(header), segments
        self.footer = bytearray(footer or self.make_footer(firsts, outer))
        self.suffix = b""

    def make_footer(self, firsts, outer):
        footer = b"FEND" + bytes(12) + little(outer, 8) + bytes(8)
        footer += b"".join(bytes(8) + little(first, 8) for first in firsts)
        return footer + little(len(footer) + 16, 8) + bytes(4) + b"EOLF"

    @classmethod
    def of(cls, name):
        """A golden file."""
        data = (HERE / f"{name}.floe").read_bytes()
        header = Header(data)
        footer = Footer(data, header)
        segments = []
        for index, (begin, end, first, count) in enumerate(footer.segments):
            entries = SegmentHeader(data[begin:end], index, first, count, header)
            streams = [StreamDraft(entry.type, entry.count, data[begin + at : begin + at + entry.stored_bytes]) for entry, at in zip(entries.streams, entries.offsets, strict=True)]
            segments.append(SegmentDraft(data[begin : begin + entries.bytes], streams))
        return cls(data[: header.bytes], segments, data[footer.offset :])

    # ---- changes

    def put(self, part, at, size, value):
        """Changes a number of "header", "footer", or the header of "segment" 0. A negative position counts from the end."""
        data = self.segments[0].header if part == "segment" else getattr(self, part)
        at += len(data) if at < 0 else 0
        data[at : at + size] = little(value, size)
        return self

    def insert(self, part, at, data):
        """Makes a part longer."""
        target = self.segments[0].header if part == "segment" else getattr(self, part)
        target[at:at] = data
        return self

    def replace_stream(self, stored, index=0):
        """Gives a stream of segment 0 other bytes, and says so everywhere."""
        segment = self.segments[0]
        segment.streams[index].stored = bytearray(stored)
        at = segment.entry_at(index)
        segment.header[at + 8 : at + 16] = little(len(stored), 8)
        return self

    # ---- checksums

    def place(self):
        """Writes the offsets of the segments to the footer."""
        at = len(self.header)
        for i, segment in enumerate(self.segments):
            self.footer[32 + 16 * i : 40 + 16 * i] = little(at, 8)
            at += len(bytes(segment))
        return self

    def seal_digests(self):
        has_checksums = bool(self.header[8] & 1)
        digests = []
        for segment in self.segments:
            for i, stream in enumerate(segment.streams):
                digests.append(stream.digest(has_checksums))
                at = segment.entry_at(i)
                segment.header[at + 16 : at + 24] = little(digests[-1], 8)
        self.footer[24:32] = little(digest(digests), 8)
        return self

    def seal(self):
        """All CRCs, and the CRC of the header in the other parts."""
        self.header[-4:] = little(crc32c(self.header[:-4]), 4)
        for segment in self.segments:
            segment.header[32:36] = self.header[-4:]
            segment.header[-4:] = little(crc32c(segment.header[:-4]), 4)
        self.footer[8:12] = self.header[-4:]
        return self.seal_footer()

    def seal_footer(self):
        self.footer[-8:-4] = little(crc32c(self.footer[:-8]), 4)
        return self

    def seal_all(self):
        return self.place().seal_digests().seal()

    # ---- the frame

    def offset(self, part, at=0, index=0):
        """Where a position of a part lies in the frame: "header", "segment", "stream" (of segment 0), "footer", "end"."""
        begin = len(self.header)
        if part == "header":
            return at
        if part in ("segment", "stream"):
            begin += sum(len(bytes(segment)) for segment in self.segments[: index if part == "segment" else 0])
        if part == "stream":
            begin += len(self.segments[0].header) + sum(align16(len(stream.stored)) for stream in self.segments[0].streams[:index])
        if part == "footer":
            begin = len(bytes(self)) - len(self.suffix) - len(self.footer)
        if part == "end":
            begin = len(bytes(self))
        return begin + at

    def __bytes__(self):
        return bytes(self.header) + b"".join(map(bytes, self.segments)) + bytes(self.footer) + self.suffix


def array(type_name, count, stored, has_checksums=True):
    """An array of one segment with these stored bytes."""
    segment = make_segment(0, 0, count, [(NATIVE, NO_RANGE, [StreamDraft(type_name, count, stored)])])
    header = make_header(0, type_name, (), {}, max(1 << 14, 1 << count.bit_length()), has_checksums)
    return Draft(header, [segment], firsts=[0], outer=count).seal_all()


def base_columns(*bases):
    """The field of these columns, base columns, multipliers and divisors."""
    return field(0x8001, b"".join(little(number % (1 << 32), 4) for base in bases for number in base))


def table(source, types, rows, columns, flags=0, extra=(), prefix=b"", padding_bytes=0, segment_fields=b""):
    """A table of one segment, with columns a, b, c ..."""
    named = [(chr(ord("a") + i), type_name) for i, type_name in enumerate(types)]
    fields = {0x8001: make_table_field(source, 2 if source == 0 else 0, "," if source == 0 else "\0", padding_bytes, named)}
    if prefix:
        fields[1] = prefix
    segment = make_segment(0, 0, rows, columns, flags, extra, segment_fields)
    return Draft(make_header(1, None, (), fields, 1 << 14), [segment], firsts=[0], outer=rows).seal_all()
