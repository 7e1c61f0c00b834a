"""Frames whose header, segment headers or footer contradict docs/format/container.md, each in one thing: name, error, where, frame."""

from frame_draft import NATIVE, NO_RANGE, Draft, StreamDraft, array, base_columns, cell_format, field, little, make_header, make_segment, make_table_field, padded, raw_stream, sealed, table, value_range, words

CORRUPT, TRUNCATED, VERSION = "corrupt_frame", "truncated_frame", "unsupported_version"

LEAF = "arrays/codecs/spspeed_f32"  # 32 bytes of header, no fields


class Cut:
    """The first bytes of a frame."""

    def __init__(self, draft, size):
        self.data = bytes(draft)[:size]

    def __bytes__(self):
        return self.data

    def offset(self, part, at=0):
        return len(self.data) if part == "end" else at


def header(at, size, value, name=LEAF):
    return Draft.of(name).put("header", at, size, value).seal()


def segment(at, size, value, name=LEAF):
    return Draft.of(name).put("segment", at, size, value).seal()


def footer(at, size, value, name=LEAF):
    return Draft.of(name).put("footer", at, size, value).seal_footer()


def flipped(part, at):
    draft = Draft.of("arrays/special/prefix")
    target = draft.segments[0].header if part == "segment" else draft.segments[0].streams[0].stored if part == "stream" else getattr(draft, part)
    target[at] ^= 1
    return draft


def with_suffix():
    draft = Draft.of(LEAF)
    draft.suffix = b"garbage."
    return draft


def with_header(content, type_name, inner, fields, max_length=1 << 14):
    """An array of 100 f32, or a table without rows, with another header."""
    draft = Draft.of(LEAF if content == 0 else "tables/text/empty")
    draft.header = bytearray(make_header(content, type_name, inner, fields, max_length))
    return draft.place().seal()


def long_header():
    draft = Draft.of(LEAF).insert("header", 28, bytes(16))
    return draft.put("header", 20, 4, len(draft.header)).place().seal()


def with_segments_swapped():
    draft = Draft.of("arrays/segments/three")
    draft.segments[0], draft.segments[1] = draft.segments[1], draft.segments[0]
    return draft.place().seal()


def of_another_frame(part):
    draft = Draft.of(LEAF)
    at = 32 if part == "segment" else 8
    target = draft.segments[0].header if part == "segment" else draft.footer
    target[at] ^= 1
    if part == "segment":
        target[-4:] = sealed(bytes(target[:-4]), 4)[-4:]
        return draft
    return draft.seal_footer()


HEADER = [
    ("header/nothing", TRUNCATED, ("end",), lambda: Cut(Draft.of(LEAF), 0)),
    ("header/cut_in_magic", TRUNCATED, ("end",), lambda: Cut(Draft.of(LEAF), 3)),
    ("header/other_bytes", CORRUPT, ("header", 0), lambda: Cut(header(0, 4, 0x454F4C47), 10)),
    ("header/cut", TRUNCATED, ("end",), lambda: Cut(Draft.of(LEAF), 23)),
    ("header/cut_behind", TRUNCATED, ("end",), lambda: Cut(Draft.of(LEAF), 32)),
    ("header/magic", CORRUPT, ("header", 0), lambda: header(0, 4, 0x454F4C47)),
    ("header/length_of_16", CORRUPT, ("header", 20), lambda: header(20, 4, 16)),
    ("header/length_not_aligned", CORRUPT, ("header", 20), lambda: header(20, 4, 56)),
    ("header/length_too_large", CORRUPT, ("header", 20), lambda: header(20, 4, (1 << 26) + 16)),
    ("header/length_beyond_frame", TRUNCATED, ("end",), lambda: header(20, 4, 1 << 16)),
    ("header/bit", CORRUPT, ("header", 76), lambda: flipped("header", 41)),
    ("header/required_feature", VERSION, ("header", 8), lambda: header(8, 4, 0x80000001)),
    ("header/content_2", VERSION, ("header", 5), lambda: header(5, 1, 2)),
    ("header/element_type_16", VERSION, ("header", 6), lambda: header(6, 1, 16)),
    ("header/element_type_0", VERSION, ("header", 6), lambda: header(6, 1, 0)),
    ("header/element_type_of_table", CORRUPT, ("header", 6), lambda: header(6, 1, 2, "tables/text/empty")),
    ("header/rank_9", CORRUPT, ("header", 7), lambda: header(7, 1, 9, "arrays/shapes/rank_8")),
    ("header/rank_of_table", CORRUPT, ("header", 7), lambda: header(7, 1, 2, "tables/text/empty")),
    ("header/rank_beyond_header", CORRUPT, ("header", 7), lambda: header(7, 1, 8)),
    ("header/segments_of_nothing", CORRUPT, ("header", 16), lambda: header(16, 4, 0)),
    ("header/segments_too_long", CORRUPT, ("header", 16), lambda: header(16, 4, (1 << 28) + 1)),
    ("header/segments_of_too_many_rows", CORRUPT, ("header", 16), lambda: header(16, 4, (1 << 20) + 1, "tables/text/empty")),
    ("header/longer_than_its_fields", CORRUPT, ("header", 20), long_header),
]


