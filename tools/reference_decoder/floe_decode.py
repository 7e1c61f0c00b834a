#!/usr/bin/env python3
"""Decodes floe frames: written from the pages in docs/format alone, to show that they say everything. Slow; for tests and for reading.

    floe_decode.py FRAME > ARRAY     writes the elements, as they were in memory (little-endian)
    floe_decode.py --info FRAME      says what the frame holds, after checking and decoding all of it
"""

import command
from floe_frame import Corrupt, Footer, Header, Segment, Truncated, UnsupportedCodec, UnsupportedVersion, digest, require

# The names that floe gives to these errors.
ERROR_CODES = {Corrupt: "corrupt_frame", Truncated: "truncated_frame", UnsupportedVersion: "unsupported_version", UnsupportedCodec: "unsupported_codec"}
FORMAT_ERRORS = tuple(ERROR_CODES)


class Frame:
    """A decoded frame: dtype, shape, codec, prefix, content and the checked segments."""

    def __init__(self, data):
        header = Header(data)
        footer = Footer(data, header)
        self.dtype = header.dtype
        self.shape = footer.shape
        self.codec = header.codec.name
        self.dimensionality = header.dimensionality
        self.has_checksums = header.has_checksums
        self.prefix = header.prefix
        self.digest = footer.digest

        self.segments = []
        content = []
        ends = footer.segment_offsets[1:] + [footer.offset]
        for index, (begin, end) in enumerate(zip(footer.segment_offsets, ends)):
            require(begin < end <= footer.offset, "the offsets of the segments are impossible")
            content_bytes = min(header.segment_bytes(), footer.content_bytes - index * header.segment_bytes())
            segment = Segment(data[begin:end], index, content_bytes, header)
            self.segments.append(segment)
            content.append(segment.decode())
        self.content = b"".join(content)

        entries = [entry for segment in self.segments for entry in zip(segment.checksums, segment.stored_bytes, segment.modes)]
        require(self.digest == digest(entries), "the digest does not match the chunks")

    def info(self):
        modes = [mode for segment in self.segments for mode in segment.modes]
        lines = [
            f"dtype           {self.dtype}",
            f"shape           {' '.join(map(str, self.shape)) or 'scalar'}",
            f"codec           {self.codec}",
            f"dimensionality  {self.dimensionality}",
            f"checksums       {'yes' if self.has_checksums else 'no'}",
            f"prefix bytes    {len(self.prefix)}",
            f"content bytes   {len(self.content)}",
            f"segments        {len(self.segments)}, of kind 1: {sum(segment.kind for segment in self.segments)}",
            f"chunks          {len(modes)}, coded: {sum(modes)}",
            f"digest          {self.digest:016x}",
        ]
        return "\n".join(lines)


def decode(data):
    """Decodes the bytes of one frame. Raises one of FORMAT_ERRORS."""
    return Frame(bytes(data))


if __name__ == "__main__":
    command.run("frame", decode, ERROR_CODES)
