"""Compact frames that contradict docs/format/compact.md: name, error, where, frame."""

from frame_draft import TYPE_NUMBERS, crc32c, little, varint, words

CORRUPT, TRUNCATED, VERSION = "corrupt_frame", "truncated_frame", "unsupported_version"
BODY = (0,)
TEXT = bytes([7, 0]) + varint(3)  # lengths of u8, three bytes of text
NUMBERS = bytes([1, 0, 0, 0, 0])


class Compact:
    """The bytes of a compact frame; positions are offsets."""

    def __init__(self, data):
        self.data = data

    def __bytes__(self):
        return self.data

    def offset(self, position):
        return {"end": len(self.data), "crc": len(self.data) - 4}.get(position, position)


def sealed(body, length=None):
    front = b"FLOE\x02" + varint(len(body) if length is None else length) + body
    return front + little(crc32c(front), 4)


def stream(type_name, values):
    """Its number, its words, and what is stored of them."""
    return TYPE_NUMBERS[type_name], len(values), b"\x01\x00\x00" + words(type_name, values)


def body(streams, mask=None, behind=b""):
    streams = sorted(streams)
    entries = b"".join(varint(count) + varint(len(stored)) for _, count, stored in streams)
    return varint(sum(1 << number for number, _, _ in streams) if mask is None else mask) + entries + b"".join(stored for _, _, stored in streams) + behind


def description(columns=(NUMBERS,), flags=2, separator=b",", rows=2, column_count=None, malformed=b"", types=b"", prefix=b"", names=b"\0"):
    count = varint(len(columns) if column_count is None else column_count)
    return bytes([flags]) + separator + varint(rows) + count + malformed + b"".join(columns) + types + varint(len(prefix)) + prefix + names


def compact(text=b"", others=(("i8", [5, 6]),), **changes):
    """A table with what a description says, with `text` behind it."""
    return lambda: Compact(sealed(body([stream("u8", list(description(**changes) + text))] + [stream(*other) for other in others])))


def good():
    return compact()().data


def texts(front=TEXT, text=b"\x61\x62\x63\x01\x02"):
    return compact(text, (), columns=(front,))


def frame(make):
    return lambda: Compact(make())