def with_fields(part, data):
    """Fields of 16 bytes in a segment header or footer."""
    draft = Draft.of(LEAF)
    if part == "segment":
        return draft.insert("segment", 48, data).put("segment", 4, 4, 112 + len(data)).put("segment", 44, 4, len(data)).place().seal()
    return draft.insert("footer", 48, data).put("footer", 4, 4, len(data)).put("footer", -16, 8, len(draft.footer)).seal()


def with_raw_fields(data):
    """A header with these bytes in place of fields."""
    draft = Draft.of(LEAF)
    fixed = bytes(draft.header[:24])
    draft.header = bytearray(sealed((fixed + data).ljust(28, b"\0"), 20))
    return draft.place().seal()


PREFIX = field(1, b"sixteen bytes...")
FIELDS = [
    ("fields/required_of_header", VERSION, ("header", 24), lambda: with_raw_fields(field(0x8000, b"new"))),
    ("fields/required_of_segment", VERSION, ("segment", 48), lambda: with_fields("segment", field(0x9000, b"new"))),
    ("fields/required_of_footer", VERSION, ("footer", 48), lambda: with_fields("footer", field(0xFFFF, b"new"))),
    ("fields/description_of_array", VERSION, ("header", 24), lambda: with_raw_fields(field(0x8001, make_table_field(1, 0, "\0", 0, [("a", "i8")])))),
    ("fields/not_ascending", CORRUPT, ("header", 40), lambda: with_raw_fields(field(3, b"three") + field(2, b"two"))),
    ("fields/twice", CORRUPT, ("header", 48), lambda: with_raw_fields(PREFIX + PREFIX)),
    ("fields/empty", CORRUPT, ("header", 28), lambda: with_raw_fields(little(2, 2) + bytes(6))),
    ("fields/tag_0", CORRUPT, ("header", 24), lambda: with_raw_fields(bytes(4) + little(4, 4) + bytes(8))),
    ("fields/reserved", CORRUPT, ("header", 26), lambda: with_raw_fields(PREFIX[:2] + b"\1" + PREFIX[3:])),
    ("fields/beyond_header", CORRUPT, ("header", 28), lambda: with_raw_fields(PREFIX[:4] + little(1000, 4) + PREFIX[8:])),
    ("fields/padding", CORRUPT, ("header", 35), lambda: with_raw_fields(field(1, b"abc")[:-1] + b"\1")),
    ("fields/bytes_behind", CORRUPT, ("header", 48), lambda: with_raw_fields(PREFIX + bytes(8) + b"\1")),
    ("fields/length_in_segment", CORRUPT, ("segment", 44), lambda: segment(44, 4, 4)),
    ("fields/beyond_segment", CORRUPT, ("segment", 44), lambda: segment(44, 4, 1024)),
    ("fields/too_long_in_footer", CORRUPT, ("footer", 4), lambda: footer(4, 4, (1 << 20) + 8)),
    ("fields/length_in_footer", CORRUPT, ("footer", 4), lambda: footer(4, 4, 4)),
    ("fields/do_not_fill_segment", CORRUPT, ("segment", 64), lambda: with_fields("segment", field(2, b"new") + bytes(16))),
    ("fields/do_not_fill_footer", CORRUPT, ("footer", 64), lambda: with_fields("footer", field(2, b"new") + bytes(8))),
]


