"""Compact frames with texts that contradict docs/format/text.md: name, error, where, frame."""

from frame_draft import varint
from reject_compact import BODY, CORRUPT, VERSION, Compact, sealed

from floe_text import MASK, Model

COMMA = b","


def code_of(content, separator=COMMA):
    """What decodes to a content."""
    model, first, last, code = Model(len(content), separator[0], 0), 0, MASK, bytearray()
    for bit in (bit for byte in content for bit in model.tree.paths[byte]):
        middle = first + ((last - first) * model.probability() >> 16)
        first, last = (first, middle) if bit else (middle + 1, last)
        while first >> 24 == last >> 24:
            code.append(last >> 24)
            first, last = first << 8 & MASK, (last << 8 | 255) & MASK
        model.update(bit)
    return bytes(code + bytes([(first >> 24) + 1]))


def content(flags=0, columns=b"1", types=b"8", names=b"", prefix=b"a\n", prefix_bytes=None, rows=b"5\n6\n"):
    return bytes([0x30 + flags]) + columns + types + names + varint(len(prefix) if prefix_bytes is None else prefix_bytes) + prefix + rows


def text(separator=COMMA, size=None, code=None, **changes):
    """A table with what its content says."""

    def make():
        data = content(**changes)
        coded = code_of(data, separator) if code is None else code
        return Compact(sealed(b"\x01" + separator + varint(2 * (len(data) if size is None else size)) + coded))

    return make


CASES = [
    ("text/no_content", CORRUPT, BODY, text(size=0)),
    ("text/too_much_content", CORRUPT, BODY, text(size=(1 << 22) + 1, code=b"\x55" * 1100)),
    ("text/too_little_code", CORRUPT, BODY, text(size=8193, code=b"\x55\x55")),
    ("text/no_code", CORRUPT, BODY, text(size=1, code=b"")),
    ("text/flag_2", CORRUPT, BODY, text(flags=4)),
    ("text/no_columns", CORRUPT, BODY, text(columns=b"0", types=b"")),
    ("text/65537_columns", CORRUPT, BODY, text(columns=varint(0x30 + 65537), types=b"8")),
    ("text/types_beyond_end", CORRUPT, BODY, text(columns=varint(0x30 + 40))),
    ("text/type_0_of_column", VERSION, BODY, text(types=b"0")),
    ("text/type_bf16_of_column", CORRUPT, BODY, text(types=b"4")),
    ("text/decimals_41", CORRUPT, BODY, text(types=b"\xc1\x29")),
    ("text/name_beyond_end", CORRUPT, BODY, text(flags=2, names=b"\x40a")),
    ("text/no_rows", CORRUPT, BODY, text(rows=b"")),
    ("text/prefix_beyond_end", CORRUPT, BODY, text(prefix_bytes=90)),
    ("text/separator_nul", CORRUPT, BODY, text(separator=b"\0")),
    ("text/separator_quote", CORRUPT, BODY, text(separator=b'"')),
]
