"""Encodings with exceptions, which are put among the words that have none: sparse, decimal, grid,
narrow."""

import itertools
import math
import struct
from fractions import Fraction

from floe_bytes import require, signed
from floe_registry import encoding, is_float, signed_of


def with_exceptions(words, gaps, exceptions):
    """Words, of which some are replaced."""
    pairs = iter(list(zip(gaps, exceptions, strict=True)))
    pair = next(pairs, None)
    until = pair[0] if pair else None
    for word in words:
        if until == 0:
            yield pair[1]
            pair = next(pairs, None)
            until = pair[0] if pair else None
        else:
            yield word
            until = until - 1 if pair else None


@encoding(9, "sparse", children=lambda type_name: ["u64", type_name])
def sparse(node):
    word, exceptions = node.word(), node.reader.varint()
    require(exceptions <= node.count, "sparse: more exceptions than words")
    return with_exceptions(itertools.repeat(word, node.count), node.child(exceptions), node.child(exceptions))


def takes_decimal(type_name, _digits, integer_bytes):
    return integer_bytes in {"f64": (4, 8), "f32": (4,)}.get(type_name, ())


@encoding(6, "decimal", ranges=((0, 22), (4, 8)), takes=takes_decimal, children=lambda type_name, _digits, width: [f"i{8 * width}", "u64", type_name])
def decimal(node):
    digits, width = node.parameters
    exceptions = node.reader.varint()
    require(exceptions <= node.count, "decimal: more exceptions than words")

    def value(word):
        integer = signed(word, 8 * width)
        require(-(1 << 51) <= integer < 1 << 51, "decimal: an integer is too large")
        return int.from_bytes(struct.pack("<d" if node.type == "f64" else "<f", float(integer) / float(10**digits)), "little")

    return with_exceptions(map(value, node.child(node.count)), node.child(exceptions), node.child(exceptions))


# Bits of a mantissa with its leading one, and of an exponent.
MANTISSAS = {"f64": (53, 11), "f32": (24, 8), "f16": (11, 5), "bf16": (8, 8)}


@encoding(16, "grid", takes=is_float, children=lambda type_name: [signed_of(type_name), "u8", "u64", type_name])
def grid(node):
    mantissa_bits, exponent_bits = MANTISSAS[node.type]
    exponent, low_bytes, exceptions = node.reader.varint(), node.reader.varint(), node.reader.varint()
    require(1 <= exponent < (1 << exponent_bits) - 1, "grid: the exponent is impossible")
    require(exceptions <= node.count, "grid: more exceptions than words")
    multiples, low = node.child(node.count), node.child(low_bytes)
    pending, pending_bits = 0, 0

    def value(word):
        nonlocal pending, pending_bits
        multiple = signed(word, node.bits)
        if multiple == 0:
            return 0
        below = mantissa_bits - abs(multiple).bit_length()
        require(below >= 0, "grid: a multiple is too large")
        require(exponent - below >= 1, "grid: an exponent is too small")
        while pending_bits < below:
            byte = next(low, None)
            require(byte is not None, "grid: bits end early")
            pending |= byte << pending_bits
            pending_bits += 8
        mantissa = abs(multiple) << below | pending & (1 << below) - 1
        pending >>= below
        pending_bits -= below
        return (multiple < 0) << (node.bits - 1) | (exponent - below - 1 << mantissa_bits - 1) + mantissa

    return with_exceptions(map(value, multiples), node.child(exceptions), node.child(exceptions))


# Which digits there are.
ALL, AFTER_POINT, SIGNIFICANT = range(3)


def takes_narrow(type_name, digits, which):
    return type_name == "f64" and {ALL: digits == 0, AFTER_POINT: True, SIGNIFICANT: 1 <= digits <= 15}[which]


def digits_after_point(number, digits):
    """Of a float with so many significant digits."""
    after = 22
    while after > 0 and abs(Fraction(number)) >= Fraction(10) ** (digits - after):
        after -= 1
    return after


@encoding(21, "narrow", ranges=((0, 22), (0, 2)), takes=takes_narrow, children=lambda type_name, _digits, _which: ["f32", "u64", type_name])
def narrow(node):
    digits, which = node.parameters
    exceptions = node.reader.varint()
    require(exceptions <= node.count, "narrow: more exceptions than words")

    def value(word):
        (number,) = struct.unpack("<f", word.to_bytes(4, "little"))
        require(math.isfinite(number), "narrow: a float is no number")
        if which != ALL:
            power = float(10 ** (digits if which == AFTER_POINT else digits_after_point(number, digits)))
            product = number * power
            require(abs(product) < 1 << 51, "narrow: a product is too large")
            number = math.copysign(float(round(product)) / power, number)
        return int.from_bytes(struct.pack("<d", number), "little")

    return with_exceptions(map(value, node.child(node.count)), node.child(exceptions), node.child(exceptions))