def described(at, size, value, description=make_table_field(0, 2, ",", 0, [("a", "i64"), ("b", "text")])):
    """A table without rows, with one number of its description changed, or bytes put in."""
    data = bytearray(description)
    data[at : at + size] = little(value, size)
    return with_header(1, None, (), {0x8001: bytes(data)})


RECORDS = make_table_field(1, 0, "\0", 4, [("a", "i64")])
TABLE = [
    ("table/no_description", CORRUPT, ("header", 24), lambda: with_header(1, None, (), {})),
    ("table/source_3", VERSION, ("header", 32), lambda: described(0, 1, 3)),
    ("table/flag_2", CORRUPT, ("header", 32), lambda: described(1, 1, 4)),
    ("table/flags_of_records", CORRUPT, ("header", 32), lambda: described(1, 1, 1, RECORDS)),
    ("table/separator_0", CORRUPT, ("header", 32), lambda: described(2, 1, 0)),
    ("table/separator_lf", CORRUPT, ("header", 32), lambda: described(2, 1, 10)),
    ("table/separator_cr", CORRUPT, ("header", 32), lambda: described(2, 1, 13)),
    ("table/separator_quote", CORRUPT, ("header", 32), lambda: described(2, 1, 34)),
    ("table/separator_of_records", CORRUPT, ("header", 32), lambda: described(2, 1, 44, RECORDS)),
    ("table/reserved", CORRUPT, ("header", 32), lambda: described(3, 1, 1)),
    ("table/padding_of_text", CORRUPT, ("header", 36), lambda: described(4, 4, 1)),
    ("table/padding_too_long", CORRUPT, ("header", 36), lambda: described(4, 4, (1 << 20) + 1, RECORDS)),
    ("table/no_columns", CORRUPT, ("header", 36), lambda: described(8, 4, 0)),
    ("table/too_many_columns", CORRUPT, ("header", 36), lambda: described(8, 4, 65537)),
    ("table/column_lacks", CORRUPT, ("header", 32), lambda: described(8, 4, 3)),
    ("table/column_left", CORRUPT, ("header", 32), lambda: described(8, 4, 1)),
    ("table/column_type_16", VERSION, ("header", 44), lambda: described(12, 1, 16)),
    ("table/column_of_f16_in_text", CORRUPT, ("header", 44), lambda: described(12, 1, 3)),
    ("table/column_of_text_in_records", CORRUPT, ("header", 44), lambda: described(12, 1, 15, RECORDS)),
    ("table/column_of_41_decimals", CORRUPT, ("header", 44), lambda: described(13, 1, 41)),
    ("table/column_reserved", CORRUPT, ("header", 44), lambda: described(14, 2, 1)),
    ("table/name_beyond_description", CORRUPT, ("header", 32), lambda: described(16, 4, 1000)),
    ("table/name_too_long", CORRUPT, ("header", 44), lambda: described(16, 4, 65537)),
    ("table/prefix_of_records", CORRUPT, ("header", 24), lambda: with_header(1, None, (), {1: b"text", 0x8001: RECORDS})),
]

INTEGERS = lambda: raw_stream("i64", [1, 2, 3])  # noqa: E731
RANGE = value_range(1, 1, 3)


def records(**changes):
    """Three records of an i64."""
    arguments = {"source": 1, "types": ["i64"], "rows": 3, "columns": [(NATIVE, RANGE, [INTEGERS()])]} | changes
    return table(**arguments)


