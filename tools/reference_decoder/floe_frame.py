"""The parts of a frame, from docs/format/frame.md: header, segments, footer, checksums. Every MUST of that page is a check here."""

import struct
from operator import mul

from floe_stages import CHUNK_BYTES, CODECS, Corrupt, require, undo_match_history

DTYPES = {1: "f64", 2: "f32", 3: "f16", 4: "bf16", 5: "i8", 6: "i16", 7: "i32", 8: "i64", 9: "u8", 10: "u16", 11: "u32", 12: "u64"}
DTYPE_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8}

SMALLEST_HEADER, LARGEST_HEADER = 32, 2097152
LARGEST_PREFIX = 1048576
LARGEST_FIELDS = 1048576
PREFIX_TAG, PARAMETERS_TAG, FIRST_REQUIRED_TAG = 0x0001, 0x8001, 0x8000
SMALLEST_FOOTER = 56
CHUNKS_PER_GROUP = 256
RAW, CODED = 0, 1


class Truncated(Exception):
    """The bytes end too early."""


class UnsupportedVersion(Exception):
    """A format version, or something that a later version may know, but this decoder does not."""


class UnsupportedCodec(Exception):
    """A codec that this decoder does not know."""


def align16(value):
    return (value + 15) // 16 * 16


def number(data, offset, size):
    require(offset + size <= len(data), "a field lies beyond the end of its part")
    return int.from_bytes(data[offset : offset + size], "little")


def require_zeros(data, why):
    require(not any(data), why)


# ---- checksums ------------------------------------------------------------------------------------------------------------------


def make_crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)  # 1EDC6F41 reflected
        table.append(value)
    return table


CRC_TABLE = make_crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


U32 = (1 << 32) - 1
U64 = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & U64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & U64
    return z ^ z >> 31


def make_weights():
    """Of the lower and the upper halves of the words of each row, and where the sums of the columns start."""
    numbers = [mix(63510478 + GAMMA * (i + 1) & U64) for i in range(128 + 32)]
    lower = [r & 0x3FFE | 0x4001 for r in numbers[:128]]
    upper = [r >> 16 & 0x3FFE | 0x4001 for r in numbers[:128]]
    return lower, upper, [r >> 32 for r in numbers[128:]]


LOWER_WEIGHTS, UPPER_WEIGHTS, STARTS = make_weights()


def blend(s):
    s = (s ^ s >> 16) * 0x85EBCA6B & U32
    return (s ^ s >> 13) * 0xC2B2AE35 & U32


def chunk_checksum(padded_payload):
    halves = struct.unpack(f"<{len(padded_payload) // 2}h", padded_payload)
    checksum = 0
    for column, start in enumerate(STARTS):
        lower, upper = halves[2 * column :: 64], halves[2 * column + 1 :: 64]
        checksum ^= blend(start + sum(map(mul, LOWER_WEIGHTS, lower)) + sum(map(mul, UPPER_WEIGHTS, upper)) & U32)
    return checksum


def digest(entries):
    """Of a frame with these (checksum, stored bytes, mode)."""
    terms = (checksum | stored << 32 | mode << 48 for checksum, stored, mode in entries)
    return sum(mix(term + GAMMA * (j + 1) & U64) for j, term in enumerate(terms)) & U64


def require_crc(part, crc_offset, what):
    require(number(part, crc_offset, 4) == crc32c(part[:crc_offset]), f"the checksum of {what} does not match")


# ---- fields ---------------------------------------------------------------------------------------------------------------------


def read_fields(data, position, end, known_tags=()):
    """The fields of data[position:end] as a dict from tag to bytes, and where they end: at `end`, or where padding begins."""
    fields = {}
    last_tag = 0
    while end - position >= 8 and number(data, position, 2) != 0:
        tag, reserved, length = number(data, position, 2), number(data, position + 2, 2), number(data, position + 4, 4)
        require(reserved == 0, "a reserved number of a field is not zero")
        require(tag > last_tag, "fields are not in ascending order")
        last_tag = tag
        require(length >= 1, "a field is empty")
        padded = (length + 7) // 8 * 8
        require(position + 8 + padded <= end, "a field is longer than the area that it is in")
        require_zeros(data[position + 8 + length : position + 8 + padded], "the padding of a field is not zero")
        if tag >= FIRST_REQUIRED_TAG and tag not in known_tags:
            raise UnsupportedVersion(f"field {tag:04X}")
        fields[tag] = data[position + 8 : position + 8 + length]
        position += 8 + padded
    return fields, position


