"""Encodings of integers, and of floats as integers, by other integers: delta, int_mult, sortable, divide, linear, context."""

import itertools

from floe_bytes import require, signed
from floe_registry import WIDTHS, encoding, is_float, is_integer, signed_of, unsigned_of


@encoding(3, "delta", ranges=((1, 2), (1, 1 << 20)), takes=is_integer, children=lambda type_name, *_: [signed_of(type_name)])
def delta(node):
    order, stride = node.parameters
    if stride > 64:
        words = node.child(node.count)
        for _ in range(order):
            words = far_sums(stride, words, node.modulus)
        return words
    firsts, left = [], node.count
    for _ in range(order):
        firsts.append([node.reader.signed_varint(node.bits) for _ in range(min(stride, left))])
        left -= len(firsts[-1])
    words = node.child(left)
    for step in reversed(firsts):
        words = sums(step, words, node.modulus)
    return words


def sums(firsts, differences, modulus):
    last = list(firsts)
    yield from firsts
    for i, difference in enumerate(differences):
        last[i % len(last)] = (last[i % len(last)] + difference) % modulus
        yield last[i % len(last)]


def far_sums(stride, differences, modulus):
    last = []
    for i, difference in enumerate(differences):
        if i < stride:
            last.append(difference)
        else:
            last[i % stride] = (last[i % stride] + difference) % modulus
        yield last[i % stride]


@encoding(5, "int_mult", takes=is_integer, children=lambda type_name: [unsigned_of(type_name)])
def int_mult(node):
    base, divisor = node.reader.signed_varint(node.bits), node.reader.varint()
    require(1 <= divisor < node.modulus, "int_mult: the divisor is impossible")
    return ((quotient * divisor + base) % node.modulus for quotient in node.child(node.count))


@encoding(7, "sortable", takes=is_float, children=lambda type_name: [signed_of(type_name)])
def sortable(node):
    top = node.modulus >> 1
    return (word ^ (top - 1) if word & top else word for word in node.child(node.count))


def takes_divisor(type_name, multiplier, shift):
    return multiplier << shift < 1 << 8 * WIDTHS[type_name]


def divide_children(type_name, *_parameters):
    quotients = signed_of if is_float(type_name) or type_name.startswith("i") else unsigned_of
    return [quotients(type_name), unsigned_of(type_name)]


@encoding(14, "divide", ranges=((1, 2**32 - 1), (0, 63)), takes=takes_divisor, children=divide_children)
def divide(node):
    divisor, top = node.parameters[0] << node.parameters[1], node.modulus >> 1
    quotients, remainders = node.child(node.count), node.child(node.count)

    def word(quotient, remainder):
        if is_float(node.type) and quotient >= top:
            return ((node.modulus - 1 - quotient) * divisor + remainder) % node.modulus ^ top
        return (quotient * divisor + remainder) % node.modulus

    return map(word, quotients, remainders)


@encoding(17, "linear", ranges=((1, 32), (1, 1 << 20)), takes=is_integer, children=lambda type_name, *_: [signed_of(type_name)])
def linear(node):
    count, row = node.parameters
    distances = list(range(1, count + 1))
    if row > 1:
        steps = [node.reader.varint() for _ in range(count)]
        require(min(steps) > 0, "linear: a step of 0")
        distances = list(itertools.accumulate(steps))
        require(distances[-1] <= 1 << 20, "linear: a word is too far")
    weights = [signed(node.reader.signed_varint(32), 32) for _ in range(count)]
    return predicted_words(node, weights, distances, node.child(node.count))


def predicted_words(node, weights, distances, errors):
    row = node.parameters[1] if node.parameters[1] >= 32 and node.bits <= 16 else 1
    numbers = []
    for i, error in enumerate(errors):
        before = [number_before(numbers, i, distance, row) for distance in distances]
        word = (error + predicted(weights, before, node.bits)) % node.modulus
        numbers.append(signed(word, node.bits) if node.type == signed_of(node.type) else word)
        yield word


def number_before(numbers, i, distance, row):
    """Left of a row stands the first word of the row before, right of it its last word."""
    if row == 1:
        return numbers[i - distance] if distance <= i else 0
    rows = (distance + (row - 1) // 2) // row
    column = i % row - (distance - rows * row)
    begin = (i // row - rows) * row
    at = begin - row if column < 0 else begin + min(column, row - 1)
    return numbers[at] if at >= 0 else 0


def predicted(weights, before, bits):
    if bits == 64:
        return sum(weight * (number >> 16) for weight, number in zip(weights, before, strict=True))
    total = (1 << 15) + sum(weight * number for weight, number in zip(weights, before, strict=True))
    return signed(total % (1 << 64), 64) >> 16


def takes_context(type_name, row, step):
    return is_integer(type_name) and step < row


@encoding(22, "context", ranges=((2, 1 << 20), (1, 64)), takes=takes_context, children=lambda type_name, *_: [type_name])
def context(node):
    row, step = node.parameters
    first, used = node.reader.varint(), node.reader.varint()
    require(first + used <= 252, "context: too many contexts")
    left, unread = {}, node.count
    for i in range(used):
        left[first + i] = node.reader.varint()
        unread -= left[first + i]
    require(unread == 0, "context: the counts are not those of all words")
    words, following = list(node.child(node.count)), {}
    at = 0
    for i in left:
        following[i] = iter(words[at : at + left[i]])
        at += left[i]
    return words_in_contexts(node, row, step, following)


def words_in_contexts(node, row, step, following):
    magnitudes = []
    for i in range(node.count):
        above, left, right = (magnitudes[at] if at >= 0 else 0 for at in (i - row, i - row - step, i - row + step))
        word = next(following.get((2 * above + left + right) >> 2, iter(())), None)
        require(word is not None, "context: a word is not there")
        yield word
        size = word
        if node.type.startswith("i") and word >> (node.bits - 1):
            size = node.modulus - 1 - word
        bits = max(size.bit_length(), 3) - 3
        magnitudes.append(4 * bits + (size >> bits))
