"""Affine, from docs/format/encodings/affine.md."""

import struct

from floe_bytes import require, signed
from floe_exceptions import with_exceptions
from floe_registry import encoding


def single(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def double(number):
    return number


def takes_lines(type_name, _channels, integer_bytes):
    return (type_name in {"f64", "f32"} and integer_bytes == 4) or (type_name == "f64" and integer_bytes == 8)


def children_of_lines(type_name, _channels, integer_bytes):
    return [f"i{8 * integer_bytes}", "i8", type_name, "u64", type_name]


@encoding(18, "affine", ranges=((1, 64), (4, 8)), takes=takes_lines, children=children_of_lines)
def affine(node):
    channels, left = node.parameters[0], node.count
    blocks, steps = [], None
    for _ in range(node.reader.varint()):
        rows, form = node.reader.varint(), node.reader.number(1)
        require(0 < rows <= -(-left // channels), "affine: the number of rows is impossible")
        require(form <= (6 if node.type == "f32" else 3), "affine: an unknown form")
        lines = affine_lines(node, steps) if form > 0 else []
        steps = [step for step, _ in lines] or steps
        blocks.append((form, lines, min(left, rows * channels)))
        left -= blocks[-1][2]
    require(left == 0, "affine: rows are missing")
    exceptions = node.reader.varint()
    require(exceptions <= node.count, "affine: more exceptions than words")
    on_lines = sum(words for form, _, words in blocks if form > 0)
    integers, errors, plain = node.child(on_lines), node.child(on_lines), node.child(node.count - on_lines)
    return with_exceptions(words_of_blocks(node, blocks, integers, errors, plain), node.child(exceptions), node.child(exceptions))


def affine_lines(node, steps):
    most = 2.0**400 if node.type == "f64" else 2.0**60
    lines = []
    for channel in range(node.parameters[0]):
        has = node.reader.number(1)
        require(has < 4, "affine: reserved bits")
        require(has & 1 or steps, "affine: there was no step before")
        step = struct.unpack("<d", node.reader.take(8))[0] if has & 1 else steps[channel]
        offset = struct.unpack("<d", node.reader.take(8))[0] if has & 2 else 0.0
        require(1 / most <= step <= most and abs(offset) <= most, "affine: a step or an offset is impossible")
        lines.append((step, offset))
    return lines


def words_of_blocks(node, blocks, integers, errors, plain):
    top = node.modulus >> 1
    for form, lines, words in blocks:
        for i in range(words):
            if form == 0:
                yield next(plain)
                continue
            integer = signed(next(integers), 8 * node.parameters[1])
            require(-(2**51) <= integer < 2**51, "affine: an integer is beyond 2^51")
            value = float_on_line(form, *lines[i % len(lines)], integer)
            word = int.from_bytes(struct.pack("<d" if node.type == "f64" else "<f", value), "little")
            number = (word ^ (top - 1) if word & top else word) + signed(next(errors), 8)
            yield number % node.modulus ^ (top - 1) if number & top else number % node.modulus


def float_on_line(form, step, offset, integer):
    rounded = single if form > 3 else double
    step, offset, integer = rounded(step), rounded(offset), rounded(float(integer))
    if form in {1, 4}:
        return rounded(rounded(integer * step) + offset)
    moved = rounded(integer + offset)
    return rounded(moved * step if form in {2, 5} else moved / step)
