"""What the decoder of every part of a frame needs: errors, readers of bytes and bits, checksums (docs/format/container.md, sections 1 and 6)."""

import struct
from operator import mul


class Corrupt(Exception):
    """The bytes contradict the format."""


class Truncated(Exception):
    """The bytes end before the frame does."""


class Unsupported(Exception):
    """Something that a later version may know, but this decoder does not."""


class TooLarge(Exception):
    """A segment needs more memory than this decoder wants to take."""


# The names that floe gives to these errors.
ERROR_CODES = {Corrupt: "corrupt_frame", Truncated: "truncated_frame", Unsupported: "unsupported_version", TooLarge: "out_of_memory"}
FORMAT_ERRORS = tuple(ERROR_CODES)


def require(condition, why):
    if not condition:
        raise Corrupt(why)


def require_known(condition, what):
    if not condition:
        raise Unsupported(what)


def require_zeros(data, why):
    require(not any(data), why)


def align16(value):
    return (value + 15) // 16 * 16


def number(data, offset, size):
    require(offset + size <= len(data), "a number lies beyond the end of its part")
    return int.from_bytes(data[offset : offset + size], "little")


def words_of(data, width):
    """The whole words of `data`, of `width` bytes, and the tail behind them."""
    end = len(data) // width * width
    code = {1: "B", 2: "H", 4: "I", 8: "Q"}[width]
    return list(struct.unpack(f"<{end // width}{code}", data[:end])), data[end:]


def bytes_of(words, width, tail=b""):
    code = {1: "B", 2: "H", 4: "I", 8: "Q"}[width]
    return struct.pack(f"<{len(words)}{code}", *words) + tail


def signed(word, bits):
    return word - (1 << bits) if word >> (bits - 1) else word


class Reader:
    """Bytes from the front."""

    def __init__(self, data, position=0):
        self.data = data
        self.position = position

    def remaining(self):
        return len(self.data) - self.position

    def take(self, count):
        require(count <= self.remaining(), "the bytes end early")
        self.position += count
        return self.data[self.position - count : self.position]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def zeros(self, count):
        require_zeros(self.take(count), "reserved bytes or padding are not zero")

    def align16(self):
        self.zeros(align16(self.position) - self.position)

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.number(1)
            value |= (byte & 127) << shift
            if byte < 128:
                require(value < 1 << 64, "a varint has more than 64 bits")
                require(byte != 0 or shift == 0, "a varint has more bytes than it needs")
                return value
        raise Corrupt("a varint has more than 10 bytes")

    def signed_varint(self, bits):
        folded = self.varint()
        require(folded < 1 << bits, "a signed varint has more bits than a word")
        return (folded >> 1 ^ -(folded & 1)) % (1 << bits)


class BitReader:
    """A bit stream."""

    def __init__(self, data):
        self.bits = int.from_bytes(data, "little")
        self.size = 8 * len(data)
        self.position = 0

    def get(self, count):
        require(self.position + count <= self.size, "a bit stream ends too early")
        value = (self.bits >> self.position) & ((1 << count) - 1)
        self.position += count
        return value

    def bytes_used(self):
        return (self.position + 7) // 8


# ---- CRC-32C --------------------------------------------------------------------------------------------------------------------


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


def require_crc(part, crc_offset, what):
    require(number(part, crc_offset, 4) == crc32c(part[:crc_offset]), f"the checksum of {what} does not match")


# ---- checksums of blocks, and digests -------------------------------------------------------------------------------------------

BLOCK_BYTES = 16384
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


def block_checksum(block):
    padded = block + bytes(align16(len(block)) - len(block))
    halves = struct.unpack(f"<{len(padded) // 2}h", padded)
    checksum = 0
    for column, start in enumerate(STARTS):
        lower, upper = halves[2 * column :: 64], halves[2 * column + 1 :: 64]
        checksum ^= blend(start + sum(map(mul, LOWER_WEIGHTS, lower)) + sum(map(mul, UPPER_WEIGHTS, upper)) & U32)
    return checksum


def block_entry(block, has_checksums, mode=0):
    return (block_checksum(block) if has_checksums else 0) | len(block) << 32 | mode << 48


def digest(entries):
    """Of entries of blocks, or of digests of streams."""
    return sum(mix(entry + GAMMA * (j + 1) & U64) for j, entry in enumerate(entries)) & U64


def digest_of_bytes(data, has_checksums):
    """Of a stream that is no leaf stream."""
    return digest(block_entry(data[at : at + BLOCK_BYTES], has_checksums) for at in range(0, len(data), BLOCK_BYTES))
