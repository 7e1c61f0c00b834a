"""Tables whose cell formats or cells contradict docs/format/cells.md: name, error, where, frame."""

from frame_draft import NATIVE, NO_RANGE, cell_format, raw_stream, table, value_range

CORRUPT, VERSION = "corrupt_frame", "unsupported_version"
ENTRY, STREAM = ("segment", 48), ("stream", 0)
DATE = (0, "-", "T", 0, 0)


def column(cells, *streams, rows=2):
    """A table of text with one column, whose streams are pairs of a type and words."""
    return lambda: table(0, ["text"], rows, [(cells, NO_RANGE, [raw_stream(*stream) for stream in streams])])


def format_of(*arguments, **named):
    """A cell format that is wrong; its column has two numbers, and exceptions if it says so."""
    cells = cell_format(*arguments, **named)
    exceptions = [("u8", [0, 0]), ("u8", []), ("u8", [])] if cells[1] & 2 else []
    return column(cells, ("i8", [1, 2]), *exceptions)


def time(layout, *streams, **changes):
    fields = dict(zip(("date", "time", "fraction", "zone"), ("-", "T", 0, 0), strict=True)) | changes
    return format_of(5, 4, time=(layout, fields["date"], fields["time"], fields["fraction"], fields["zone"]))


def exceptions(marks, lengths, content, listed=0):
    return column(cell_format(1, 2, listed), ("i8", [1, 2]), ("u8", marks), ("u8", lengths), ("u8", content))


def malformed(positions, lengths, content, source=0):
    if source == 0:
        columns = [(cell_format(1), NO_RANGE, [raw_stream("i8", [1, 2])])]
    else:
        columns = [(NATIVE, NO_RANGE, [raw_stream("i8", [1, 2])])]
    extra = [raw_stream("u32", positions), raw_stream("u32", lengths), raw_stream("u8", content)]
    return lambda: table(source, ["i8"], 2, columns, flags=2, extra=extra)


def zone_128():
    cells = bytearray(cell_format(5, 4, time=(1, "-", "T", 0, 0)))
    cells[12] = 128
    return column(bytes(cells), ("i8", [1, 2]))()


