"""Frames whose streams contradict docs/format/trees.md, leaves.md or a page of an encoding: name, error, where, frame."""

import math
import struct

from frame_draft import Draft, array, little, padded, varint, words

CORRUPT, VERSION = "corrupt_frame", "unsupported_version"
STREAM = ("stream", 0)
RAW, CONSTANT, BITPACK, DELTA, RLE, INT_MULT, DECIMAL, SORTABLE, SPLIT, SPARSE, STRIDE_SPLIT, DICT, CODEC, ENTROPY, DIVIDE, UNIQUE, GRID, LINEAR, AFFINE, MATCH, MULTI_ENTROPY, NARROW, CONTEXT = (bytes([i]) for i in range(23))


def tree(plan, body):
    """A stream of one part."""
    return b"\x01\x00" + plan + body


def bad(type_name, count, stored):
    """An array whose stream is `stored`."""
    return lambda: array(type_name, count, stored)


def raw(type_name, *values):
    return words(type_name, values)


def two_parts(first, second):
    return b"\x02" + first + second


def changed_stream(name, at, size, value):
    """A golden file with a number of its stream changed, and digests made right."""

    def make():
        draft = Draft.of(name)
        stored = draft.segments[0].streams[0].stored
        stored[at : at + size] = little(value, size)
        return draft.seal_digests().seal()

    return make


def with_bad_digest():
    draft = Draft.of("arrays/trees/deepest")
    draft.segments[0].header[96] ^= 1
    return draft.seal()


def with_bad_padding():
    draft = Draft.of("arrays/shapes/rank_4")
    stream = draft.segments[0].streams[0]
    assert len(stream.stored) % 16
    at = draft.offset("stream", len(stream.stored))

    class Padded(Draft):
        def __bytes__(self):
            data = bytearray(super().__bytes__())
            data[at] = 1
            return bytes(data)

    draft.__class__ = Padded
    return draft


DEEP = DELTA + b"\x01\x01"
TREES = [
    ("trees/digest", CORRUPT, STREAM, with_bad_digest),
    ("trees/padding", CORRUPT, STREAM, with_bad_padding),
    ("trees/no_parts", CORRUPT, STREAM, bad("u8", 2, b"\x00\x00\x00\x01\x02")),
    ("trees/no_parts_and_nothing_else", CORRUPT, STREAM, bad("u8", 2, b"\x00")),
    ("trees/too_many_parts", CORRUPT, STREAM, bad("u8", 2, varint(1025) + b"\x01\x00\x00\x01" * 1025)),
    ("trees/one_part_too_many", CORRUPT, STREAM, bad("u8", 1025, varint(1025) + b"\x01\x00\x00\x01" + 1023 * b"\x01\x01\x01" + b"\x01\x01")),
    ("trees/part_too_long", CORRUPT, STREAM, bad("u8", 2, two_parts(b"\x03\x00\x00\x01\x02\x03", b"\x00\x00"))),
    ("trees/part_without_words", CORRUPT, STREAM, bad("u8", 2, two_parts(b"\x00\x00\x00", b"\x00\x00\x01\x02"))),
    ("trees/last_part_without_words", CORRUPT, STREAM, bad("u8", 2, two_parts(b"\x02\x00\x00\x01\x02", b"\x00\x00"))),
    ("trees/part_that_is_not_there", CORRUPT, STREAM, bad("u8", 2, b"\x02\x02\x00\x00\x01\x02")),
    ("trees/plan_that_is_none", CORRUPT, STREAM, bad("u8", 2, two_parts(b"\x01\x00\x00\x01", b"\x02\x02"))),
    ("trees/encoding_255", VERSION, STREAM, bad("u8", 2, tree(b"\xff", b"\x01\x02"))),
    ("trees/codec_9", VERSION, STREAM, bad("u8", 2, tree(RLE + RAW + CODEC + b"\x09\x01", bytes(60)))),
    ("trees/parameter_too_small", CORRUPT, STREAM, bad("u8", 2, tree(DELTA + b"\x00\x01" + RAW, b"\x01\x02"))),
    ("trees/parameter_too_large", CORRUPT, STREAM, bad("u8", 2, tree(DELTA + b"\x01\x81\x80\x40" + RAW, b"\x01\x02"))),
    ("trees/type_that_is_not_taken", CORRUPT, STREAM, bad("f32", 2, tree(BITPACK, b"\x01\x02"))),
    ("trees/type_of_child_that_is_not_taken", CORRUPT, STREAM, bad("u8", 2, tree(INT_MULT + SORTABLE + RAW, b"\x00\x01" + bytes(2)))),
    ("trees/too_deep", CORRUPT, STREAM, bad("u8", 20, tree(8 * DEEP + RAW, bytes(20)))),
    ("trees/too_many_nodes", CORRUPT, STREAM, bad("u8", 9, tree(STRIDE_SPLIT + b"\x08" + 8 * (STRIDE_SPLIT + b"\x08" + 8 * (STRIDE_SPLIT + b"\x04" + 4 * RAW)), bytes(9)))),
    ("trees/plan_that_ends_early", CORRUPT, STREAM, bad("u8", 2, tree(RLE, b""))),
    ("trees/bytes_behind", CORRUPT, STREAM, bad("u8", 2, tree(RAW, b"\x01\x02\x03"))),
    ("trees/bytes_that_end_early", CORRUPT, STREAM, bad("u8", 2, tree(RAW, b"\x01"))),
    ("trees/varint_with_a_byte_too_many", CORRUPT, STREAM, bad("u8", 2, b"\x81\x00\x00\x00\x01\x02")),
    ("trees/varint_of_11_bytes", CORRUPT, STREAM, bad("u8", 2, tree(RLE + RAW + RAW, b"\x80" * 10 + b"\x01"))),
    ("trees/varint_of_65_bits", CORRUPT, STREAM, bad("u8", 2, tree(RLE + RAW + RAW, b"\xff" * 9 + b"\x02"))),
    ("trees/signed_varint_of_9_bits", CORRUPT, STREAM, bad("u8", 2, tree(INT_MULT + RAW, b"\x80\x02\x01" + b"\x01\x02"))),
]

