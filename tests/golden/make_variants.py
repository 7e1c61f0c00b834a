#!/usr/bin/env python3
"""Writes the frames of reject/ and newer/ that do not exist yet, and their manifests.

Every one of reject/ is a golden frame with one thing wrong. Unless it is a checksum that is wrong, all checksums are made right again, so
that a decoder has to find the thing itself. Those of newer/ are golden frames with something that decoders of version 1 have to skip.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "reference_decoder"))

from floe_frame import align16, chunk_checksum, crc32c, digest  # noqa: E402


class Draft:
    """A golden frame that is being changed. Positions are those of docs/format/frame.md."""

    def __init__(self, name):
        self.bytes = bytearray((HERE / "v1" / f"{name}.floe").read_bytes())

    def get(self, at, size):
        return int.from_bytes(self.bytes[at : at + size], "little")

    def put(self, at, size, value):
        self.bytes[at : at + size] = value.to_bytes(size, "little")

    @property
    def header_bytes(self):
        return self.get(20, 4)

    @property
    def footer(self):
        return len(self.bytes) - self.get(len(self.bytes) - 16, 8)

    @property
    def segments(self):
        """Where each segment begins, and the end of the last one."""
        footer = self.footer
        return [self.get(footer + 40 + 8 * i, 8) for i in range(self.get(footer + 32, 8))] + [footer]

    def table(self, segment):
        """Of a segment of up to 256 chunks: the places of checksums, stored bytes and modes, and the number of chunks."""
        begin = self.segments[segment]
        count = self.get(begin + 32, 4)
        assert count <= 256
        return begin + 48, begin + 48 + 4 * count, begin + 48 + 6 * count, count

    def payload(self, segment):
        """Where the first payload of a segment begins."""
        begin = self.segments[segment]
        return begin + self.get(begin + 4, 4)

    def seal_chunks(self):
        """The chunk checksums and the digest."""
        digested = []
        for segment in range(len(self.segments) - 1):
            checksums, stored_bytes, modes, count = self.table(segment)
            at = self.payload(segment)
            for chunk in range(count):
                stored = self.get(stored_bytes + 2 * chunk, 2)
                checksum = chunk_checksum(self.bytes[at : at + align16(stored)])
                digested.append((checksum, stored, self.get(modes + chunk, 1)))
                self.put(checksums + 4 * chunk, 4, checksum)
                at += align16(stored)
        self.put(self.footer + 24, 8, digest(digested))
        return self

    def seal(self):
        """The CRCs of the header, the segment heads and the footer."""
        header = self.header_bytes
        self.put(header - 4, 4, crc32c(self.bytes[: header - 4]))
        for begin in self.segments[:-1]:
            self.put(begin + 40, 4, self.get(header - 4, 4))
            end = begin + self.get(begin + 4, 4) - 4
            self.put(end, 4, crc32c(self.bytes[begin:end]))
        end = len(self.bytes) - 8
        self.put(end, 4, crc32c(self.bytes[self.footer : end]))
        return self


def changed(name, at, size, value):
    """A golden frame with one number of its header changed."""
    draft = Draft(name)
    draft.put(at, size, value)
    return draft.seal()


def changed_head(name, at, size, value):
    """The same for the first segment's head."""
    draft = Draft(name)
    draft.put(draft.segments[0] + at, size, value)
    return draft.seal()


def changed_footer(name, at, size, value):
    """The same for the footer; a negative place counts from its end."""
    draft = Draft(name)
    draft.put((draft.footer if at >= 0 else len(draft.bytes)) + at, size, value)
    return draft.seal()


def changed_table(name, column, value):
    """The same for the first chunk's entry: column 1 is its stored bytes, 2 its mode."""
    draft = Draft(name)
    draft.put(draft.table(0)[column], 2 if column == 1 else 1, value)
    return draft.seal()


def changed_payload(name, at, size, value):
    """The same for the first payload, whose checksum is made right."""
    draft = Draft(name)
    draft.put(draft.payload(0) + at, size, value)
    return draft.seal_chunks().seal()


def flipped(name, at, bit=0):
    """A golden frame with one bit flipped and no checksum made right; a negative place counts from the end."""
    draft = Draft(name)
    draft.bytes[at] ^= 1 << bit
    return draft


def cut(name, bytes_kept):
    draft = Draft(name)
    del draft.bytes[bytes_kept:]
    return draft


def with_garbage():
    draft = Draft("spspeed_f32")
    draft.bytes += b"garbage."
    return draft


def with_swapped_segments():
    draft = Draft("spspeed_segments")
    first, second, third = draft.segments[:3]
    assert second - first == third - second
    draft.bytes[first:third] = draft.bytes[second:third] + draft.bytes[first:second]
    return draft


def with_segment_of_another_frame():
    draft = Draft("spspeed_f32")
    begin = draft.segments[0]
    draft.put(begin + 40, 4, draft.get(begin + 40, 4) ^ 1)
    end = begin + draft.get(begin + 4, 4) - 4
    draft.put(end, 4, crc32c(draft.bytes[begin:end]))
    return draft