def skip_fields(data, position, size):
    """The fields of a segment head or footer, which version 1 only skips; returns where they end."""
    require(size % 8 == 0 and size <= LARGEST_FIELDS, "the length of an area of fields is impossible")
    _, end = read_fields(data, position, position + size)
    require(end == position + size, "fields do not fill their area")
    return end


# ---- header ---------------------------------------------------------------------------------------------------------------------


class Header:
    def __init__(self, frame):
        if len(frame) < SMALLEST_HEADER:
            raise Truncated("the frame is shorter than a header")
        require(frame[0:4] == b"FLOE", "no frame: it does not begin with FLOE")
        if frame[4] != 1:
            raise UnsupportedVersion(f"format version {frame[4]}")
        self.bytes = number(frame, 20, 4)
        require(self.bytes % 16 == 0 and SMALLEST_HEADER <= self.bytes <= LARGEST_HEADER, "the header's length is impossible")
        if len(frame) < self.bytes + SMALLEST_FOOTER:
            raise Truncated("the frame is shorter than its header and a footer")
        data = frame[: self.bytes]
        end = self.bytes - 4
        require_crc(data, end, "the header")
        self.crc = number(data, end, 4)

        required = number(data, 8, 4)
        if required & ~1:
            raise UnsupportedVersion(f"required feature, bit {(required & ~1).bit_length() - 1}")
        self.has_checksums = bool(required & 1)
        if data[5] not in DTYPES:
            raise UnsupportedVersion(f"element type {data[5]}")
        if data[7] != 14:
            raise UnsupportedVersion(f"chunk size 2^{data[7]}")
        self.dtype = DTYPES[data[5]]
        self.rank = data[6]
        require(self.rank <= 8, "more than 8 dimensions")
        self.chunks_per_segment = number(data, 16, 4)
        require(1 <= self.chunks_per_segment <= 65536, "the segment size is impossible")
        self.codec_id = number(data, 24, 2)
        require_zeros(data[26:28], "a reserved number of the header is not zero")
        inner = max(self.rank - 1, 0)
        require(28 + 8 * inner <= end, "the header is too short for its rank")
        self.inner_sizes = [number(data, 28 + 8 * i, 8) for i in range(inner)]
        fields, fields_end = read_fields(data, 28 + 8 * inner, end, known_tags=(PREFIX_TAG, PARAMETERS_TAG))
        require_zeros(data[fields_end:end], "the padding of the header is not zero")
        require(self.bytes == align16(fields_end + 4), "the header is longer than its fields")
        self.prefix = fields.get(PREFIX_TAG, b"")
        require(len(self.prefix) <= LARGEST_PREFIX, "the prefix is too long")
        self.choose_codec(fields.get(PARAMETERS_TAG, b""))

    def choose_codec(self, parameters):
        if self.codec_id not in CODECS:
            raise UnsupportedCodec(f"codec {self.codec_id}")
        self.codec = CODECS[self.codec_id]
        require(self.codec.width == DTYPE_BYTES[self.dtype], "the codec does not take the element type")
        self.dimensionality = 1
        if self.codec.has_dimensionality:
            require(len(parameters) == 1, "the codec's parameters have the wrong length")
            self.dimensionality = parameters[0]
            require(1 <= self.dimensionality <= 32, "the dimensionality is not 1 to 32")
        else:
            require(not parameters, "the codec has no parameters")

    def segment_bytes(self):
        return self.chunks_per_segment * CHUNK_BYTES


# ---- footer ---------------------------------------------------------------------------------------------------------------------


