"""Cell formats and the texts of cells, from docs/format/cells.md."""

import datetime
import itertools
import struct

from floe_bytes import require, require_known, require_zeros, signed

NATIVE, DECIMAL, FREE_DECIMAL, F32, F64, TIME, WORDS, TEXT = range(8)
SHORTEST, REPR, GENERAL, SCIENTIFIC, FIXED = range(5)
DATE, MINUTES, SECONDS, CTIME = range(4)
MAX_LISTED, UNLISTED = 254, 255
UNSIGNED, SIGNED = ("u8", "u16", "u32"), ("i8", "i16", "i32", "i64")


class CellFormat:
    def __init__(self, data):
        (self.kind, flags, self.listed, self.decimals, self.least, self.scale, self.style, self.digits) = data[:8]
        (self.layout, date_separator, time_separator, self.fraction, self.zone) = data[8:13]
        self.date_separator, self.time_separator = chr(date_separator), chr(time_separator)
        require_known(self.kind <= TEXT, f"cell format {self.kind}")
        require(flags <= 7, "unknown flags of a cell format")
        self.is_quoted, self.has_exceptions = bool(flags & 1), bool(flags & 2)
        self.omits_zero = self.kind in (DECIMAL, FREE_DECIMAL) and bool(flags & 4)
        self.has_colon = bool(flags & 4) and not self.omits_zero
        require(DECIMAL <= self.kind <= TIME or flags & 3 == 0, "flags that do not belong to a cell format")
        require(self.has_exceptions or self.listed == 0, "listed exceptions, but no exceptions")
        require(self.listed <= MAX_LISTED, "more listed exceptions than there are marks")
        require(self.kind == DECIMAL or not any(data[3:6]), "digits that do not belong to a cell format")
        require(self.decimals <= 18 and self.least <= self.decimals and self.scale <= self.decimals, "impossible digits")
        require(self.kind in (F32, F64) or not any(data[6:8]), "a style that does not belong to a cell format")
        require(self.style <= FIXED and self.digits <= (40 if self.style >= GENERAL else 0), "an impossible style")
        if self.kind == TIME:
            self.check_time()
        else:
            require(not any(data[8:13]) and not self.has_colon, "fields of times that do not belong to a cell format")

    def check_time(self):
        require(self.layout <= CTIME and self.zone <= 127 and self.fraction <= 9, "an impossible format of times")
        require(self.fraction == 0 or self.layout == SECONDS, "a fraction without seconds")
        require(self.date_separator in ("-" if self.layout == CTIME else "-/"), "an impossible separator of dates")
        require(self.time_separator in ("T" if self.layout in (DATE, CTIME) else "Tt _"), "an impossible separator between date and time")
        require(self.zone == 0 or self.layout in (MINUTES, SECONDS), "a zone without a time")
        require(self.has_colon or self.zone >= 2, "an offset without a colon where there is no offset")

    def stream_count(self):
        return {WORDS: 3, FREE_DECIMAL: 2, TEXT: 2}.get(self.kind, 1) + (3 if self.has_exceptions else 0)

    # ---- texts of numbers; `word` is unsigned, as in the stream

    def text(self, word, bits, decimals):
        if self.kind == DECIMAL:
            text = self.decimal(word, bits)
        elif self.kind == FREE_DECIMAL:
            text = self.plain(signed(word, bits), decimals)
        elif self.kind == TIME:
            text = self.time(signed(word, bits))
        else:
            text = self.float(word, bits)
        return f'"{text}"' if self.is_quoted else text

    def decimal(self, word, bits):
        scaled = signed(signed(word, bits) * 10 ** (self.decimals - self.scale) % (1 << 64), 64)
        decimals = self.decimals
        while decimals > self.least and scaled % 10 == 0:
            scaled //= 10
            decimals -= 1
        return self.plain(scaled, decimals)

    def plain(self, value, decimals):
        text = decimal_text(value, decimals)
        return text.replace("0.", ".", 1) if self.omits_zero and text.lstrip("-").startswith("0.") else text

    def float(self, word, bits):
        packed = word.to_bytes(bits // 8, "little")
        (value,) = struct.unpack("<d" if bits == 64 else "<f", packed)
        if value != value or value in (float("inf"), float("-inf")):
            return ("-" if word >> (bits - 1) else "") + ("nan" if value != value else "inf")
        if self.style >= GENERAL:
            return f"%.{self.digits}{'gef'[self.style - GENERAL]}" % value
        sign, digits, exponent = shortest_digits(value, bits)
        scientific = f"{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
        fixed = fixed_text(value, digits, exponent)
        if self.style == SHORTEST:
            return sign + (fixed if len(fixed) <= len(scientific) else scientific)
        if exponent < -4 or exponent >= 16:
            return sign + scientific
        return sign + fixed + ("" if "." in fixed else ".0")

    def time(self, count):
        unit = {DATE: 86400, MINUTES: 60, SECONDS: 1, CTIME: 1}[self.layout]
        seconds, fraction = divmod(count, 10**self.fraction)
        days, second = divmod(seconds * unit, 86400)
        # 1970-01-01 is day 719163 of the calendar of the year 1; the year 0 has 366 days before that.
        require(-719528 <= days <= 2932896, "a time outside of the years 0 to 9999")
        is_year_0 = days < 1 - 719163
        date = datetime.date.fromordinal(days + 719163 + (146097 if is_year_0 else 0))
        year = date.year - (400 if is_year_0 else 0)
        clock = f"{second // 3600:02d}:{second // 60 % 60:02d}"
        if self.layout == CTIME:
            weekday = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[date.weekday()]
            month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[date.month - 1]
            return f"{weekday} {month} {date.day:2d} {clock}:{second % 60:02d} {year:04d}"
        text = f"{year:04d}{self.date_separator}{date.month:02d}{self.date_separator}{date.day:02d}"
        if self.layout != DATE:
            text += self.time_separator + clock
        if self.layout == SECONDS:
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
    """Without an exponent; whole numbers with all their digits."""
    if exponent >= len(digits) - 1:
        return str(int(abs(value)))
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    return digits[: exponent + 1] + "." + digits[exponent + 1 :]


# ---- streams of columns ---------------------------------------------------------------------------------------------------------


def has_whole_numbers(column):
    """Whether a column can have a base column, or be one."""
    return column.format.kind in (DECIMAL, TIME) or (column.format.kind == NATIVE and column.streams[0].type[0] in "iub" and column.streams[0].type != "bf16")


def add_base(words, bits, base_words, base_type, multiplier, divisor):
    """Numbers from differences: words plus what the numbers of the base column say."""
    base_bits = 8 if base_type == "bool" else int(base_type[1:])
    numbers = [signed(word, base_bits) if base_type[0] == "i" else word for word in base_words]
    terms = [signed(number * multiplier % (1 << 64), 64) // divisor for number in numbers]
    return [(word + term) % (1 << bits) for word, term in zip(words, terms, strict=True)]


def check_streams(cell_format, streams, type_name, rows):
    """Types and lengths of the streams of a column."""
    kind, exceptions = cell_format.kind, streams[-3:] if cell_format.has_exceptions else []
    expected = {
        NATIVE: [("i64" if type_name == "time" else type_name,)],
        DECIMAL: [SIGNED],
        FREE_DECIMAL: [SIGNED, ("u8",)],
        F32: [("f32",)],
        F64: [("f64",)],
        TIME: [SIGNED],
        WORDS: [UNSIGNED, ("u8",), UNSIGNED],
        TEXT: [UNSIGNED, ("u8",)],
    }[kind] + ([("u8",), UNSIGNED, ("u8",)] if exceptions else [])
    require(all(stream.type in types for stream, types in zip(streams, expected, strict=True)), "a stream of a type that does not go with its column")
    per_row = {WORDS: streams[2:3], FREE_DECIMAL: streams[:2]}.get(kind, streams[:1]) + exceptions[:1]
    require(all(stream.count == rows for stream in per_row), "a stream has not a word for every row")
    require(kind != WORDS or streams[0].count <= rows, "more words than rows")
    require(not exceptions or exceptions[1].count <= rows + MAX_LISTED, "more exceptions than rows and marks")


def range_kind(cell_format, streams):
    """Of the numbers of a column: 0 none, 1 signed, 2 unsigned, 3 floating-point."""
    if cell_format.kind == NATIVE:
        type_name = streams[0].type
        return 3 if "f" in type_name else 1 if type_name in SIGNED else 2
    return {DECIMAL: 1, TIME: 1, FREE_DECIMAL: 3, F32: 3, F64: 3}.get(cell_format.kind, 0)


def texts_of(lengths, content):
    """Texts from the words of their lengths and of their bytes."""
    require(sum(lengths) == len(content), "lengths do not add up to the bytes")
    content, ends = bytes(content), itertools.accumulate(lengths)
    return [content[end - length : end] for length, end in zip(lengths, ends, strict=True)]


def cells_of(cell_format, streams, widths):
    """The cells of a column of CSV text, as bytes: from the words of its streams, and how many bytes a word of each has."""
    rows = len(streams[2 if cell_format.kind == WORDS else 0])
    if cell_format.kind in (WORDS, TEXT):
        texts = texts_of(streams[0], streams[1])
        if cell_format.kind == WORDS:
            require(all(code < len(texts) for code in streams[2]), "a code without a word")
            texts = [texts[code] for code in streams[2]]
        return texts
    decimals = streams[1] if cell_format.kind == FREE_DECIMAL else [0] * rows
    require(all(count <= 18 for count in decimals), "more digits than 18")
    texts = [cell_format.text(word, 8 * widths[0], count).encode() for word, count in zip(streams[0], decimals, strict=True)]
    return with_exceptions(cell_format, texts, *streams[-3:]) if cell_format.has_exceptions else texts


def with_exceptions(cell_format, texts, marks, lengths, content):
    exceptions = texts_of(lengths, content)
    require(all(mark <= cell_format.listed or mark == UNLISTED for mark in marks), "a mark of an exception that does not exist")
    require(len(exceptions) == cell_format.listed + marks.count(UNLISTED), "not as many exceptions as marks say")
    unlisted = iter(exceptions[cell_format.listed :])
    return [text if mark == 0 else next(unlisted) if mark == UNLISTED else exceptions[mark - 1] for text, mark in zip(texts, marks, strict=True)]