FORMATS = [
    ("formats/kind_8", VERSION, ENTRY, format_of(8)),
    ("formats/native_in_text", CORRUPT, ENTRY, format_of(0)),
    ("formats/decimals_in_records", CORRUPT, ENTRY, lambda: table(1, ["i8"], 2, [(cell_format(1), NO_RANGE, [raw_stream("i8", [1, 2])])])),
    ("formats/flag_3", CORRUPT, ENTRY, format_of(1, 8)),
    ("formats/quotes_of_texts", CORRUPT, ENTRY, column(cell_format(7, 1), ("u8", [1, 1]), ("u8", [65, 66]))),
    ("formats/exceptions_of_words", CORRUPT, ENTRY, column(cell_format(6, 2), ("u8", [1]), ("u8", [65]), ("u8", [0, 0]), ("u8", [0, 0]), ("u8", []), ("u8", []))),
    ("formats/listed_without_exceptions", CORRUPT, ENTRY, format_of(1, 0, 1)),
    ("formats/255_listed", CORRUPT, ENTRY, format_of(1, 2, 255)),
    ("formats/decimals_19", CORRUPT, ENTRY, format_of(1, decimals=(19, 0, 0))),
    ("formats/least_decimals", CORRUPT, ENTRY, format_of(1, decimals=(1, 2, 0))),
    ("formats/scale", CORRUPT, ENTRY, format_of(1, decimals=(1, 0, 2))),
    ("formats/decimals_of_times", CORRUPT, ENTRY, format_of(5, 4, decimals=(1, 0, 0), time=DATE)),
    ("formats/style_of_decimals", CORRUPT, ENTRY, format_of(1, style=(1, 0))),
    ("formats/style_5", CORRUPT, ENTRY, column(cell_format(4, style=(5, 0)), ("f64", [0, 0]))),
    ("formats/digits_of_shortest", CORRUPT, ENTRY, column(cell_format(4, style=(0, 1)), ("f64", [0, 0]))),
    ("formats/41_digits", CORRUPT, ENTRY, column(cell_format(4, style=(4, 41)), ("f64", [0, 0]))),
    ("formats/times_of_decimals", CORRUPT, ENTRY, format_of(1, time=(0, "-", "\0", 0, 0))),
    ("formats/colon_of_floats", CORRUPT, ENTRY, column(cell_format(4, 4), ("f64", [0, 0]))),
    ("formats/layout_4", CORRUPT, ENTRY, time(4)),
    ("formats/separator_of_date", CORRUPT, ENTRY, time(0, date=".")),
    ("formats/separator_of_ctime", CORRUPT, ENTRY, time(3, date="/")),
    ("formats/separator_of_time", CORRUPT, ENTRY, time(1, time="-")),
    ("formats/separator_of_time_of_date", CORRUPT, ENTRY, time(0, time=" ")),
    ("formats/fraction_of_minutes", CORRUPT, ENTRY, time(1, fraction=3)),
    ("formats/fraction_of_10_digits", CORRUPT, ENTRY, time(2, fraction=10)),
    ("formats/zone_of_date", CORRUPT, ENTRY, time(0, zone=1)),
    ("formats/zone_128", CORRUPT, ENTRY, zone_128),
    ("formats/no_colon_of_no_offset", CORRUPT, ENTRY, format_of(5, 0, time=(1, "-", "T", 0, 1))),
    ("columns/type_of_decimals", CORRUPT, ENTRY, column(cell_format(1), ("u8", [1, 2]))),
    ("columns/type_of_free_decimals", CORRUPT, ENTRY, column(cell_format(2), ("i8", [1, 2]), ("i8", [1, 2]))),
    ("columns/type_of_f32", CORRUPT, ENTRY, column(cell_format(3), ("f64", [1, 2]))),
    ("columns/type_of_lengths", CORRUPT, ENTRY, column(cell_format(7), ("i8", [1, 1]), ("u8", [65, 66]))),
    ("columns/type_of_codes", CORRUPT, ENTRY, column(cell_format(6), ("u8", [1]), ("u8", [65]), ("u64", [0, 0]))),
    ("columns/type_of_marks", CORRUPT, ENTRY, column(cell_format(1, 2), ("i8", [1, 2]), ("u16", [0, 0]), ("u8", []), ("u8", []))),
    ("columns/type_of_native", CORRUPT, ENTRY, lambda: table(1, ["time"], 2, [(NATIVE, NO_RANGE, [raw_stream("u64", [1, 2])])])),
    ("columns/numbers_lack", CORRUPT, ENTRY, column(cell_format(1), ("i8", [1]))),
    ("columns/decimals_lack", CORRUPT, ENTRY, column(cell_format(2), ("i8", [1, 2]), ("u8", [1]))),
    ("columns/codes_lack", CORRUPT, ENTRY, column(cell_format(6), ("u8", [1]), ("u8", [65]), ("u8", [0]))),
    ("columns/more_words_than_rows", CORRUPT, ENTRY, column(cell_format(6), ("u8", [1, 1, 1]), ("u8", [65, 66, 67]), ("u8", [0, 0]))),
    ("columns/marks_lack", CORRUPT, ENTRY, column(cell_format(1, 2), ("i8", [1, 2]), ("u8", [0]), ("u8", []), ("u8", []))),
    ("columns/too_many_exceptions", CORRUPT, ENTRY, column(cell_format(1, 2), ("i8", [1, 2]), ("u8", [0, 0]), ("u8", [0] * 257), ("u8", []))),
    ("columns/range/of_texts", CORRUPT, ("segment", 61), lambda: table(0, ["text"], 1, [(cell_format(7), value_range(1, 0, 0), [raw_stream("u8", [1]), raw_stream("u8", [65])])])),
]


CONTENT = [
    ("cells/code_without_word", CORRUPT, STREAM, column(cell_format(6), ("u8", [1]), ("u8", [65]), ("u8", [0, 1]))),
    ("cells/lengths_too_long", CORRUPT, STREAM, column(cell_format(7), ("u8", [1, 2]), ("u8", [65, 66]))),
    ("cells/lengths_too_short", CORRUPT, STREAM, column(cell_format(7), ("u8", [1, 1]), ("u8", [65, 66, 67]))),
    ("cells/free_decimals_of_19_digits", CORRUPT, STREAM, column(cell_format(2), ("i8", [1, 2]), ("u8", [1, 19]))),
    ("cells/year_10000", CORRUPT, STREAM, column(cell_format(5, 4, time=DATE), ("i32", [0, 2932897]))),
    ("cells/year_before_0", CORRUPT, STREAM, column(cell_format(5, 4, time=DATE), ("i32", [0, -719529]))),
    ("cells/mark_of_no_exception", CORRUPT, STREAM, exceptions([0, 2], [1], [65], listed=1)),
    ("cells/exceptions_lack", CORRUPT, STREAM, exceptions([0, 255], [], [])),
    ("cells/exceptions_left", CORRUPT, STREAM, exceptions([0, 255], [1, 1], [65, 66])),
    ("cells/exceptions_of_other_length", CORRUPT, STREAM, exceptions([0, 255], [2], [65])),
    ("cells/malformed_not_ascending", CORRUPT, STREAM, malformed([1, 0], [1, 1], [10, 10])),
    ("cells/malformed_behind_the_end", CORRUPT, STREAM, malformed([3], [1], [10])),
    ("cells/malformed_of_other_length", CORRUPT, STREAM, malformed([1], [2], [10])),
    ("cells/malformed_between_records", CORRUPT, STREAM, malformed([1], [1], [10], source=1)),
    ("cells/malformed_records_of_other_length", CORRUPT, STREAM, malformed([2], [2], [10], source=1)),
]

CASES = FORMATS + CONTENT