def with_two_fields_swapped():
    draft = Draft("prefix_no_checksums")
    first, second = draft.bytes[28:52], draft.bytes[52:68]
    draft.bytes[28:68] = second + first
    return draft.seal()


def with_payload_padding():
    draft = Draft("spspeed_f32")
    stored = draft.get(draft.table(0)[1], 2)
    assert stored % 16 != 0
    draft.put(draft.payload(0) + stored, 1, 1)
    return draft.seal_chunks().seal()


def with_wrong_levels():
    """More bytes of the last level than there are before it."""
    draft = Draft("rank_2")
    stored = draft.get(draft.table(0)[1], 2)
    draft.put(draft.payload(0) + stored - 6, 4, 0xFFFFFFFF)
    return draft.seal_chunks().seal()


def with_far_distance():
    """Six words of which the chunk holds values and distances, stored raw; the distances are noise."""
    draft = Draft("raw_f64")
    begin, footer = draft.segments
    draft.put(begin + 16, 8, 48)
    draft.put(begin + 36, 1, 1)
    draft.put(footer + 8, 8, 6)
    draft.put(footer + 16, 8, 6)
    return draft.seal()


def with_wrong_group_offset():
    draft = Draft("dpratio_258_chunks")
    at = draft.segments[0] + 48
    draft.put(at, 8, draft.get(at, 8) + 16)
    return draft.seal()


def with_field(part, tag):
    """A field of 8 bytes in the header, the segment head or the footer; 16 bytes with its own head, so that all stays aligned."""
    draft = Draft("spspeed_f32")
    segment, footer = draft.segments
    at = {"header": 28, "segment": segment + 48, "footer": footer + 48}[part]
    draft.bytes[at:at] = tag.to_bytes(2, "little") + bytes(2) + (8).to_bytes(4, "little") + b"newfield"
    if part == "header":
        draft.put(20, 4, draft.header_bytes + 16)
        segment += 16
        draft.put(draft.footer + 40, 8, segment)
    elif part == "segment":
        draft.put(segment + 4, 4, draft.get(segment + 4, 4) + 16)
        draft.put(segment + 44, 4, 16)
    else:
        draft.put(footer + 4, 4, 16)
        draft.put(len(draft.bytes) - 16, 8, draft.get(len(draft.bytes) - 16, 8) + 16)
    return draft.seal()


def with_long_header():
    draft = Draft("spspeed_f32")
    draft.bytes[28:28] = bytes(16)
    draft.put(20, 4, draft.header_bytes + 16)
    draft.put(draft.footer + 40, 8, draft.header_bytes)
    return draft.seal()


CORRUPT, TRUNCATED, VERSION, CODEC = "corrupt_frame", "truncated_frame", "unsupported_version", "unsupported_codec"