class Footer:
    def __init__(self, frame, header):
        if frame[-4:] != b"EOLF":
            raise Truncated("the frame does not end with a footer")
        self.bytes = number(frame, len(frame) - 16, 8)
        require(SMALLEST_FOOTER <= self.bytes <= len(frame) - header.bytes, "the footer's length is impossible")
        self.offset = len(frame) - self.bytes
        data = frame[self.offset :]
        require_crc(data, self.bytes - 8, "the footer")
        require(data[0:4] == b"FEND", "the footer does not begin with FEND")
        fields_bytes = number(data, 4, 4)
        self.outer_size = number(data, 8, 8)
        self.element_count = number(data, 16, 8)
        self.digest = number(data, 24, 8)
        segment_count = number(data, 32, 8)
        require(self.bytes == SMALLEST_FOOTER + 8 * segment_count + fields_bytes, "the footer's length is wrong")
        self.segment_offsets = [number(data, 40 + 8 * i, 8) for i in range(segment_count)]
        skip_fields(data, 40 + 8 * segment_count, fields_bytes)

        require(header.rank > 0 or self.outer_size == 1, "a scalar has more than one element")
        self.shape = [] if header.rank == 0 else [self.outer_size] + header.inner_sizes
        product = 1
        for size in self.shape:
            product *= size
        require(product == self.element_count, "the number of elements does not match the shape")
        self.content_bytes = self.element_count * DTYPE_BYTES[header.dtype]
        require(self.content_bytes < 1 << 63, "the content is too long")
        require(segment_count == -(-self.content_bytes // header.segment_bytes()), "the number of segments does not match the content")
        require((self.segment_offsets or [self.offset])[0] == header.bytes, "the first segment does not follow the header")


# ---- segment --------------------------------------------------------------------------------------------------------------------


class Segment:
    """A segment whose head is checked. `data` is all of the segment's bytes."""

    def __init__(self, data, index, content_bytes, header):
        self.header = header
        self.data = data
        self.content_bytes = content_bytes
        require(len(data) >= 48 and data[0:4] == b"FSEG", "a segment does not begin with FSEG")
        head_bytes = number(data, 4, 4)
        require(number(data, 8, 8) == index, "a segment is out of order")
        require(number(data, 16, 8) == content_bytes, "a segment's content has the wrong length")
        payload_bytes = number(data, 24, 8)
        chunk_count = number(data, 32, 4)
        self.kind = data[36]
        require(self.kind == 0 or (self.kind == 1 and header.codec.has_history), "unknown kind of segment")
        require_zeros(data[37:40], "a reserved number of a segment is not zero")
        require(number(data, 40, 4) == header.crc, "a segment belongs to another frame")
        fields_bytes = number(data, 44, 4)

        coded_bytes = content_bytes * (2 if self.kind == 1 else 1)
        self.chunk_lengths = [min(CHUNK_BYTES, coded_bytes - at) for at in range(0, coded_bytes, CHUNK_BYTES)]
        require(chunk_count == len(self.chunk_lengths), "a segment has the wrong number of chunks")
        groups = -(-chunk_count // CHUNKS_PER_GROUP) - 1
        table_bytes = 48 + 8 * groups + fields_bytes + (7 if header.has_checksums else 3) * chunk_count
        require(head_bytes == align16(table_bytes + 4), "a segment head has the wrong length")
        require(head_bytes + payload_bytes == len(data), "a segment does not end where the next part begins")
        require_crc(data[:head_bytes], head_bytes - 4, "a segment head")
        require_zeros(data[table_bytes : head_bytes - 4], "the padding of a segment head is not zero")
        self.read_table(groups, fields_bytes, chunk_count)

        end = head_bytes
        self.offsets = []
        for chunk, stored in enumerate(self.stored_bytes):
            if chunk % CHUNKS_PER_GROUP == 0 and chunk > 0:
                require(self.group_offsets[chunk // CHUNKS_PER_GROUP - 1] == end - head_bytes, "a group offset is wrong")
            length = self.chunk_lengths[chunk]
            mode = self.modes[chunk]
            possible = stored == length if mode == RAW else mode == CODED and 1 <= stored < length
            require(possible, "an entry of a chunk table is impossible")
            self.offsets.append(end)
            end += align16(stored)
        require(end == len(data), "the payloads of a segment do not add up")

    def read_table(self, groups, fields_bytes, chunk_count):
        position = 48

        def column(count, size):
            nonlocal position
            values = [number(self.data, position + size * i, size) for i in range(count)]
            position += size * count
            return values

        self.group_offsets = column(groups, 8)
        position = skip_fields(self.data, position, fields_bytes)
        self.checksums = column(chunk_count, 4) if self.header.has_checksums else []
        self.stored_bytes = column(chunk_count, 2)
        self.modes = column(chunk_count, 1)

    def decode(self):
        coded = b"".join(self.decode_chunk(chunk) for chunk in range(len(self.modes)))
        return undo_match_history(coded) if self.kind == 1 else coded

    def decode_chunk(self, chunk):
        stored = self.stored_bytes[chunk]
        padded = self.data[self.offsets[chunk] : self.offsets[chunk] + align16(stored)]
        if self.header.has_checksums:
            require(chunk_checksum(padded) == self.checksums[chunk], "the checksum of a chunk does not match")
        require_zeros(padded[stored:], "the padding of a payload is not zero")
        payload = padded[:stored]
        if self.modes[chunk] == RAW:
            return payload
        return self.header.codec.decode_chunk(payload, self.chunk_lengths[chunk], self.header.dimensionality)
