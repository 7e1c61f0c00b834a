#!/usr/bin/env python3
"""Decodes floe frames, arrays and tables: written from the pages in docs/format alone, to show that they say everything. Slow; for tests and for reading.

    floe_decode.py FRAME > FILE      writes the elements as they were in memory (little-endian), the CSV text, or the binary records
    floe_decode.py --info FRAME      says what the frame holds, after checking and decoding all of it
"""

import argparse
import itertools
import os
import sys
from types import SimpleNamespace

from floe_bytes import ERROR_CODES, FORMAT_ERRORS, TooLarge, bytes_of, digest, require, require_zeros
from floe_cells import add_base, cells_of, texts_of
from floe_compact import CompactTable, body_of, is_compact
from floe_container import CSV, Footer, Header, SegmentHeader
from floe_registry import WIDTHS
from floe_text import BODY, TextTable
from floe_trees import Stream

MEMORY_LIMIT = 1 << 28  # bytes of words in a segment


class Segment:
    """A segment whose header and streams are checked. `data` is all of its bytes."""

    def __init__(self, data, index, first, count, header):
        self.header, self.entries = header, SegmentHeader(data, index, first, count, header)
        if sum(entry.count * WIDTHS[entry.type] for entry in self.entries.streams) > MEMORY_LIMIT:
            raise TooLarge("the words of a segment need too much memory")
        self.streams = []
        for entry, offset in zip(self.entries.streams, self.entries.offsets, strict=True):
            stored = data[offset : offset + entry.stored_bytes]
            require_zeros(data[offset + entry.stored_bytes : offset + -(-entry.stored_bytes // 16) * 16], "the padding of a stream is not zero")
            require(entry.count > 0 or entry.digest == 0, "a stream does not match its digest")
            self.streams.append(Stream(stored, entry.type, entry.count, entry.digest, header.has_checksums) if entry.count else None)

    def words(self):
        """Of all streams: malformed rows, padding, and columns, each with its entry."""
        streams = [stream.words if stream else [] for stream in self.streams]
        malformed, padding = len(self.entries.malformed), len(self.entries.padding)
        columns, rest = [], streams[malformed + padding :]
        for column in self.entries.columns:
            columns.append((column, rest[: len(column.streams)]))
            rest = rest[len(column.streams) :]
        for (column, words), base in zip(columns, self.entries.bases, strict=True):
            if base is not None:
                of_base, base_words = columns[base[0]]
                words[0] = add_base(words[0], 8 * WIDTHS[column.streams[0].type], base_words[0], of_base.streams[0].type, *base[1:])
        return streams[:malformed], streams[malformed : malformed + padding], columns

    def content(self):
        malformed, padding, columns = self.words()
        if not self.header.is_table:
            return bytes_of(columns[0][1][0], WIDTHS[self.header.dtype])
        rows = self.text_rows(columns) if self.header.source == CSV else self.records(columns, padding)
        lines = self.malformed_rows(malformed)
        return b"".join(text for pair in itertools.zip_longest(lines, rows, fillvalue=b"") for text in pair)

    def malformed_rows(self, malformed):
        """For each position before a row, or behind the last one, what stands there."""
        lines = [b""] * (self.entries.count + 1)
        if malformed:
            positions, lengths, content = malformed
            first = 0 if self.header.source == CSV else self.entries.count
            require(positions == sorted(positions) and positions[0] >= first and positions[-1] <= self.entries.count, "malformed rows lie where they cannot")
            for position, text in zip(positions, texts_of(lengths, content), strict=True):
                lines[position] += text
        return lines

    def text_rows(self, columns):
        cells = [cells_of(column.format, streams, [WIDTHS[entry.type] for entry in column.streams]) for column, streams in columns]
        rows = [self.header.separator.join(row) + self.header.line_end for row in zip(*cells, strict=True)]
        if self.entries.lacks_line_end:
            rows[-1] = rows[-1][: -len(self.header.line_end)]
        return rows

    def records(self, columns, padding):
        values = [[word.to_bytes(WIDTHS[column.streams[0].type], "little") for word in streams[0]] for column, streams in columns]
        size = self.header.padding_bytes
        behind = bytes(padding[0]) if padding else bytes(self.entries.count * size)
        return [b"".join(row) + behind[i * size : (i + 1) * size] for i, row in enumerate(zip(*values, strict=True))]


class Frame:
    """A decoded frame: header, footer, checked segments, and the content that comes back, without the prefix of an array."""

    def __init__(self, data):
        self.header = Header(data)
        self.footer = Footer(data, self.header)
        self.segments = []
        content = [self.header.prefix] if self.header.is_table else []
        for index, (begin, end, first, count) in enumerate(self.footer.segments):
            self.segments.append(Segment(data[begin:end], index, first, count, self.header))
            content.append(self.segments[-1].content())
        self.content = b"".join(content)
        digests = [entry.digest for segment in self.segments for entry in segment.entries.streams]
        require(self.footer.digest == digest(digests), "the digest of the frame does not match its streams")

    def streams(self):
        return [stream for segment in self.segments for stream in segment.streams if stream]

    def encodings(self):
        """Name and type of all nodes of trees that have words."""
        return {node for stream in self.streams() for node in stream.encodings()}

    def info(self):
        header = self.header
        leaves = [stream.leaf for stream in self.streams() if stream.leaf]
        if header.is_table:
            names = ", ".join(name.decode(errors="replace") for _, _, name in header.columns)
            lines = [f"source       {('CSV text', 'binary records', 'columns in memory')[header.source]}", f"columns      {names}", f"rows         {self.footer.element_count}"]
        else:
            lines = [f"type         {header.dtype}", f"shape        {' '.join(map(str, self.footer.shape)) or 'scalar'}"]
        lines += [
            f"checksums    {'yes' if header.has_checksums else 'no'}",
            f"prefix       {len(header.prefix)} bytes",
            f"content      {len(self.content)} bytes",
            f"segments     {len(self.segments)}",
            f"encodings    {' '.join(sorted({name for name, _ in self.encodings()}))}",
            f"leaf streams {len(leaves)}, of kind 1: {sum(leaf.kind for leaf in leaves)}; chunks {sum(len(leaf.modes) for leaf in leaves)}, coded: {sum(sum(leaf.modes) for leaf in leaves)}",
            f"digest       {self.footer.digest:016x}",
        ]
        return "\n".join(lines)


class CompactSegment(Segment):
    """All rows of a compact frame."""

    def __init__(self, table):
        self.header = table.description
        self.entries = SimpleNamespace(
            malformed=table.description.malformed, padding=[], columns=table.description.columns_of_segment, count=table.description.count, bases=table.description.bases, lacks_line_end=table.description.lacks_line_end
        )
        self.streams = table.streams


class CompactFrame(Frame):
    """A decoded compact frame."""

    def __init__(self, data):
        table = CompactTable(data)
        self.header, self.stored = table.description, list(table.stored.values())
        self.footer = SimpleNamespace(element_count=self.header.count, digest=0)
        self.segments = [CompactSegment(table)]
        self.content = self.header.prefix + self.segments[0].content()

    def streams(self):
        return self.stored


class TextFrame(Frame):
    """A decoded compact frame that holds a text."""

    def __init__(self, body):
        table = TextTable(body)
        self.header, self.content = table.description, table.content
        self.footer = SimpleNamespace(element_count=table.row_count, digest=0)
        self.segments = [SimpleNamespace(entries=SimpleNamespace(columns=[]))]

    def streams(self):
        return []


def decode(data):
    """Decodes the bytes of one frame. Raises one of FORMAT_ERRORS."""
    data = bytes(data)
    if not is_compact(data):
        return Frame(data)
    body = body_of(data)
    return TextFrame(body) if body.data[0] == BODY else CompactFrame(data)


def main():
    parser = argparse.ArgumentParser(description="Decode a floe frame.")
    parser.add_argument("frame", metavar="FRAME", help="file with one frame")
    parser.add_argument("--info", action="store_true", help="say what the frame holds")
    arguments = parser.parse_args()
    with open(arguments.frame, "rb") as file:
        data = file.read()
    try:
        frame = decode(data)
    except FORMAT_ERRORS as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {ERROR_CODES[type(error)]}: {error}")
    if arguments.info:
        print(frame.info())
    else:
        sys.stdout.buffer.write(frame.content)


if __name__ == "__main__":
    main()
