#!/usr/bin/env python3
"""Decodes tables of time series: written from the pages in docs/format/series alone, to show that they say everything. Slow; for tests and for reading.

    floe_table.py TABLE > FILE       writes the CSV text or the binary records
    floe_table.py --info TABLE       says what the table holds, after checking and decoding all of it
"""

import datetime
import itertools
import struct

import command
from floe_frame import Truncated, UnsupportedVersion, align16, number, require_crc, require_zeros
from floe_series import TYPES, WIDTHS, decode_segment, signed
from floe_stages import Corrupt, require


class TooLarge(Exception):
    """A segment needs more memory than this decoder wants to take."""


ERROR_CODES = {Corrupt: "corrupt_frame", Truncated: "truncated_frame", UnsupportedVersion: "unsupported_version", TooLarge: "out_of_memory"}
FORMAT_ERRORS = tuple(ERROR_CODES)

CSV, RECORDS, COLUMNS = range(3)
TEXT_TYPE, TIME_TYPE = 0, 12
NATIVE, DECIMAL, FREE_DECIMAL, F32, F64, TIME, WORDS, TEXT = range(8)
MOST_ROWS = 1 << 20
LARGEST_HEADER = 1 << 26
MOST_PREAMBLE = 1 << 20
LAST_MARK, UNMARKED = 254, 255
MEMORY_LIMIT = 1 << 28  # bytes of words in a segment


# ---- header ---------------------------------------------------------------------------------------------------------------------


class Header:
    def __init__(self, table):
        if len(table) < 32:
            raise Truncated("the table is shorter than a header")
        require(table[0:4] == b"FLTB", "no table: it does not begin with FLTB")
        if table[4] != 1:
            raise UnsupportedVersion(f"format version {table[4]}")
        self.bytes = number(table, 8, 4)
        require(self.bytes % 16 == 0 and 32 <= self.bytes <= LARGEST_HEADER, "the header's length is impossible")
        if len(table) < self.bytes:
            raise Truncated("the table is shorter than its header")
        data = table[: self.bytes]
        end = self.bytes - 4
        require_crc(data, end, "the header")
        self.crc = number(data, end, 4)
        if number(data, 12, 4) != 0:
            raise UnsupportedVersion("a required feature")
        self.source, flags = data[5], data[6]
        require(self.source <= COLUMNS, "the source of the rows is unknown")
        is_csv = self.source == CSV
        require(flags <= 3 and (is_csv or flags == 0), "unknown flags of the header")
        self.line_end = b"\r\n" if flags & 1 else b"\n"
        self.separator = data[7:8]
        require((self.separator not in (b"\0", b"\n", b'"')) == is_csv and (is_csv or data[7] == 0), "the separator is impossible")
        column_count, self.padding_bytes, preamble_bytes = (number(data, at, 4) for at in (16, 20, 24))
        require(1 <= column_count <= 65536, "the number of columns is impossible")
        require(self.padding_bytes <= MOST_PREAMBLE and (self.source == RECORDS or self.padding_bytes == 0), "the padding is impossible")
        require(preamble_bytes <= MOST_PREAMBLE and (is_csv or preamble_bytes == 0), "the preamble is impossible")
        require_zeros(data[28:32], "a reserved number of the header is not zero")
        at = 32
        self.columns = []  # type, decimals, name
        for _ in range(column_count):
            name_bytes = number(data[:end], at + 4, 4)
            require(data[at] <= TIME_TYPE and data[at + 1] <= 40 and number(data, at + 2, 2) == 0 and name_bytes <= 65536, "a column makes no sense")
            require(is_csv or data[at] != TEXT_TYPE, "a column of texts among binary ones")
            require(at + 8 + name_bytes <= end, "a name lies beyond the end of the header")
            self.columns.append((data[at], data[at + 1], data[at + 8 : at + 8 + name_bytes]))
            at += 8 + name_bytes
        require(at + preamble_bytes <= end, "the preamble lies beyond the end of the header")
        self.preamble = data[at : at + preamble_bytes]
        at += preamble_bytes
        require(self.bytes == align16(at + 4), "the header is longer than its fields")
        require_zeros(data[at:end], "the padding of the header is not zero")


# ---- ways of writing ------------------------------------------------------------------------------------------------------------