def with_base(*bases, types=("i64", "i64", "f64"), fields=None):
    """Three records of three columns, of which the last one has no whole numbers."""
    columns = [(NATIVE, NO_RANGE, [raw_stream(type_name, [1, 2, 3])]) for type_name in types]
    return records(types=types, columns=columns, segment_fields=base_columns(*bases) if fields is None else fields)


def malformed(positions, lengths, content):
    return [raw_stream("u32", positions), raw_stream("u32", lengths), raw_stream("u8", content)]


def long_segment_header():
    draft = Draft.of(LEAF).insert("segment", 108, bytes(16))
    return draft.put("segment", 4, 4, 128).place().seal()


def empty_segment_of_table():
    return records(rows=0, columns=[(NATIVE, NO_RANGE, [StreamDraft("i64", 0, b"")])])


def range_of(kind, least, most, reserved=0):
    return records(columns=[(NATIVE, value_range(kind, least, most, reserved), [INTEGERS()])])


def nan_range():
    nan = 0x7FF8 << 48
    return records(types=["f64"], columns=[(NATIVE, value_range(3, nan, nan), [raw_stream("f64", [0, 0, 0])])])


SEGMENT = [
    ("segment/magic", CORRUPT, ("segment", 0), lambda: segment(0, 4, 1)),
    ("segment/length_not_aligned", CORRUPT, ("segment", 4), lambda: segment(4, 4, 120)),
    ("segment/length_of_48", CORRUPT, ("segment", 4), lambda: segment(4, 4, 48)),
    ("segment/length_beyond_segment", CORRUPT, ("segment", 4), lambda: segment(4, 4, 4096)),
    ("segment/bit", CORRUPT, ("segment", 108), lambda: flipped("segment", 60)),
    ("segment/index", CORRUPT, ("segment", 8), lambda: segment(8, 8, 1)),
    ("segment/first", CORRUPT, ("segment", 8), lambda: segment(16, 8, 1)),
    ("segment/count_0", CORRUPT, ("segment", 24), lambda: segment(24, 4, 0)),
    ("segment/count_too_large", CORRUPT, ("segment", 24), lambda: segment(24, 4, (1 << 24) + 1)),
    ("segment/count_other_than_words", CORRUPT, ("segment", 48), lambda: segment(24, 4, 99)),
    ("segment/flags_of_array", CORRUPT, ("segment", 28), lambda: segment(28, 4, 1)),
    ("segment/flag_3", CORRUPT, ("segment", 28), lambda: segment(28, 4, 8, "tables/records/padded_with_zeros")),
    ("segment/line_end_of_records", CORRUPT, ("segment", 28), lambda: segment(28, 4, 1, "tables/records/padded_with_zeros")),
    ("columns/padding_of_none", CORRUPT, ("segment", 28), lambda: records(flags=4, extra=[raw_stream("u8", [1])])),
    ("columns/malformed_columns", CORRUPT, ("segment", 28), lambda: records(source=2, flags=2, extra=malformed([3], [1], [1]))),
    ("segment/nothing", CORRUPT, ("segment", 24), empty_segment_of_table),
    ("segment/of_another_frame", CORRUPT, ("segment", 32), lambda: of_another_frame("segment")),
    ("columns/stream/count", CORRUPT, ("segment", 36), lambda: segment(36, 4, 2)),
    ("segment/column_count", CORRUPT, ("segment", 40), lambda: segment(40, 4, 2)),
    ("segment/longer_than_its_entries", CORRUPT, ("segment", 4), long_segment_header),
    ("segment/padding", CORRUPT, ("segment", 4), lambda: segment(-8, 1, 1)),
    ("segment/swapped", CORRUPT, ("segment", 8), with_segments_swapped),
    ("columns/stream/type_16", VERSION, ("segment", 80), lambda: segment(80, 1, 16)),
    ("columns/stream/type_text", VERSION, ("segment", 80), lambda: segment(80, 1, 15)),
    ("columns/stream/type_of_other_column", CORRUPT, ("segment", 48), lambda: segment(80, 1, 7)),
    ("columns/stream/reserved", CORRUPT, ("segment", 80), lambda: segment(82, 1, 1)),
    ("columns/stream/count_0", CORRUPT, ("segment", 80), lambda: segment(84, 4, 0)),
    ("columns/stream/bytes_0", CORRUPT, ("segment", 80), lambda: segment(88, 8, 0)),
    ("columns/stream/bytes_of_64_bits", CORRUPT, ("segment", 0), lambda: segment(88, 8, (1 << 64) - 1)),
    ("columns/cell_format_of_array", CORRUPT, ("segment", 48), lambda: segment(48, 1, 1, "arrays/shapes/rank_4")),
    ("columns/range/kind_4", CORRUPT, ("segment", 61), lambda: range_of(4, 1, 3)),
    ("columns/range/of_other_kind", CORRUPT, ("segment", 61), lambda: range_of(2, 1, 3)),
    ("columns/range/none_with_number", CORRUPT, ("segment", 61), lambda: range_of(0, 0, 3)),
    ("columns/range/falling", CORRUPT, ("segment", 61), lambda: range_of(1, 3, 1)),
    ("columns/range/falling_below_0", CORRUPT, ("segment", 61), lambda: range_of(1, 0, (1 << 64) - 1)),
    ("columns/range/of_nan", CORRUPT, ("segment", 61), nan_range),
    ("columns/range/reserved", CORRUPT, ("segment", 61), lambda: range_of(1, 1, 3, reserved=1)),
    ("columns/base/of_itself", CORRUPT, ("segment", 48), lambda: with_base((0, 0, 1, 1))),
    ("columns/base/with_a_base", CORRUPT, ("segment", 48), lambda: with_base((0, 1, 1, 1), (1, 0, 1, 1))),
    ("columns/base/not_there", CORRUPT, ("segment", 48), lambda: with_base((0, 3, 1, 1))),
    ("columns/base/of_no_column", CORRUPT, ("segment", 48), lambda: with_base((3, 0, 1, 1))),
    ("columns/base/of_floats", CORRUPT, ("segment", 48), lambda: with_base((2, 0, 1, 1))),
    ("columns/base/that_has_floats", CORRUPT, ("segment", 48), lambda: with_base((0, 2, 1, 1))),
    ("columns/base/times_0", CORRUPT, ("segment", 48), lambda: with_base((0, 1, 0, 1))),
    ("columns/base/by_0", CORRUPT, ("segment", 48), lambda: with_base((0, 1, 1, 0))),
    ("columns/base/by_a_negative", CORRUPT, ("segment", 48), lambda: with_base((0, 1, 1, -1))),
    ("columns/base/twice", CORRUPT, ("segment", 48), lambda: with_base((0, 1, 1, 1), (0, 1, 1, 1))),
    ("columns/base/cut", CORRUPT, ("segment", 48), lambda: with_base(fields=field(0x8001, bytes(12)))),
    ("columns/base/of_array", VERSION, ("segment", 48), lambda: with_fields("segment", field(0x8001, bytes(8)))),
    ("columns/malformed_none", CORRUPT, ("segment", 48), lambda: records(flags=2, extra=malformed([], [], []))),
    ("columns/malformed_type", CORRUPT, ("segment", 48), lambda: records(flags=2, extra=[raw_stream("u16", [3]), raw_stream("u32", [1]), raw_stream("u8", [1])])),
    ("columns/malformed_lengths", CORRUPT, ("segment", 48), lambda: records(flags=2, extra=malformed([3], [1, 1], [1, 1]))),
    ("columns/padding_type", CORRUPT, ("segment", 48), lambda: records(flags=4, padding_bytes=1, extra=[raw_stream("i8", [1, 2, 3])])),
    ("columns/padding_length", CORRUPT, ("segment", 48), lambda: records(flags=4, padding_bytes=2, extra=[raw_stream("u8", [1, 2, 3])])),
]