MANY = (9, 1 << 22, b"\x01\x00\x01\x00")
CASES = [
    ("header/version_3", VERSION, (4,), frame(lambda: b"FLOE\x03" + good()[5:])),
    ("compact/cut_in_length", TRUNCATED, ("end",), frame(lambda: good()[:8])),
    ("compact/cut", TRUNCATED, ("end",), frame(lambda: good()[:-1])),
    ("compact/longer", CORRUPT, (len(good()),), frame(lambda: good() + b"\0")),
    ("compact/bit", CORRUPT, ("crc",), frame(lambda: good()[:20] + bytes([good()[20] ^ 1]) + good()[21:])),
    ("compact/length_of_0", CORRUPT, (5,), frame(lambda: sealed(b"").ljust(30, b"\0"))),
    ("compact/length_too_large", CORRUPT, (5,), frame(lambda: sealed(bytes(20), (1 << 22) + 1))),
    ("compact/length_of_more_bytes", CORRUPT, (5,), frame(lambda: b"FLOE\x02\x80\x00" + bytes(20))),
    ("compact/mask_bit_0", CORRUPT, BODY, frame(lambda: sealed(body([], mask=1) + bytes(20)))),
    ("compact/mask_bit_14", CORRUPT, BODY, frame(lambda: sealed(body([], mask=1 << 14) + bytes(20)))),
    ("compact/no_bytes", CORRUPT, BODY, frame(lambda: sealed(body([stream("i8", list(range(20)))])))),
    ("compact/type_without_words", CORRUPT, BODY, frame(lambda: sealed(body([stream("u8", list(description())), (5, 0, b"")])))),
    ("compact/too_many_words", CORRUPT, BODY, frame(lambda: sealed(body([MANY, (5, 1, b"\x01\x00\x00\x00")]) + bytes(9)))),
    ("compact/bytes_behind", CORRUPT, BODY, frame(lambda: sealed(body([stream("u8", list(description())), stream("i8", [5, 6])], behind=b"\0")))),
    ("compact/stream_beyond_end", CORRUPT, BODY, frame(lambda: sealed(body([stream("u8", list(description())), stream("i8", [5, 6])])[:-1]))),
    ("compact/encoding_40", VERSION, BODY, frame(lambda: sealed(body([(9, 9, b"\x01\x00\x28" + bytes(20))])))),
    ("compact/flag_5", CORRUPT, BODY, compact(flags=34)),
    ("compact/separator", CORRUPT, BODY, compact(separator=b"\n")),
    ("compact/rows", CORRUPT, BODY, compact(rows=(1 << 20) + 1)),
    ("compact/no_rows", CORRUPT, BODY, compact(others=(), rows=0)),
    ("compact/no_columns", CORRUPT, BODY, compact(columns=())),
    ("compact/65537_columns", CORRUPT, BODY, compact(column_count=65537)),
    ("compact/no_malformed_rows", CORRUPT, BODY, compact(flags=10, malformed=b"\0\0")),
    ("compact/native", CORRUPT, BODY, compact(columns=(bytes([0, 0]),))),
    ("compact/bit_7_of_column", CORRUPT, BODY, compact(columns=(bytes([129, 0, 0, 0, 0]),))),
    ("compact/decimals_19", CORRUPT, BODY, compact(columns=(bytes([1, 19, 0, 0, 0]),))),
    ("compact/widths", CORRUPT, BODY, compact(columns=(bytes([1, 0, 0, 0, 4]),))),
    ("compact/lengths_of_u64", CORRUPT, BODY, compact(b"abc", (("u64", [1, 2]),), columns=(bytes([7, 3, 3]),))),
    ("compact/too_many_bytes_of_text", CORRUPT, BODY, texts(bytes([7, 0]) + varint((1 << 22) + 1))),
    ("compact/base_divided_by_0", CORRUPT, BODY, compact(others=(("i8", [5, 6, 7, 8]),), columns=(NUMBERS, bytes([65, 0, 0, 0, 0, 0, 2, 0])))),
    ("compact/base_times_0", CORRUPT, BODY, compact(others=(("i8", [5, 6, 7, 8]),), columns=(NUMBERS, bytes([65, 0, 0, 0, 0, 0, 0, 1])))),
    ("compact/base_of_itself", CORRUPT, BODY, compact(others=(("i8", [5, 6, 7, 8]),), columns=(NUMBERS, bytes([65, 0, 0, 0, 0, 1, 2, 1])))),
    ("compact/type_16_of_column", VERSION, BODY, compact(flags=18, types=bytes([16, 0]))),
    ("compact/type_f16_of_column", CORRUPT, BODY, compact(flags=18, types=bytes([3, 0]))),
    ("compact/name_of_no_column", CORRUPT, BODY, compact(names=bytes([1, 1, 1, 65]))),
    ("compact/names_that_descend", CORRUPT, BODY, compact(others=(("i8", [5, 6, 7, 8]),), columns=(NUMBERS, NUMBERS), names=bytes([2, 1, 1, 65, 0, 1, 65]))),
    ("compact/fewer_words", CORRUPT, BODY, compact(others=(("i8", [5]),))),
    ("compact/more_words", CORRUPT, BODY, compact(others=(("i8", [5, 6, 7]),))),
    ("compact/more_bytes", CORRUPT, BODY, compact(b"x")),
    ("compact/words_of_other_type", CORRUPT, BODY, compact(others=(("i16", [5, 6]),))),
    ("compact/quotes_of_other_lengths", CORRUPT, BODY, texts(bytes([15, 0]) + varint(3), b"abc\x01\x01")),
    ("compact/quotes_of_long_texts", CORRUPT, BODY, texts(bytes([15, 0]) + varint(254), bytes(254) + b"\xfe\x00")),
]
