"""Encodings of words that occur again: runs, dictionaries, matches; and of words that are told apart by their position or their side."""

import itertools

from floe_bytes import Corrupt, require
from floe_registry import encoding, is_integer


@encoding(4, "rle", children=lambda type_name: ["u32", type_name])
def rle(node):
    runs = node.reader.varint()
    require(1 <= runs <= node.count, "rle: the number of runs is impossible")
    return run_words(node.child(runs), node.child(runs), node.count)


def run_words(lengths, values, left):
    for length, value in list(zip(lengths, values, strict=True)):
        yield from itertools.repeat(value, min(length, left))
        left -= min(length, left)
        if left == 0:
            return
    raise Corrupt("rle: the runs are too short")


def takes_split(type_name, kind):
    return is_integer(type_name) or kind >= 2


@encoding(8, "split", ranges=((0, 3),), takes=takes_split, children=lambda type_name, _kind: ["bool", type_name, type_name])
def split(node):
    seconds = node.reader.varint()
    require(seconds <= node.count, "split: more words on one side than there are")
    stencil, sides = node.child(node.count), [node.child(node.count - seconds), node.child(seconds)]

    def word(side):
        found = next(sides[1 if side else 0], None)
        require(found is not None, "split: the stencil wants more words of one side than there are")
        return found

    return map(word, stencil)


MAX_CHILDREN, MAX_PARTS, BLOCK_BYTES = 64, 65535, 1 << 23


def children_of_parts(type_name, parameter):
    return [type_name] * (parameter if parameter <= MAX_CHILDREN else 1)


@encoding(10, "stride_split", ranges=((2, MAX_CHILDREN + MAX_PARTS),), takes=lambda _type_name, parameter: parameter != MAX_CHILDREN + 1, children=children_of_parts)
def stride_split(node):
    parameter = node.parameters[0]
    if parameter > MAX_CHILDREN:
        return words_of_rows(node.child(node.count), node.count, parameter - MAX_CHILDREN, BLOCK_BYTES // (node.bits // 8))
    parts = [node.child(max(0, -(-(node.count - part) // parameter))) for part in range(parameter)]
    return (next(parts[i % parameter]) for i in range(node.count))


def words_of_rows(parts, count, k, block_words):
    """Of words that lie block by block, and part by part in each."""
    block = block_words // k * k
    for first in range(0, count, block):
        size = min(block, count - first)
        words = [0] * size
        for part in range(min(k, size)):
            for i in range(part, size, k):
                words[i] = next(parts)
        yield from words


@encoding(11, "dict", ranges=((0, 2), (1, 65535)), children=lambda type_name, *_: [type_name, "u16", type_name])
def dictionary(node):
    entry_count, exception_count = node.reader.varint(), node.reader.varint()
    require(1 <= entry_count <= min(node.parameters[1], node.count), "dict: the number of entries is impossible")
    require(exception_count <= node.count, "dict: more exceptions than words")
    entries, codes, exceptions = node.child(entry_count), node.child(node.count), node.child(exception_count)
    return dictionary_words(list(entries), codes, exceptions)


def dictionary_words(entries, codes, exceptions=None):
    """Without exceptions, codes are those of entries."""
    for code in codes:
        require(code < len(entries) or (exceptions is not None and code == len(entries)), "a code without an entry")
        word = entries[code] if code < len(entries) else next(exceptions, None)
        require(word is not None, "dict: more codes of exceptions than exceptions")
        yield word


@encoding(15, "unique", children=lambda type_name: [type_name, "u32"])
def unique(node):
    entry_count = node.reader.varint()
    require(1 <= entry_count <= min(1 << 20, node.count), "unique: the number of entries is impossible")
    entries, codes = node.child(entry_count), node.child(node.count)
    return dictionary_words(list(entries), codes)


@encoding(19, "match", ranges=((0, 2), (0, 64)), children=lambda type_name, *_: [type_name, "u32", "u32", "u32"])
def match(node):
    literals, sequences, farthest = (node.reader.varint() for _ in range(3))
    require(literals <= node.count and sequences <= node.count - literals, "match: too many literals or sequences")
    require(farthest <= min(node.count, 1 << 24), "match: the farthest distance is too great")
    children = [node.child(count) for count in (literals, sequences, sequences, sequences)]
    return matched_words(*children, farthest, node.count)


def matched_words(literals, literal_lengths, match_lengths, codes, farthest, count):
    words = []
    recent = [1, 2, 3]
    for literal_length, match_length, code in zip(literal_lengths, match_lengths, codes, strict=True):
        for _ in range(min(literal_length, count - len(words))):
            word = next(literals, None)
            require(word is not None, "match: literals lack")
            words.append(word)
        distance = recent.pop(code) if code < 3 else code - 2
        recent = [distance, *recent][:3]
        if len(words) < count:
            require(distance <= min(farthest, len(words)), "match: a distance is too great")
        for _ in range(min(match_length + 1, count - len(words))):
            words.append(words[-distance])
        if len(words) == count:
            return iter(words)
    words += itertools.islice(literals, count - len(words))
    require(len(words) == count, "match: words lack")
    return iter(words)