LEAF = "arrays/codecs/spspeed_f32"  # one chunk: front 16 bytes, table 16, payload
KIND, TABLE, PAYLOAD = 5, 16, 32


def leaf(at, size, value, name=LEAF):
    return changed_stream(name, at, size, value)


def changed_payload(name, at, size, value):
    """A golden file with a number of its first payload changed, and checksums made right."""

    def make():
        draft = Draft.of(name)
        stream = draft.segments[0].streams[0]
        begin = stream.leaf_table()[3] + at
        stream.stored[begin : begin + size] = little(value, size)
        stream.seal_chunks()
        return draft.seal_digests().seal()

    return make


def from_end(name, at, size, value):
    """The same, counted from the end of the payload."""

    def make():
        stream = Draft.of(name).segments[0].streams[0]
        _, sizes, _, _, _ = stream.leaf_table()
        stored = int.from_bytes(stream.stored[sizes : sizes + 2], "little")
        return changed_payload(name, stored + at, size, value)()

    return make


def payload_bit():
    draft = Draft.of(LEAF)
    draft.segments[0].streams[0].stored[PAYLOAD + 20] ^= 1
    return draft


def leaf_digest():
    draft = Draft.of(LEAF)
    draft.segments[0].header[96] ^= 1
    return draft.seal()


def shortened(size):
    return lambda: Draft.of(LEAF).replace_stream(Draft.of(LEAF).segments[0].streams[0].stored[:size]).place().seal()


def far_distance():
    """Six words of which the chunk holds values and distances, stored raw; the distances are noise."""
    stored = padded(b"\x01\x00\x0c\x04\x01\x01") + padded(bytes(4) + little(96, 2) + b"\x00") + words("u64", [i * 0x9E3779B97F4A7C15 + 1 for i in range(12)])
    draft = array("u64", 6, stored)
    draft.segments[0].streams[0].seal_chunks()
    return draft.seal_digests().seal()


def nested(kind=0, sizes=(6,), modes=(0,), padding=0, body=raw("u16", 1, 2, 3), tail=b""):
    """Six words that are split in two, of which the second is a nested leaf."""
    table = b"".join(little(size, 2) for size in sizes) + bytes(modes)
    stored = padded(tree(STRIDE_SPLIT + b"\x02" + RAW + CODEC + b"\x08\x01", b"")) + raw("u16", 1, 2, 3) + bytes([kind])
    stored = padded(stored) + padded(table) + padded(body + bytes([padding]) if padding else body) + tail
    return lambda: array("u16", 6, stored)


