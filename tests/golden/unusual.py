"""Frames that every decoder of version 1 has to read, though no encoder writes them: name, content, frame."""

from frame_draft import NATIVE, NO_RANGE, Draft, array, base_columns, cell_format, field, little, make_header, padded, raw_stream, table, words
from reject_streams import BITPACK, CODEC, CONSTANT, DICT, RAW, RLE, SPARSE, SPLIT, STATE, bitpack, entropy, state_of_zeros, tree

BASE = "arrays/codecs/spspeed_f32"
# The content of the base: 1 + i / 2^16 as f32.
RAMP = words("u32", [0x3F800000 + (i << 7) for i in range(100)])


def with_optional_features():
    return Draft.of(BASE).put("header", 12, 4, 0x80000001).seal()


def with_field_of_header():
    draft = Draft.of(BASE)
    draft.header = bytearray(make_header(0, "f32", (), {0x7FFF: b"newfield"}, 1 << 24))
    return draft.place().seal()


def with_field_of_table():
    draft = table(0, ["i8"], 2, [(cell_format(1), NO_RANGE, [raw_stream("i8", [1, -2])])])
    description = field(2, b"another")
    draft.insert("header", 24, description)
    return draft.put("header", 20, 4, len(draft.header)).seal_all()


def with_field_of_segment():
    return Draft.of(BASE).insert("segment", 48, field(1, b"newfield")).put("segment", 4, 4, 128).put("segment", 44, 4, 16).place().seal()


def with_field_of_footer():
    draft = Draft.of(BASE).insert("footer", 48, field(2, b"newfield")).put("footer", 4, 4, 16)
    return draft.put("footer", -16, 8, len(draft.footer)).seal()


NEWER = [
    ("optional_feature", RAMP, with_optional_features),
    ("field_of_header", RAMP, with_field_of_header),
    ("field_of_table", b"1\n-2\n", with_field_of_table),
    ("field_of_segment", RAMP, with_field_of_segment),
    ("field_of_footer", RAMP, with_field_of_footer),
]


def of_stream(type_name, values, stored):
    """An array of integers."""
    content = words(type_name, values)
    return content, lambda: array(type_name, len(values), stored)


def entropy_of_two_blocks():
    """The stream of 256 words and 44 words that are 0."""
    blocks = [2 * (state_of_zeros(count),) for count in (128, 24)]
    return entropy(directory=little(17, 2) + little(0, 2) + little(25, 2) + little(0, 2), states=blocks[0] + blocks[1])


def parts_with_leaves():
    """Two parts, which share a plan that is a codec: nested leaves in a stream of their own."""

    def leaf(values):
        return padded(bytes([0])) + padded(little(2 * len(values), 2) + b"\x00") + padded(words("u16", values))

    stored = padded(b"\x02\x03\x00" + CODEC + b"\x08\x01") + leaf([1, 2, 3])
    stored = padded(stored + b"\x01") + leaf([4, 5])
    return of_stream("u16", [1, 2, 3, 4, 5], stored)


def text(content, *arguments, **named):
    return content, lambda: table(0, *arguments, **named)


def decimals(values):
    return (cell_format(1), NO_RANGE, [raw_stream("i16", values)])


def malformed(positions, lines):
    return [raw_stream("u32", positions), raw_stream("u32", [len(line) for line in lines]), raw_stream("u8", list(b"".join(lines)))]