class Writing:
    def __init__(self, data):
        (self.kind, flags, self.marked, self.decimals, self.least, self.scale, self.style, self.digits) = data[:8]
        (self.layout, date_separator, time_separator, self.fraction, self.zone) = data[8:13]
        self.date_separator, self.time_separator = chr(date_separator), chr(time_separator)
        require_zeros(data[13:16], "a reserved byte of a way of writing is not zero")
        require(self.kind <= TEXT and flags <= 7, "an unknown way of writing")
        self.is_quoted, self.has_marks, self.has_colon = bool(flags & 1), bool(flags & 2), bool(flags & 4)
        is_number = DECIMAL <= self.kind <= TIME
        require(is_number or flags & 3 == 0, "flags that do not belong to a way of writing")
        require(self.has_marks or self.marked == 0, "literals with marks, but no marks")
        require(self.marked <= LAST_MARK, "more literals with marks than there are marks")
        require(self.kind == DECIMAL or not any(data[3:6]), "digits that do not belong to a way of writing")
        require(self.decimals <= 18 and self.least <= self.decimals and self.scale <= self.decimals, "impossible digits")
        require(self.kind in (F32, F64) or not any(data[6:8]), "a style that does not belong to a way of writing")
        require(self.style <= 4 and self.digits <= (40 if self.style >= 2 else 0), "an impossible style")
        if self.kind == TIME:
            self.check_time()
        else:
            require(not any(data[8:13]) and not flags & 4, "fields of times that do not belong to a way of writing")

    def check_time(self):
        require(self.layout <= 3 and self.zone <= 127 and self.fraction <= 9, "an impossible way of writing times")
        require(self.fraction == 0 or self.layout == 2, "a fraction without seconds")
        require(self.date_separator in ("-" if self.layout == 3 else "-/"), "an impossible separator of dates")
        require(self.time_separator in ("T" if self.layout in (0, 3) else "Tt _"), "an impossible separator between date and time")
        require(self.zone == 0 or self.layout in (1, 2), "a zone without a time")
        require(self.has_colon or self.zone >= 2, "an offset without a colon where there is no offset")

    def stream_count(self):
        return {WORDS: 3, FREE_DECIMAL: 2, TEXT: 2}.get(self.kind, 1) + (3 if self.has_marks else 0)

    # ---- texts of numbers; `word` is unsigned, as in the stream

    def text(self, word, bits, decimals):
        if self.kind == DECIMAL:
            text = self.decimal(word, bits)
        elif self.kind == FREE_DECIMAL:
            text = decimal_text(signed(word, bits), decimals)
        elif self.kind == TIME:
            text = self.time(signed(word, bits))
        else:
            text = self.float(word, bits)
        return f'"{text}"' if self.is_quoted else text

    def decimal(self, word, bits):
        scaled = signed(signed(word, bits) * 10 ** (self.decimals - self.scale) % (1 << 64), 64)
        text = decimal_text(scaled, self.decimals)
        if self.decimals > 0:
            surplus = self.decimals - self.least
            kept = text[: len(text) - surplus] + text[len(text) - surplus :].rstrip("0") if surplus else text
            text = kept.rstrip(".") if self.least == 0 else kept
        return text

    def float(self, word, bits):
        packed = word.to_bytes(bits // 8, "little")
        (value,) = struct.unpack("<d" if bits == 64 else "<f", packed)
        if value != value or value in (float("inf"), float("-inf")):
            return ("-" if word >> (bits - 1) else "") + ("nan" if value != value else "inf")
        if self.style >= 2:
            return f"%.{self.digits}{'gef'[self.style - 2]}" % value
        sign, digits, exponent = shortest_digits(value, bits)
        scientific = f"{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
        fixed = fixed_text(value, digits, exponent)
        if self.style == 0:
            return sign + (fixed if len(fixed) <= len(scientific) else scientific)
        if exponent < -4 or exponent >= 16:
            return sign + scientific
        return sign + fixed + ("" if "." in fixed else ".0")

    def time(self, count):
        unit = {0: 86400, 1: 60, 2: 1, 3: 1}[self.layout]
        seconds, fraction = divmod(count, 10**self.fraction)
        days, second = divmod(seconds * unit, 86400)
        # 1970-01-01 is day 719163 of the calendar of the year 1; the year 0 has 366 days before that.
        require(-719528 <= days <= 2932896, "a time outside of the years 0 to 9999")
        is_year_0 = days < 1 - 719163
        date = datetime.date.fromordinal(days + 719163 + (146097 if is_year_0 else 0))
        year = date.year - (400 if is_year_0 else 0)
        clock = f"{second // 3600:02d}:{second // 60 % 60:02d}"
        if self.layout == 3:
            weekday = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[date.weekday()]
            month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[date.month - 1]
            return f"{weekday} {month} {date.day:2d} {clock}:{second % 60:02d} {year:04d}"
        text = f"{year:04d}{self.date_separator}{date.month:02d}{self.date_separator}{date.day:02d}"
        if self.layout > 0:
            text += self.time_separator + clock
        if self.layout == 2:
            text += f":{second % 60:02d}" + (f".{fraction:0{self.fraction}d}" if self.fraction else "")
        return text + self.zone_text()

    def zone_text(self):
        if self.zone < 2:
            return "Z" if self.zone else ""
        minutes = abs(self.zone - 64) * 15
        return f"{'-' if self.zone < 64 else '+'}{minutes // 60:02d}{':' if self.has_colon else ''}{minutes % 60:02d}"


def decimal_text(value, decimals):
    digits = f"{abs(value):0{decimals + 1}d}"
    point = len(digits) - decimals
    return ("-" if value < 0 else "") + digits[:point] + ("." + digits[point:] if decimals else "")


def shortest_digits(value, bits):
    """Sign, the fewest digits that read back as the same number (of those the nearest), and the exponent of the first one."""
    for count in range(1, 18):
        mantissa, _, exponent = f"{abs(value):.{count - 1}e}".partition("e")
        for nudge in (0, 1, -1):  # where a power of two begins, the nearest one may read back as the number below
            digits = int(mantissa.replace(".", "")) + nudge
            candidate = float(f"{digits}e{int(exponent) - count + 1}")
            if bits == 32:
                candidate = nearest_f32(candidate)
            if candidate == abs(value):
                text = str(digits)
                text_exponent = int(exponent) + len(text) - count
                return "-" if struct.pack("<d", value)[7] & 128 else "", text.rstrip("0") or "0", text_exponent
    raise AssertionError("17 digits always suffice")


def nearest_f32(value):
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf")


def fixed_text(value, digits, exponent):
    """Without an exponent; large whole numbers with all their digits."""
    if exponent >= len(digits) - 1:
        return str(int(abs(value)))
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    return digits[: exponent + 1] + "." + digits[exponent + 1 :]


# ---- segments -------------------------------------------------------------------------------------------------------------------


class Stream:
    """A stream entry, and when it is decoded its words."""

    def __init__(self, data, at, end):
        require(at + 24 <= end, "a stream entry lies beyond the end of the head")
        require(data[at] in TYPES, "a stream of an unknown type")
        require_zeros(data[at + 1 : at + 4], "a reserved byte of a stream is not zero")
        self.type, self.bits = TYPES[data[at]]
        self.crc, self.count, self.bytes = number(data, at + 4, 4), number(data, at + 8, 8), number(data, at + 16, 8)

    def decode(self, stored):
        require_crc(stored + self.crc.to_bytes(4, "little"), len(stored), "a stream")
        self.encodings = set()
        self.words = decode_segment(stored, self.type, self.count, self.encodings)

    def integers(self):
        return [signed(word, self.bits) if self.type.startswith("i") else word for word in self.words]


def is_unsigned(stream):
    return stream.type in ("u8", "u16", "u32")


def is_signed(stream):
    return stream.type in ("i8", "i16", "i32", "i64")


def texts_of(lengths, data):
    """Texts from their lengths and bytes."""
    require(sum(lengths.words) == len(data.words), "lengths do not add up to the bytes")
    content, ends = bytes(data.words), list(itertools.accumulate(lengths.words))
    return [content[end - length : end] for length, end in zip(lengths.words, ends, strict=True)]


class Column:
    """A column of a segment."""

    def __init__(self, data, at, end, header, column_type, rows):
        require(at + 40 <= end, "a column lies beyond the end of the head")
        self.rows = rows
        self.writing = Writing(data[at : at + 16])
        require((self.writing.kind == NATIVE) == (header.source != CSV), "a way of writing that does not go with the source of the rows")
        require(data[at + 16] <= 3, "an unknown kind of range")
        require_zeros(data[at + 17 : at + 24], "a reserved byte of a range is not zero")
        self.streams = [Stream(data, at + 40 + 24 * i, end) for i in range(self.writing.stream_count())]
        self.end = at + 40 + 24 * len(self.streams)
        self.marks = self.streams[-3:] if self.writing.has_marks else []
        self.check_streams(column_type)

    def check_streams(self, column_type):
        streams, kind = self.streams, self.writing.kind
        if kind == NATIVE:
            types = streams[0].type == (TYPES[column_type][0] if column_type != TIME_TYPE else "i64")
        elif kind in (F32, F64):
            types = streams[0].type == ("f32" if kind == F32 else "f64")
        elif kind in (WORDS, TEXT):
            types = is_unsigned(streams[0]) and streams[1].type == "u8" and (kind == TEXT or is_unsigned(streams[2]))
        else:
            types = is_signed(streams[0]) and (kind != FREE_DECIMAL or streams[1].type == "u8")
        if self.marks:
            types = types and self.marks[0].type == "u8" and is_unsigned(self.marks[1]) and self.marks[2].type == "u8"
        require(types, "a stream of a type that does not go with its column")
        per_row = {WORDS: streams[2:3], FREE_DECIMAL: streams[:2]}.get(kind, streams[:1]) + self.marks[:1]
        require(all(stream.count == self.rows for stream in per_row), "a stream has not a word for every row")

    def texts(self):
        """The cells as bytes."""
        if self.writing.kind in (WORDS, TEXT):
            texts = texts_of(self.streams[0], self.streams[1])
            if self.writing.kind == WORDS:
                require(all(code < len(texts) for code in self.streams[2].words), "a code without a word")
                texts = [texts[code] for code in self.streams[2].words]
            return texts
        decimals = self.streams[1].words if self.writing.kind == FREE_DECIMAL else itertools.repeat(0, self.rows)
        require(all(count <= 18 for count in decimals), "more digits than 18")
        if self.writing.kind != FREE_DECIMAL:
            decimals = itertools.repeat(0, self.rows)
        bits = self.streams[0].bits
        texts = [self.writing.text(word, bits, count).encode() for word, count in zip(self.streams[0].words, decimals, strict=True)]
        return self.with_literals(texts) if self.marks else texts

    def with_literals(self, texts):
        marks, literals = self.marks[0].words, texts_of(self.marks[1], self.marks[2])
        marked = self.writing.marked
        require(all(mark <= marked or mark == UNMARKED for mark in marks), "a mark of a literal that does not exist")
        require(len(literals) == marked + marks.count(UNMARKED), "not as many literals as marks say")
        unmarked = iter(literals[marked:])
        return [text if mark == 0 else next(unmarked) if mark == UNMARKED else literals[mark - 1] for text, mark in zip(texts, marks, strict=True)]


class Segment:
    """A segment whose head is checked. `data` is all of the segment's bytes."""

    def __init__(self, data, index, first_row, header):
        require(len(data) >= 56 and data[0:4] == b"FTSG", "a segment does not begin with FTSG")
        head_bytes = number(data, 4, 4)
        require(head_bytes % 16 == 0 and 56 <= head_bytes <= LARGEST_HEADER, "the length of a segment's head is impossible")
        require(head_bytes <= len(data), "a segment's head is longer than the segment")
        self.header = header
        end = head_bytes - 4
        head = data[:head_bytes]
        require_crc(head, end, "a segment's head")
        require(number(head, 8, 8) == index and number(head, 16, 8) == first_row, "a segment is not the next one")
        payload_bytes = number(head, 24, 8)
        self.rows, flags = number(head, 32, 4), number(head, 36, 4)
        require(self.rows <= MOST_ROWS and flags <= 7, "a segment's head makes no sense")
        self.lacks_line_end = bool(flags & 1)
        require(not self.lacks_line_end or (header.source == CSV and self.rows > 0), "a line end that lacks without a line")
        require(number(head, 40, 4) == len(header.columns), "a segment has another number of columns")
        require(number(head, 44, 4) == header.crc, "a segment belongs to another table")
        require_zeros(head[48:56], "a reserved number of a segment is not zero")
        at = 56
        self.strays = [Stream(head, at + 24 * i, end) for i in range(3 if flags & 2 else 0)]
        at += 24 * len(self.strays)
        self.padding = [Stream(head, at, end)] if flags & 4 else []
        at += 24 * len(self.padding)
        self.columns = []
        for column_type, _, _ in header.columns:
            self.columns.append(Column(head, at, end, header, column_type, self.rows))
            at = self.columns[-1].end
        require(head_bytes == align16(at + 4), "a segment's head is longer than its fields")
        require_zeros(head[at:end], "the padding of a segment's head is not zero")
        if self.strays:
            before, lengths, content = self.strays
            require((before.type, lengths.type, content.type) == ("u32", "u32", "u8") and before.count == lengths.count, "the stray lines make no sense")
        if self.padding:
            require(header.padding_bytes > 0 and self.padding[0].type == "u8", "padding that the header does not know")
            require(self.padding[0].count == self.rows * header.padding_bytes, "the padding has the wrong length")
        self.decode_streams(data[head_bytes:], payload_bytes)

    def decode_streams(self, payload, payload_bytes):
        streams = self.strays + self.padding + [stream for column in self.columns for stream in column.streams]
        require(sum(stream.bytes for stream in streams) == payload_bytes, "the streams do not fill the segment")
        require(payload_bytes == len(payload), "a segment does not end where the next part begins")
        if sum(stream.count * stream.bits // 8 for stream in streams) > MEMORY_LIMIT:
            raise TooLarge("the words of a segment need too much memory")
        ends = list(itertools.accumulate(stream.bytes for stream in streams))
        self.stored = [payload[end - stream.bytes : end] for stream, end in zip(streams, ends, strict=True)]
        for stream, stored in zip(streams, self.stored, strict=True):
            stream.decode(stored)

    def stray_lines(self):
        """For each place before a row, or behind the last one, its lines."""
        lines = [b""] * (self.rows + 1)
        if self.strays:
            before = self.strays[0].words
            require(before == sorted(before) and (not before or before[-1] <= self.rows), "the stray lines lie outside of their segment")
            for row, text in zip(before, texts_of(self.strays[1], self.strays[2]), strict=True):
                lines[row] += text
        return lines

    def content(self):
        lines = self.stray_lines()
        if self.header.source == CSV:
            cells = [column.texts() for column in self.columns]
            rows = [self.header.separator.join(row) + self.header.line_end for row in zip(*cells, strict=True)]
            if self.lacks_line_end:
                rows[-1] = rows[-1][: -len(self.header.line_end)]
        else:
            cells = [[word.to_bytes(column.streams[0].bits // 8, "little") for word in column.streams[0].words] for column in self.columns]
            size = self.header.padding_bytes
            padding = bytes(self.padding[0].words) if self.padding else bytes(self.rows * size)
            rows = [b"".join(row) + padding[i * size : (i + 1) * size] for i, row in enumerate(zip(*cells, strict=True))]
        return b"".join(text for pair in itertools.zip_longest(lines, rows, fillvalue=b"") for text in pair)


# ---- table ----------------------------------------------------------------------------------------------------------------------


class Table:
    """A decoded table: header, checked segments, content."""

    def __init__(self, table):
        self.header = Header(table)
        if len(table) < self.header.bytes + 48 or table[-8:-4] != b"TEND":
            raise Truncated("the table does not end with a footer")
        footer_bytes = number(table, len(table) - 16, 8)
        require(footer_bytes % 16 == 0 and 48 <= footer_bytes <= len(table) - self.header.bytes, "the footer's length is impossible")
        begin = len(table) - footer_bytes
        footer = table[begin:]
        require_crc(footer, footer_bytes - 4, "the footer")
        require(footer[0:4] == b"FTND", "the footer does not begin with FTND")
        require(number(footer, 4, 4) == self.header.crc, "the footer belongs to another table")
        self.rows, count = number(footer, 8, 8), number(footer, 16, 8)
        require_zeros(footer[24:32], "a reserved number of the footer is not zero")
        require(footer_bytes == 48 + 16 * count, "the footer has the wrong length")
        places = [(number(footer, 32 + 16 * i, 8), number(footer, 40 + 16 * i, 8)) for i in range(count)]
        require(places == sorted(places), "the places of the segments are not in order")
        require((places[0] if places else (begin, 0))[0] == self.header.bytes, "the first segment does not follow the header")
        self.segments, row = [], 0
        for index, (offset, first_row) in enumerate(places):
            end = places[index + 1][0] if index + 1 < count else begin
            require(offset < end <= begin and first_row == row, "the places of the segments are impossible")
            self.segments.append(Segment(table[offset:end], index, row, self.header))
            row += self.segments[-1].rows
        require(row == self.rows, "the footer counts other rows")
        self.content = self.header.preamble + b"".join(segment.content() for segment in self.segments)

    def encodings(self):
        """All encodings that were used, as classes of floe_series."""
        streams = [stream for segment in self.segments for column in segment.columns for stream in column.streams]
        return {encoding for stream in streams for encoding in stream.encodings}

    def info(self):
        names = ", ".join(name.decode(errors="replace") for _, _, name in self.header.columns)
        source = ("CSV text", "binary records", "columns in memory")[self.header.source]
        return f"source    {source}\ncolumns   {names}\nrows      {self.rows}\nsegments  {len(self.segments)}\ncontent   {len(self.content)} bytes"


def decode(data):
    """Decodes the bytes of one table. Raises one of FORMAT_ERRORS."""
    return Table(bytes(data))


if __name__ == "__main__":
    command.run("table", decode, ERROR_CODES)