LEAVES = [
    ("leaves/kind_2", CORRUPT, ("stream", KIND), leaf(KIND, 1, 2)),
    ("leaves/kind_1_without_history", CORRUPT, ("stream", KIND), leaf(KIND, 1, 1)),
    ("leaves/kind_2_of_dpratio", CORRUPT, ("stream", KIND), leaf(KIND, 1, 2, "arrays/codecs/dpratio_f64_history")),
    ("leaves/reserved_behind_kind", CORRUPT, ("stream", KIND), leaf(9, 1, 1)),
    ("leaves/codec_of_other_words", CORRUPT, STREAM, leaf(3, 1, 2)),
    ("leaves/codec_9", VERSION, STREAM, leaf(3, 1, 9)),
    ("leaves/codec_0", CORRUPT, STREAM, leaf(3, 1, 0)),
    ("leaves/dimensionality_0", CORRUPT, STREAM, leaf(4, 1, 0, "arrays/codecs/gfc_u32")),
    ("leaves/dimensionality_33", CORRUPT, STREAM, leaf(4, 1, 33, "arrays/codecs/gfc_u32")),
    ("leaves/dimensionality_of_spspeed", CORRUPT, STREAM, leaf(4, 1, 2)),
    ("leaves/shorter_than_table", CORRUPT, STREAM, shortened(24)),
    ("leaves/front_alone", CORRUPT, STREAM, shortened(16)),
    ("leaves/digest", CORRUPT, STREAM, leaf_digest),
    ("leaves/stored_bytes_0", CORRUPT, ("stream", TABLE), leaf(TABLE + 4, 2, 0)),
    ("leaves/stored_bytes_as_raw", CORRUPT, ("stream", TABLE), leaf(TABLE + 4, 2, 400)),
    ("leaves/raw_but_shorter", CORRUPT, ("stream", TABLE), leaf(TABLE + 6, 1, 0)),
    ("leaves/mode_2", CORRUPT, ("stream", TABLE), leaf(TABLE + 6, 1, 2)),
    ("leaves/table_padding", CORRUPT, ("stream", TABLE + 7), leaf(TABLE + 8, 1, 1)),
    ("leaves/sizes_of_other_sum", CORRUPT, ("stream", TABLE), leaf(TABLE + 4, 2, 32)),
    ("leaves/group_offset", CORRUPT, ("stream", TABLE), leaf(TABLE, 8, 16, "arrays/segments/258_chunks")),
    ("leaves/payload_bit", CORRUPT, ("stream", PAYLOAD), payload_bit),
    ("leaves/payload_padding", CORRUPT, ("stream", PAYLOAD), from_end(LEAF, 0, 1, 1)),
    ("leaves/bit_pack_width_33", CORRUPT, ("stream", PAYLOAD), changed_payload(LEAF, 6, 1, 33)),
    ("leaves/bit_pack_other_length", CORRUPT, ("stream", PAYLOAD), changed_payload(LEAF, 4, 2, 396)),
    ("leaves/drop_zeros_levels", CORRUPT, ("stream", PAYLOAD), from_end("arrays/codecs/spratio_f32", -6, 4, 0xFFFFFFFF)),
    ("leaves/drop_tops_keep_66", CORRUPT, ("stream", PAYLOAD), from_end("arrays/codecs/dpratio_u64", -3, 1, 66)),
    ("leaves/byte_pack_codes", CORRUPT, ("stream", PAYLOAD), changed_payload("arrays/codecs/gfc_u32", 0, 8, 0x4444444444444444)),
    ("leaves/distance_before_first_word", CORRUPT, STREAM, far_distance),
    ("leaves/nested_kind_1", CORRUPT, STREAM, nested(kind=1)),
    ("leaves/nested_mode_2", CORRUPT, STREAM, nested(modes=(2,))),
    ("leaves/nested_size", CORRUPT, STREAM, nested(sizes=(7,))),
    ("leaves/nested_padding", CORRUPT, STREAM, nested(padding=1)),
    ("leaves/nested_bytes_behind", CORRUPT, STREAM, nested(tail=bytes(16))),
]


def bitpack(*blocks):
    payload = b"".join(blocks)
    return varint(len(payload)) + payload


# Symbols 0 and 1, of 4095 and 1 numbers.
TWO_SYMBOLS = b"\x00\x01\x1c\xff\x07"


