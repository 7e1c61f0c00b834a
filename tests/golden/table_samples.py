"""Small tables that between them have every encoding, every type and every way of writing; for golden files and for comparing decoders."""

import random
import struct

STRUCT_CODES = {"f64": "d", "f32": "f", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "bool": "B"}
TYPES = tuple(STRUCT_CODES)
# Trees that between them have every encoding and every kind of parameter, for types that take them.
INTEGER_TREES = (
    "raw", "bitpack", "entropy", "delta,bitpack", "delta(2),entropy", "delta(1,3),raw", "delta(2,5),bitpack", "rle,bitpack,delta,bitpack", "int_mult,bitpack", "split,rle,bitpack,bitpack,bitpack,entropy",
    "split(1),bitpack,bitpack,bitpack", "split(2),entropy,bitpack,bitpack", "split(3),bitpack,bitpack,raw", "sparse,bitpack,bitpack", "stride_split,bitpack,entropy", "stride_split(5),bitpack,raw,delta,bitpack,bitpack,bitpack",
    "dict,bitpack,entropy,raw", "dict(1,9),delta,bitpack,bitpack,bitpack", "codec({codec})",
)
FLOAT_TREES = (
    "raw", "decimal(2),delta,bitpack,bitpack,raw", "decimal(1),entropy,delta,bitpack,raw", "sortable,delta,bitpack", "rle,bitpack,raw", "dict,sortable,bitpack,bitpack,raw", "sparse,entropy,raw",
    "stride_split(3),raw,sortable,bitpack,raw", "split(2),bitpack,raw,raw", "codec({codec})", "codec({gfc})",
)  # fmt: skip
DOUBLE_TREES = ("decimal(2,8),bitpack,bitpack,raw",)
# Trees of what came later: with `divide`, and with a dictionary in the order of the first runs.
LATER_INTEGER_TREES = ("dict(2),delta,bitpack,bitpack,raw", "divide(7),delta,bitpack,bitpack", "divide(3,4),entropy,rle,bitpack,bitpack")
LATER_FLOAT_TREES = ("dict(2),raw,entropy,raw", "divide(1,20),delta,bitpack,entropy")
UNIQUE_INTEGER_TREES = ("unique,delta,bitpack,bitpack", "unique,bitpack,entropy", "unique,raw,rle,bitpack,delta,bitpack")
UNIQUE_FLOAT_TREES = ("unique,sortable,delta,bitpack,bitpack", "unique,raw,delta,entropy")
CODECS = {1: 7, 2: 8, 4: 1, 8: 2}
GFC = {4: 6, 8: 5}


def values_of(type_name, rows, generator):
    """A walk with runs, outliers and, for floats, words that are no decimals."""
    code = STRUCT_CODES[type_name]
    bits = 8 * struct.calcsize(code)
    values, value = [], 20
    for _ in range(rows):
        if generator.random() < 0.6:
            value = max(0, min(100, value + generator.randrange(-3, 4)))
        values.append(value)
    if type_name[0] == "f":
        values = [value / 4 if generator.random() < 0.97 else generator.choice([-0.0, float("nan"), float("inf"), 1 / 3, 5e-324]) for value in values]
    elif generator.random() < 0.8:
        extremes = (-(1 << bits - 1), (1 << bits - 1) - 1) if type_name[0] == "i" else ((1 << bits) - 1, 1 << bits - 1)
        values = [value if generator.random() < 0.99 else generator.choice(extremes) for value in values]
    return [struct.pack("<" + code, value) for value in values]


def later_trees_of(type_name):
    return LATER_INTEGER_TREES if type_name[0] != "f" else LATER_FLOAT_TREES


def unique_trees_of(type_name):
    return UNIQUE_INTEGER_TREES if type_name[0] != "f" else UNIQUE_FLOAT_TREES


def trees_of(type_name):
    size = struct.calcsize(STRUCT_CODES[type_name])
    trees = INTEGER_TREES if type_name[0] != "f" else FLOAT_TREES + (DOUBLE_TREES if size == 8 else ())
    return [tree.format(codec=CODECS[size], gfc=GFC.get(size)) for tree in trees]


def texts_of_all_writings():
    """CSV texts, each with the options that it is to be compressed with: (name, text, options)."""
    def column(cells):
        return [str(cell) for cell in cells]

    generator = random.Random(4)
    doubles = [generator.choice((1, -1)) * generator.random() * 10.0 ** generator.randrange(-30, 30) for _ in range(300)]
    doubles[:20] = [0.0, -0.0, 1e22, 1e23, 12345678901234567890.0, 5e-324, 1.7976931348623157e308, 2.0**-1022, 2.0**60, 1e-5, 1e-4, 1e16, 9007199254740993.0, 0.1, 100.0, 1e15, 123456.0, 1e100, 2.0**-1074, 3e-5]
    singles = [struct.unpack("<f", struct.pack("<f", value))[0] if abs(value) < 3e38 else 1.0 for value in doubles]
    numbers = range(300)
    tables = [
        [column(f"{value:.17g}" for value in doubles), column(f"{value:.9e}" for value in singles), column(f"{value:.3f}" for value in doubles[20:] + [0.5] * 20)],
        [column(repr(value) for value in doubles), column(f"{i * 37 % 1000 / 100:.2f}" for i in numbers), column(f"{i * 37 % 1000 / 100:g}" for i in numbers)],
        [column(f"{i * 12345:.{i % 4}f}" if i % 4 else i for i in numbers), column(f'"{i}"' for i in numbers), column("NA" if i % 5 == 0 else i for i in numbers)],
        [column(f"2016-02-{1 + i % 28:02d}" for i in numbers), column(f"2016/02/03 {i % 24:02d}:{i % 60:02d}" for i in numbers), column(f"0000-01-01T00:00:{i % 60:02d}Z" for i in numbers)],
        [column(f"9999-12-31 23:59:{i % 60:02d}.{i:06d}" for i in numbers), column(f"1969-12-31t10:00:{i % 60:02d}-0530" for i in numbers), column(f"2024-02-29T10:{i % 60:02d}:00+05:45" for i in numbers)],
        [column(f"Mon Feb  1 00:{i // 60:02d}:{i % 60:02d} 2016" for i in numbers), column(("north", "süd", "", '"a, b"')[i % 4] for i in numbers), column(f"text {i * 7919} of {i}" for i in numbers)],
    ]  # fmt: skip
    for number, columns in enumerate(tables):
        for name, line_end, separator, options in (("lf", "\n", ",", ()), ("crlf", "\r\n", ",", ("--segment-rows", "77")), ("open", "\n", ";", ("--separator", ";"))):
            text = line_end.join(separator.join(row) for row in zip(*columns)) + (line_end if name != "open" else "")
            text = separator.join("abc") + line_end + text.replace(line_end, line_end + "stray" + line_end + line_end, 3)
            yield f"writings_{number}_{name}", text.encode(), options


def text_of_many_kinds():
    """A text whose columns change their kind: its segment is cut into parts."""
    return b"".join(b"%d,%d\n" % (i * i % 1000 if i // 40000 % 2 else i, i % 7) for i in range(130000))