def two_segments(firsts, elements):
    """An array of bytes."""
    segments = [make_segment(i, first, 2, [(NATIVE, NO_RANGE, [raw_stream("u8", [1, 2])])]) for i, first in enumerate(firsts)]
    return Draft(make_header(0, "u8", (), {}, 2), segments, firsts=firsts, outer=elements).seal_all()


def with_gap():
    draft = Draft.of(LEAF)
    draft.segments[0].streams[0].stored += bytes(16)
    return draft.place().seal()


FOOTER = [
    ("footer/cut", TRUNCATED, ("end",), lambda: Cut(Draft.of(LEAF), -1)),
    ("footer/cut_in_segment", TRUNCATED, ("end",), lambda: Cut(Draft.of(LEAF), 160)),
    ("footer/garbage_behind", TRUNCATED, ("end",), with_suffix),
    ("footer/length_not_aligned", CORRUPT, ("footer", 48), lambda: footer(-16, 8, 67)),
    ("footer/length_too_small", CORRUPT, ("footer", 48), lambda: footer(-16, 8, 40)),
    ("footer/length_beyond_frame", CORRUPT, ("footer", 48), lambda: footer(-16, 8, 1 << 20)),
    ("footer/length_into_header", CORRUPT, ("footer", 48), lambda: footer(-16, 8, len(bytes(Draft.of(LEAF))) - 24)),
    ("footer/bit", CORRUPT, ("footer", 56), lambda: flipped("footer", 30)),
    ("footer/magic", CORRUPT, ("footer", 0), lambda: footer(0, 4, 1)),
    ("footer/of_another_frame", CORRUPT, ("footer", 8), lambda: of_another_frame("footer")),
    ("footer/reserved", CORRUPT, ("footer", 12), lambda: footer(12, 4, 1)),
    ("footer/element_count", CORRUPT, ("segment", 8), lambda: footer(16, 8, 99)),
    ("footer/too_many_elements", CORRUPT, ("footer", 16), lambda: footer(16, 8, 1 << 61)),
    ("footer/product_of_65_bits", CORRUPT, ("footer", 16), lambda: footer(16, 8, 1 << 62, "arrays/shapes/rank_2")),
    ("footer/scalar_of_two", CORRUPT, ("footer", 16), lambda: footer(16, 8, 2, "arrays/shapes/rank_0")),
    ("footer/digest", CORRUPT, ("footer", 24), lambda: footer(24, 8, 1)),
    ("footer/digest_of_table", CORRUPT, ("footer", 24), lambda: footer(24, 8, 1, "tables/text/schema")),
    ("footer/part_of_an_entry", CORRUPT, ("footer", 4), lambda: footer(4, 4, 8)),
    ("footer/fields_beyond_footer", CORRUPT, ("footer", 4), lambda: footer(4, 4, 32)),
    ("footer/no_segment_for_elements", CORRUPT, ("footer", 32), lambda: footer(16, 8, 1, "tables/text/empty")),
    ("footer/offset_of_first", CORRUPT, ("footer", 32), lambda: footer(32, 8, 48)),
    ("footer/offset_not_aligned", CORRUPT, ("footer", 32), lambda: footer(32, 8, 40)),
    ("footer/offset_beyond_next", CORRUPT, ("footer", 32), lambda: footer(32, 8, 1 << 62)),
    ("footer/first_element_of_first", CORRUPT, ("footer", 32), lambda: footer(40, 8, 1)),
    ("footer/segments_not_ascending", CORRUPT, ("footer", 32), lambda: two_segments([0, 0], 2)),
    ("footer/segment_too_long", CORRUPT, ("footer", 32), lambda: two_segments([0, 3], 5)),
    ("footer/gap_behind_segment", CORRUPT, ("segment", 0), with_gap),
]

CASES = HEADER + FIELDS + TABLE + SEGMENT + FOOTER