def state_of_zeros(count):
    """A lane's state that gives so many symbols 0, with those frequencies, and reads no number."""
    state = 1 << 16
    for _ in range(count):
        state = (state // 4095 << 12) + state % 4095
    return state


STATE = state_of_zeros(8)


def entropy(control=0x20, raw_bits=0, size=8, base=b"\x00", table=TWO_SYMBOLS, directory=None, states=(STATE, STATE), extra=b"", numbers=b"", unit=1, node=None):
    """The stream of a leaf of up to 16 words, in one block. As it is, they are 0."""
    front = bytes([control, raw_bits, size]) + base + table
    block = b"".join(little(state, 4) for state in states) + extra + numbers
    if directory is None:
        directory = little(len(front) + 4, 2) + little(len(extra) // 4, 2)
    payload = front + directory + block
    return padded(tree(node or ENTROPY, b"")) + padded(varint(len(payload)), unit) + payload


def entropy_of_sections(*ends):
    """Two sections that are not there."""
    payload = padded(b"".join(little(end, 4) for end in ends))
    return padded(tree(ENTROPY, b"")) + padded(varint(len(payload))) + payload


def decimal(digits, width, body, type_name="f64"):
    return bad(type_name, 2, tree(DECIMAL + bytes([digits, width]) + 3 * RAW, body))


def narrow(digits, which, *floats, exceptions=0, type_name="f64"):
    words = b"".join(struct.pack("<f", number) for number in floats or (1.0, 1.0))
    return bad(type_name, 2, tree(NARROW + bytes([digits, which]) + 3 * RAW, varint(exceptions) + words))


def match(body, count=3):
    return bad("u8", count, tree(MATCH + b"\x01\x00" + 4 * RAW, body))


def grid(body):
    return bad("f32", 2, tree(GRID + 4 * RAW, body))


def line(step=1.0, offset=0.0):
    return b"\x03" + struct.pack("<dd", step, offset)


def affine(header, exceptions=b"\x00", type_name="f64", integers=(4, 1, 2)):
    size, *numbers = integers
    parameters, words = bytes((1, size)), raw(f"i{8 * size}", *numbers) if numbers else bytes(10)
    return bad(type_name, 2, tree(AFFINE + parameters + 5 * RAW, header + exceptions + words + bytes(2)))


ENCODINGS = [
    ("encodings/bitpack/width_9", CORRUPT, STREAM, bad("u8", 2, tree(BITPACK, bitpack(b"\x09\x00" + bytes(3))))),
    ("encodings/bitpack/payload_too_short", CORRUPT, STREAM, bad("u8", 2, tree(BITPACK, bitpack(b"\x08\x00\x01")))),
    ("encodings/bitpack/payload_beyond_stream", CORRUPT, STREAM, bad("u8", 2, tree(BITPACK, b"\x20\x00\x00"))),
    ("encodings/bitpack/too_many_exceptions", CORRUPT, STREAM, bad("u8", 2, tree(BITPACK, bitpack(b"\x80\x00\x03\x01" + bytes(5))))),
    ("encodings/bitpack/exception_of_9_bits", CORRUPT, STREAM, bad("u8", 2, tree(BITPACK, bitpack(b"\x84\x00\x21\x01\x05" + bytes(2))))),
    ("encodings/bitpack/exception_behind", CORRUPT, STREAM, bad("u8", 2, tree(BITPACK, bitpack(b"\x80\x00\x01\x01\x02\x00")))),
    ("encodings/delta/first_word_too_long", CORRUPT, STREAM, bad("u8", 2, tree(DELTA + b"\x01\x01" + RAW, b"\x80\x04\x01"))),
    ("encodings/rle/no_runs", CORRUPT, STREAM, bad("u8", 2, tree(RLE + RAW + RAW, b"\x00"))),
    ("encodings/rle/too_many_runs", CORRUPT, STREAM, bad("u8", 2, tree(RLE + RAW + RAW, b"\x03" + raw("u32", 1, 1, 1) + raw("u8", 1, 2, 3)))),
    ("encodings/rle/runs_too_short", CORRUPT, STREAM, bad("u8", 3, tree(RLE + RAW + RAW, b"\x02" + raw("u32", 1, 1) + raw("u8", 1, 2)))),
    ("encodings/int_mult/divisor_0", CORRUPT, STREAM, bad("u8", 2, tree(INT_MULT + RAW, b"\x00\x00\x01\x02"))),
    ("encodings/int_mult/divisor_256", CORRUPT, STREAM, bad("u8", 2, tree(INT_MULT + RAW, b"\x00\x80\x02\x01\x02"))),
    ("encodings/decimal/digits_23", CORRUPT, STREAM, decimal(23, 4, b"\x00" + raw("i32", 1, 2))),
    ("encodings/decimal/bytes_5", CORRUPT, STREAM, decimal(1, 5, b"\x00" + bytes(10))),
    ("encodings/decimal/bytes_8_of_f32", CORRUPT, STREAM, decimal(1, 8, b"\x00" + raw("i64", 1, 2), "f32")),
    ("encodings/decimal/too_many_exceptions", CORRUPT, STREAM, decimal(1, 4, b"\x03" + raw("i32", 1, 2) + bytes(48))),
    ("encodings/decimal/integer_too_large", CORRUPT, STREAM, decimal(1, 8, b"\x00" + raw("i64", 1, 1 << 51))),
    ("encodings/decimal/integer_too_small", CORRUPT, STREAM, decimal(1, 8, b"\x00" + raw("i64", 1, -(1 << 51) - 1))),
    ("encodings/grid/exponent_0", CORRUPT, STREAM, grid(b"\x00\x00\x00" + raw("i32", 0, 0))),
    ("encodings/grid/exponent_255", CORRUPT, STREAM, grid(b"\xff\x01\x00\x00" + raw("i32", 0, 0))),
    ("encodings/grid/too_many_exceptions", CORRUPT, STREAM, grid(b"\x7f\x00\x03" + raw("i32", 0, 0) + bytes(36))),
    ("encodings/grid/multiple_too_large", CORRUPT, STREAM, grid(b"\x7f\x00\x00" + raw("i32", 1 << 24, 0))),
    ("encodings/grid/exponent_too_small", CORRUPT, STREAM, grid(b"\x04\x01\x00" + raw("i32", 1 << 19, 0) + b"\x00")),
    ("encodings/grid/bits_lack", CORRUPT, STREAM, grid(b"\x7f\x01\x00" + raw("i32", 1 << 14, 0) + b"\x00")),
    ("encodings/affine/rows_lack", CORRUPT, STREAM, affine(b"\x01\x01\x01" + line())),
    ("encodings/affine/too_many_rows", CORRUPT, STREAM, affine(b"\x01\x03\x01" + line())),
    ("encodings/affine/block_without_rows", CORRUPT, STREAM, affine(b"\x02\x00\x01" + line() + b"\x02\x01" + line())),
    ("encodings/affine/form_7", CORRUPT, STREAM, affine(b"\x01\x02\x07" + line())),
    ("encodings/affine/form_4_of_f64", CORRUPT, STREAM, affine(b"\x01\x02\x04" + line())),
    ("encodings/affine/no_step_before", CORRUPT, STREAM, affine(b"\x01\x02\x01\x00")),
    ("encodings/affine/reserved_bits", CORRUPT, STREAM, affine(b"\x01\x02\x01\x07" + line()[1:])),
    ("encodings/affine/step_0", CORRUPT, STREAM, affine(b"\x01\x02\x01" + line(step=0.0))),
    ("encodings/affine/step_is_no_number", CORRUPT, STREAM, affine(b"\x01\x02\x01" + line(step=math.nan))),
    ("encodings/affine/step_too_large", CORRUPT, STREAM, affine(b"\x01\x02\x05" + line(step=2.0**61), type_name="f32")),
    ("encodings/affine/offset_too_large", CORRUPT, STREAM, affine(b"\x01\x02\x01" + line(offset=-math.inf))),
    ("encodings/affine/bytes_5", CORRUPT, STREAM, affine(b"\x01\x02\x01" + line(), integers=(5,))),
    ("encodings/affine/bytes_8_of_f32", CORRUPT, STREAM, affine(b"\x01\x02\x01" + line(), type_name="f32", integers=(8, 1, 2))),
    ("encodings/affine/integer_too_large", CORRUPT, STREAM, affine(b"\x01\x02\x01" + line(), integers=(8, 1, 1 << 51))),
    ("encodings/affine/too_many_exceptions", CORRUPT, STREAM, affine(b"\x01\x02\x01" + line(), b"\x03")),
    ("encodings/linear/weight_too_long", CORRUPT, STREAM, bad("u8", 2, tree(LINEAR + b"\x01\x01" + RAW, b"\x80\x80\x80\x80\x10\x01\x02"))),
    ("encodings/linear/row_0", CORRUPT, STREAM, bad("u8", 2, tree(LINEAR + b"\x01\x00" + RAW, b"\x02\x01\x02"))),
    ("encodings/linear/step_0", CORRUPT, STREAM, bad("u8", 2, tree(LINEAR + b"\x02\x03" + RAW, b"\x01\x00\x02\x02\x01\x02"))),
    ("encodings/linear/too_far", CORRUPT, STREAM, bad("u8", 2, tree(LINEAR + b"\x02\x03" + RAW, b"\x01\x80\x80\x40\x02\x02\x01\x02"))),
    ("encodings/context/step_is_row", CORRUPT, STREAM, bad("u8", 2, tree(CONTEXT + b"\x03\x03" + RAW, b"\x00\x01\x02\x01\x02"))),
    ("encodings/context/too_many_contexts", CORRUPT, STREAM, bad("u8", 2, tree(CONTEXT + b"\x03\x01" + RAW, b"\xfb\x01\x02\x01\x01\x01\x02"))),
    ("encodings/context/too_few_words", CORRUPT, STREAM, bad("u8", 2, tree(CONTEXT + b"\x03\x01" + RAW, b"\x00\x01\x01\x01\x02"))),
    ("encodings/context/too_many_words", CORRUPT, STREAM, bad("u8", 2, tree(CONTEXT + b"\x03\x01" + RAW, b"\x00\x02\x02\x01\x01\x02"))),
    ("encodings/context/word_not_there", CORRUPT, STREAM, bad("u8", 2, tree(CONTEXT + b"\x03\x01" + RAW, b"\x01\x01\x02\x01\x02"))),
    ("encodings/match/too_many_literals", CORRUPT, STREAM, match(b"\x04\x00\x01" + bytes(4))),
    ("encodings/match/too_many_sequences", CORRUPT, STREAM, match(b"\x02\x02\x01" + bytes(26))),
    ("encodings/match/farthest_behind_the_end", CORRUPT, STREAM, match(b"\x01\x01\x04" + b"\x05" + raw("u32", 1, 1, 0))),
    ("encodings/match/before_the_first_word", CORRUPT, STREAM, match(b"\x01\x01\x02" + b"\x05" + raw("u32", 1, 1, 1))),
    ("encodings/match/before_the_first_word_and_made_up_for", CORRUPT, STREAM, match(b"\x01\x03\x04" + b"\x05" + raw("u32", 1, 0, 0, 0, 0, 3, 0, 6, 1), 6)),
    ("encodings/match/beyond_the_farthest", CORRUPT, STREAM, match(b"\x02\x01\x01" + b"\x05\x06" + raw("u32", 2, 0, 1))),
    ("encodings/match/literals_lack", CORRUPT, STREAM, match(b"\x01\x01\x01" + b"\x05" + raw("u32", 2, 0, 0))),
    ("encodings/match/words_lack", CORRUPT, STREAM, match(b"\x01\x01\x01" + b"\x05" + raw("u32", 1, 0, 0))),
    ("encodings/match/effort_3", CORRUPT, STREAM, bad("u8", 3, tree(MATCH + b"\x03\x00" + 4 * RAW, b"\x03\x00\x00" + bytes(3)))),
    ("encodings/split/too_many_words", CORRUPT, STREAM, bad("u8", 2, tree(SPLIT + b"\x00" + 3 * RAW, b"\x03" + bytes(8)))),
    ("encodings/split/stencil", CORRUPT, STREAM, bad("u8", 2, tree(SPLIT + b"\x00" + 3 * RAW, b"\x01" + raw("bool", 1, 1) + raw("u8", 1, 2)))),
    ("encodings/split/kind_0_of_floats", CORRUPT, STREAM, bad("f32", 2, tree(SPLIT + b"\x00" + 3 * RAW, b"\x01" + raw("bool", 1, 0) + raw("f32", 1, 2)))),
    ("encodings/sparse/too_many_exceptions", CORRUPT, STREAM, bad("u8", 2, tree(SPARSE + RAW + RAW, b"\x07\x03" + bytes(27)))),
    ("encodings/stride_split/65600", CORRUPT, STREAM, bad("u8", 65, tree(STRIDE_SPLIT + varint(65600) + RAW, bytes(65)))),
    ("encodings/stride_split/one_part", CORRUPT, STREAM, bad("u8", 65, tree(STRIDE_SPLIT + b"\x41" + RAW, bytes(65)))),
    ("encodings/stride_split/bytes_end_early", CORRUPT, STREAM, bad("u8", 9, tree(STRIDE_SPLIT + b"\x44" + RAW, bytes(8)))),
    ("encodings/stride_split/bytes_are_left", CORRUPT, STREAM, bad("u8", 9, tree(STRIDE_SPLIT + b"\x44" + RAW, bytes(10)))),
    ("encodings/stride_split/65", CORRUPT, STREAM, bad("u8", 65, tree(STRIDE_SPLIT + b"\x41" + 65 * RAW, bytes(65)))),
    ("encodings/dict/no_entries", CORRUPT, STREAM, bad("u8", 2, tree(DICT + b"\x00\x09" + 3 * RAW, b"\x00\x02" + raw("u16", 0, 0) + b"\x01\x02"))),
    ("encodings/dict/more_entries_than_words", CORRUPT, STREAM, bad("u8", 2, tree(DICT + b"\x00\x09" + 3 * RAW, b"\x03\x00\x01\x02\x03" + raw("u16", 0, 1)))),
    ("encodings/dict/more_entries_than_most", CORRUPT, STREAM, bad("u8", 2, tree(DICT + b"\x00\x01" + 3 * RAW, b"\x02\x00\x01\x02" + raw("u16", 0, 1)))),
    ("encodings/dict/code", CORRUPT, STREAM, bad("u8", 2, tree(DICT + b"\x00\x09" + 3 * RAW, b"\x02\x00\x01\x02" + raw("u16", 0, 3)))),
    ("encodings/dict/exceptions_lack", CORRUPT, STREAM, bad("u8", 2, tree(DICT + b"\x00\x09" + 3 * RAW, b"\x01\x01\x01" + raw("u16", 1, 1) + b"\x05"))),
    ("encodings/entropy/mode_3", CORRUPT, STREAM, bad("u8", 2, entropy(control=0x38))),
    ("encodings/entropy/64_lanes", CORRUPT, STREAM, bad("u8", 2, entropy(control=0xC0, states=64 * (STATE,)))),
    ("encodings/entropy/reserved_bit", CORRUPT, STREAM, bad("u8", 2, entropy(raw_bits=0x80))),
    ("encodings/entropy/blocks_of_128", CORRUPT, STREAM, bad("u8", 2, entropy(size=7))),
    ("encodings/entropy/blocks_of_2_17", CORRUPT, STREAM, bad("u8", 2, entropy(size=17))),
    ("encodings/entropy/small_blocks_of_32_lanes", CORRUPT, STREAM, bad("u8", 2, entropy(control=0xA0, size=9, states=32 * (STATE,)))),
    ("encodings/entropy/base_of_rotated", CORRUPT, STREAM, bad("u8", 2, entropy(control=0x30, base=b"\x02"))),
    ("encodings/entropy/sum_of_frequencies", CORRUPT, STREAM, bad("u8", 2, entropy(table=b"\x00\x01\x1c\xfe\x07"))),
    ("encodings/entropy/frequency_4096", CORRUPT, STREAM, bad("u8", 2, entropy(table=b"\x00\x01\x0d\x00\x00"))),
    ("encodings/entropy/last_symbol_before_first", CORRUPT, STREAM, bad("u8", 2, entropy(table=TWO_SYMBOLS[1::-1] + TWO_SYMBOLS[2:]))),
    ("encodings/entropy/symbol_too_large", CORRUPT, STREAM, bad("u8", 2, entropy(table=b"\x09\x0a\x1c\xff\x07"))),
    ("encodings/entropy/raw_bits_too_many", CORRUPT, STREAM, bad("u8", 2, entropy(raw_bits=8, extra=bytes(4)))),
    ("encodings/entropy/start_in_directory", CORRUPT, STREAM, bad("u8", 2, entropy(directory=little(9, 2) + little(0, 2)))),
    ("encodings/entropy/start_behind_end", CORRUPT, STREAM, bad("u8", 2, entropy(directory=little(30, 2) + little(0, 2)))),
    ("encodings/entropy/extra_bits_behind_end", CORRUPT, STREAM, bad("u8", 2, entropy(directory=little(13, 2) + little(1, 2)))),
    ("encodings/entropy/words_lack", CORRUPT, STREAM, bad("u8", 2, entropy(states=(1, 1)))),
    ("encodings/entropy/states_at_end", CORRUPT, STREAM, bad("u8", 2, entropy(states=(1 << 20, STATE)))),
    ("encodings/entropy/extra_bits_lack", CORRUPT, STREAM, bad("u16", 16, entropy(raw_bits=3, extra=bytes(4)))),
    ("encodings/entropy/several_tables", CORRUPT, STREAM, bad("u8", 4096, entropy(control=0xA0, raw_bits=0x80, size=12, base=b"\x00\x01", table=2 * TWO_SYMBOLS + bytes(8), states=32 * (STATE,), unit=16))),
    ("encodings/multi_entropy/short", CORRUPT, STREAM, bad("u8", 2, entropy(raw_bits=0x80, base=b"\x00\x01", table=2 * TWO_SYMBOLS + bytes(1), node=MULTI_ENTROPY + b"\x02"))),
    ("encodings/multi_entropy/1_table", CORRUPT, STREAM, bad("u8", 4096, entropy(control=0xA0, raw_bits=0x80, size=12, base=b"\x00\x00", states=32 * (STATE,), unit=16, node=MULTI_ENTROPY + b"\x02"))),
    ("encodings/multi_entropy/16_tables", CORRUPT, STREAM, bad("u8", 4096, entropy(control=0xA0, raw_bits=0x80, size=12, base=b"\x00\x04", table=16 * TWO_SYMBOLS + bytes(32), states=32 * (STATE,), unit=16, node=MULTI_ENTROPY + b"\x02"))),
    ("encodings/multi_entropy/choices_lack", CORRUPT, STREAM, bad("u8", 4096, padded(tree(MULTI_ENTROPY + b"\x02", b"")) + padded(varint(15), 16) + b"\xa0\x80\x0c\x00\x01" + 2 * TWO_SYMBOLS)),
    ("encodings/multi_entropy/t_4", CORRUPT, STREAM, bad("u8", 2, entropy(node=MULTI_ENTROPY + b"\x04"))),
    ("encodings/narrow/digits_of_all", CORRUPT, STREAM, narrow(1, 0)),
    ("encodings/narrow/digits_23", CORRUPT, STREAM, narrow(23, 1)),
    ("encodings/narrow/no_significant_digits", CORRUPT, STREAM, narrow(0, 2)),
    ("encodings/narrow/16_significant_digits", CORRUPT, STREAM, narrow(16, 2)),
    ("encodings/narrow/which_3", CORRUPT, STREAM, narrow(1, 3)),
    ("encodings/narrow/of_f32", CORRUPT, STREAM, narrow(1, 1, type_name="f32")),
    ("encodings/narrow/infinity", CORRUPT, STREAM, narrow(0, 0, 1.0, math.inf)),
    ("encodings/narrow/no_number", CORRUPT, STREAM, narrow(6, 2, math.nan, 1.0)),
    ("encodings/narrow/product_2_51", CORRUPT, STREAM, narrow(0, 1, 1.0, 2.0**51)),
    ("encodings/narrow/product_too_small", CORRUPT, STREAM, narrow(22, 1, -1.0, 0.0)),
    ("encodings/narrow/too_many_exceptions", CORRUPT, STREAM, narrow(0, 0, exceptions=3)),
    ("encodings/entropy/16_lanes_of_4096_words", CORRUPT, STREAM, bad("u8", 4096, entropy(control=0x80, size=12, states=16 * (STATE,), unit=16))),
    ("encodings/entropy/ends_descend", CORRUPT, STREAM, bad("u8", 65537, entropy_of_sections(2, 1))),
    ("encodings/entropy/end_behind_payload", CORRUPT, STREAM, bad("u8", 65537, entropy_of_sections(2, 3))),
    ("encodings/entropy/ends_lack", CORRUPT, STREAM, bad("u8", (5 << 16) + 1, entropy_of_sections(1))),
    ("encodings/divide/divisor_too_large", CORRUPT, STREAM, bad("u8", 2, tree(DIVIDE + b"\x03\x07" + RAW + RAW, bytes(4)))),
    ("encodings/unique/no_entries", CORRUPT, STREAM, bad("u8", 2, tree(UNIQUE + RAW + RAW, b"\x00" + raw("u32", 0, 0)))),
    ("encodings/unique/code", CORRUPT, STREAM, bad("u8", 2, tree(UNIQUE + RAW + RAW, b"\x02\x01\x02" + raw("u32", 0, 2)))),
]

CASES = TREES + LEAVES + ENCODINGS