# New rows go to the end. Rows are never changed or taken out: their files stay.
REJECT = {
    "nothing": (TRUNCATED, lambda: cut("spspeed_f32", 0)),
    "cut_in_header": (TRUNCATED, lambda: cut("spspeed_f32", 31)),
    "cut_in_segment": (TRUNCATED, lambda: cut("spspeed_f32", 200)),
    "cut_in_footer": (TRUNCATED, lambda: cut("spspeed_f32", -1)),
    "trailing_garbage": (TRUNCATED, with_garbage),
    "wrong_magic": (CORRUPT, lambda: changed("spspeed_f32", 0, 4, 0x454F4C47)),
    "unknown_version": (VERSION, lambda: changed("spspeed_f32", 4, 1, 2)),
    "unknown_required_feature": (VERSION, lambda: changed("spspeed_f32", 8, 4, 0x80000001)),
    "unknown_required_field": (VERSION, lambda: changed("prefix", 28, 2, 0x9001)),
    "unknown_element_type": (VERSION, lambda: changed("spspeed_f32", 5, 1, 13)),
    "unknown_chunk_size": (VERSION, lambda: changed("spspeed_f32", 7, 1, 15)),
    "unknown_codec": (CODEC, lambda: changed("spspeed_f32", 24, 2, 999)),
    "codec_of_other_words": (CORRUPT, lambda: changed("spspeed_f32", 24, 2, 2)),
    "rank_9": (CORRUPT, lambda: changed("rank_8", 6, 1, 9)),
    "segments_of_no_chunks": (CORRUPT, lambda: changed("spspeed_f32", 16, 4, 0)),
    "header_bit": (CORRUPT, lambda: flipped("prefix", 40)),
    "header_reserved": (CORRUPT, lambda: changed("spspeed_f32", 26, 2, 1)),
    "field_padding": (CORRUPT, lambda: changed("prefix", 28 + 8 + 26, 1, 1)),
    "fields_not_ascending": (CORRUPT, with_two_fields_swapped),
    "field_beyond_header": (CORRUPT, lambda: changed("prefix", 32, 4, 1000)),
    "dimensionality_0": (CORRUPT, lambda: changed("gfc_u32", 36, 1, 0)),
    "dimensionality_33": (CORRUPT, lambda: changed("gfc_u32", 36, 1, 33)),
    "gfc_without_parameters": (CORRUPT, lambda: changed("spspeed_f32", 24, 2, 6)),
    "parameters_without_gfc": (CORRUPT, lambda: changed("gfc_u32", 24, 2, 1)),
    "segment_bit": (CORRUPT, lambda: flipped("spspeed_f32", 32 + 49)),
    "segment_index": (CORRUPT, lambda: changed_head("spspeed_f32", 8, 8, 1)),
    "segment_content_bytes": (CORRUPT, lambda: changed_head("spspeed_f32", 16, 8, 404)),
    "segment_payload_bytes": (CORRUPT, lambda: changed_head("spspeed_f32", 24, 8, 16)),
    "segment_chunk_count": (CORRUPT, lambda: changed_head("spspeed_f32", 32, 4, 2)),
    "segment_reserved": (CORRUPT, lambda: changed_head("spspeed_f32", 38, 1, 1)),
    "segment_kind_1_without_history": (CORRUPT, lambda: changed_head("dpspeed_f64", 36, 1, 1)),
    "segment_kind_2": (CORRUPT, lambda: changed_head("dpratio_f64_history", 36, 1, 2)),
    "segments_swapped": (CORRUPT, with_swapped_segments),
    "segment_of_another_frame": (CORRUPT, with_segment_of_another_frame),
    "group_offset": (CORRUPT, with_wrong_group_offset),
    "stored_bytes_0": (CORRUPT, lambda: changed_table("spspeed_f32", 1, 0)),
    "stored_bytes_as_raw": (CORRUPT, lambda: changed_table("spspeed_f32", 1, 400)),
    "raw_but_shorter": (CORRUPT, lambda: changed_table("spspeed_f32", 2, 0)),
    "mode_2": (CORRUPT, lambda: changed_table("spspeed_f32", 2, 2)),
    "payload_bit": (CORRUPT, lambda: flipped("raw_u8", 32 + 64)),
    "payload_padding": (CORRUPT, with_payload_padding),
    "bit_pack_width_33": (CORRUPT, lambda: changed_payload("spspeed_f32", 6, 1, 33)),
    "bit_pack_other_length": (CORRUPT, lambda: changed_payload("spspeed_f32", 4, 2, 396)),
    "drop_zeros_levels": (CORRUPT, with_wrong_levels),
    "distance_before_first_word": (CORRUPT, with_far_distance),
    "footer_bit": (CORRUPT, lambda: flipped("spspeed_f32", -40)),
    "digest": (CORRUPT, lambda: changed_footer("spspeed_f32", 24, 8, 1)),
    "element_count": (CORRUPT, lambda: changed_footer("spspeed_f32", 16, 8, 99)),
    "scalar_of_two": (CORRUPT, lambda: changed_footer("rank_0", 8, 8, 2)),
    "segment_offset": (CORRUPT, lambda: changed_footer("spspeed_f32", 40, 8, 48)),
    "footer_length": (CORRUPT, lambda: flipped("spspeed_f32", -16, 4)),
    "header_longer_than_its_fields": (CORRUPT, with_long_header),
    "required_field_of_segment": (VERSION, lambda: with_field("segment", 0x8000)),
    "required_field_of_footer": (VERSION, lambda: with_field("footer", 0xFFFF)),
    "segment_field_bytes": (CORRUPT, lambda: changed_head("spspeed_f32", 44, 4, 4)),
    "footer_field_bytes": (CORRUPT, lambda: changed_footer("spspeed_f32", 4, 4, 8)),
}

# Beside each: the golden frame with the same content.
NEWER = {
    "optional_feature": ("spspeed_f32.floe", lambda: changed("spspeed_f32", 12, 4, 0x80000001)),
    "field_of_header": ("spspeed_f32.floe", lambda: with_field("header", 0x7FFF)),
    "field_of_segment": ("spspeed_f32.floe", lambda: with_field("segment", 0x0001)),
    "field_of_footer": ("spspeed_f32.floe", lambda: with_field("footer", 0x0002)),
}


def write_new(folder, column, cases):
    folder.mkdir(exist_ok=True)
    manifest = folder / "manifest.csv"
    if not manifest.exists():
        manifest.write_text(f"file,{column}\n")
    for name, (expected, make) in cases.items():
        path = folder / f"{name}.floe"
        if not path.exists():
            path.write_bytes(make().bytes)
            with manifest.open("a") as file:
                file.write(f"{path.name},{expected}\n")


if __name__ == "__main__":
    write_new(HERE / "reject", "error", REJECT)
    write_new(HERE / "newer", "content_of", NEWER)