EXTRA = words("u32", [0, 2, 5, 1])  # lengths of runs: none, two, and more than there are words
CASES = {
    "parts_with_leaves": parts_with_leaves(),
    "part_of_the_same_plan": of_stream("u8", [1, 2, 3, 4, 5], b"\x03\x02\x00\x00\x01\x02" + b"\x01\x01\x03" + b"\x01\x04\x05"),
    "plan_written_twice": of_stream("u8", [1, 2, 3, 4], b"\x02\x02\x00\x00\x01\x02" + b"\x00\x00\x03\x04"),
    "constant_of_one_word": of_stream("u16", [7], tree(CONSTANT, words("u16", [7]))),
    "runs_of_no_words": of_stream("u8", [8, 8, 9, 9], tree(RLE + RAW + RAW, b"\x04" + EXTRA + bytes([7, 8, 9, 6]))),
    "exceptions_behind_the_end": of_stream("u8", [7, 5, 7], tree(SPARSE + RAW + RAW, b"\x07\x02" + words("u64", [1, 9]) + b"\x05\x06")),
    "exceptions_that_no_code_wants": of_stream("u8", [5, 5, 6], tree(DICT + b"\x00\x09" + 3 * RAW, b"\x01\x02\x05" + words("u16", [0, 0, 1]) + b"\x06\x07")),
    "stencil_of_other_bits": of_stream("u8", [1, 2, 3], tree(SPLIT + b"\x00" + 3 * RAW, b"\x02\x00\x02\x80\x01\x02\x03")),
    "bitpack_with_bytes_behind": of_stream("u8", [5, 6], tree(BITPACK, bitpack(b"\x08\x00\x05\x06", b"\xff"))),
    "bitpack_with_wide_fields": of_stream("u8", [200, 201], tree(BITPACK, bitpack(b"\x08\x02\xc7\xc8"))),
    "bitpack_exceptions_of_one_word": of_stream("u8", [6, 0], tree(BITPACK, bitpack(b"\x80\x00\x02\x03" + little(2 << 10 | (4 << 10 << 13), 4)))),
    "entropy_with_bytes_behind": of_stream("u8", [0, 0], entropy(extra=b"abcd", numbers=b"efghi")),
    "entropy_with_bytes_before_block": of_stream("u8", [0, 0], entropy(directory=little(17, 2) + little(0, 2), states=(42, STATE, STATE))),
    "entropy_blocks_of_256": of_stream("u8", 300 * [0], entropy_of_two_blocks()),
    "no_range": text(b"5\n6\n", ["i64"], 2, [decimals([5, 6])]),
    "exception_that_is_not_used": text(
        b"5\nNA\n", ["i64"], 2, [(cell_format(1, 2, 2), NO_RANGE, [raw_stream("i8", [5, 6]), raw_stream("u8", [0, 2]), raw_stream("u32", [1, 2]), raw_stream("u8", list(b"xNA"))])]
    ),
    "malformed_rows_of_one_place": text(b"5\nb\n\n6\nend", ["i64"], 2, [decimals([5, 6])], flags=2, extra=malformed([1, 1, 2], [b"b\n", b"\n", b"end"])),
    "line_end_that_lacks_before_malformed": text(b"5\n6end", ["i64"], 2, [decimals([5, 6])], flags=3, extra=malformed([2], [b"end"])),
    "words_that_are_not_used": text(b"x\nx\n", ["text"], 2, [(cell_format(6), NO_RANGE, [raw_stream("u16", [1, 1]), raw_stream("u8", list(b"yx")), raw_stream("u32", [1, 1])])]),
    "padding_of_zeros": (b"\x05\0\0\x06\0\0", lambda: table(1, ["i8"], 2, [(NATIVE, NO_RANGE, [raw_stream("i8", [5, 6])])], flags=4, extra=[raw_stream("u8", [0] * 4)], padding_bytes=2)),
    "base_behind_its_column": text(b"7,5\n4,3\n", ["i64", "i64"], 2, [decimals([2, 1]), decimals([5, 3])], segment_fields=base_columns((0, 1, 1, 1))),
    "base_column_of_fractions": text(b"10,-5\n-8,4\n", ["i64", "i64"], 2, [decimals([2, -1]), decimals([-5, 4])], segment_fields=base_columns((0, 1, -5, 3))),
    "base_column_of_other_types": (
        b"\xff\x01\x02\x00",
        lambda: table(1, ["u8", "bool"], 2, [(NATIVE, NO_RANGE, [raw_stream("u8", [0, 2])]), (NATIVE, NO_RANGE, [raw_stream("bool", [1, 0])])], segment_fields=base_columns((0, 1, -1, 1))),
    ),
    "base_column_that_wraps": (
        words("i8", [-2]) + words("u64", [1 << 63]),
        lambda: table(1, ["i8", "u64"], 1, [(NATIVE, NO_RANGE, [raw_stream("i8", [-2])]), (NATIVE, NO_RANGE, [raw_stream("u64", [1 << 63])])], segment_fields=base_columns((0, 1, 2, 7))),
    ),
    "decimals_that_wrap": text(b"-922337203685477580.8\n", ["i64"], 1, [(cell_format(1, decimals=(1, 0, 0)), NO_RANGE, [raw_stream("i64", [1 << 62])])]),
}
UNUSUAL = [(name, content, make) for name, (content, make) in CASES.items()]
