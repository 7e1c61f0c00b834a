"""Stored streams, from docs/format/trees.md: parts, plans, and how the nodes of a tree are opened."""

from floe_bytes import Reader, digest_of_bytes, require, require_known, words_of
from floe_encodings import CODEC, ENCODINGS, ENTROPY, MULTI_ENTROPY, WIDTHS
from floe_leaves import FRONT_BYTES, KIND_AT, Leaf, leaf_digest

MAX_PARTS, MAX_NODES, MAX_DEPTH = 1024, 255, 8


class PlanNode:
    def __init__(self, encoding, type_name, parameters, children):
        self.encoding = encoding
        self.type = type_name
        self.parameters = parameters
        self.children = children
        self.has_words = False

    def nodes(self):
        return [self] + [node for child in self.children for node in child.nodes()]


class PlanReader:
    def __init__(self, reader):
        self.reader = reader
        self.node_count = 0

    def read(self, type_name, depth=1):
        identifier = self.reader.number(1)
        self.node_count += 1
        require(self.node_count <= MAX_NODES and depth <= MAX_DEPTH, "a plan is too large")
        require_known(identifier in ENCODINGS, "an encoding")
        encoding = ENCODINGS[identifier]
        parameters = [self.reader.varint() for _ in encoding.ranges]
        require_known(encoding is not CODEC or parameters[0] <= CODEC.ranges[0][1], "a codec")
        for parameter, (least, most) in zip(parameters, encoding.ranges, strict=True):
            require(least <= parameter <= most, "a parameter is out of its range")
        require(encoding.takes(type_name, *parameters), "an encoding does not take the type of its stream")
        children = [self.read(child, depth + 1) for child in encoding.children(type_name, *parameters)]
        return PlanNode(encoding, type_name, parameters, children)


class Node:
    """What an encoding is opened with: it reads its header, opens its children in order, and returns its words."""

    def __init__(self, reader, plan, count):
        self.reader = reader
        self.type = plan.type
        self.bits = 8 * WIDTHS[plan.type]
        self.modulus = 1 << self.bits
        self.count = count
        self.parameters = plan.parameters
        self.next_children = iter(plan.children)

    def child(self, count):
        """The words of the next child."""
        return open_tree(self.reader, next(self.next_children), count)

    def word(self):
        """A word of this node's type in the header."""
        return self.reader.number(self.bits // 8)


def open_tree(reader, plan, count):
    """An iterator over the words of a tree. What lies behind its headers and payloads is what `reader` reads next."""
    if count == 0:
        return iter(())
    plan.has_words = True
    return iter(plan.encoding.open(Node(reader, plan, count)))


class Stream:
    """The stored bytes of one stream, of one or more words: `parts` are pairs of words and plans, `words` what they decode to."""

    def __init__(self, stored, type_name, count, expected_digest, has_checksums):
        reader = Reader(stored)
        self.stored, self.parts, self.leaf = stored, [], None
        if self.is_leaf_stream(stored, type_name):
            reader.position = KIND_AT
            self.leaf = Leaf(reader, stored[3], stored[4], count * WIDTHS[type_name], has_checksums)
            require(leaf_digest(stored, self.leaf, has_checksums) == expected_digest, "a chunk table does not match its digest")
            self.parts = [(count, PlanReader(Reader(stored, 2)).read(type_name))]
            self.parts[0][1].has_words = True
            self.words, _ = words_of(self.leaf.decode(), WIDTHS[type_name])
        else:
            require(digest_of_bytes(stored, has_checksums) == expected_digest, "a stream does not match its digest")
            self.words = []
            self.read_parts(reader, type_name, count)
        require(reader.remaining() == 0, "a stream has bytes behind its last part")

    @staticmethod
    def is_leaf_stream(stored, type_name):
        if len(stored) < FRONT_BYTES or stored[:3] != b"\x01\x00\x0c":
            return False
        codec_id, dimensionality = stored[3], stored[4]
        (least, most), (_, most_dimensions) = CODEC.ranges
        is_taken = least <= codec_id <= most and 1 <= dimensionality <= most_dimensions and CODEC.takes(type_name, codec_id, dimensionality)
        return is_taken or codec_id > most

    def read_parts(self, reader, type_name, count):
        part_count = reader.varint()
        require(1 <= part_count <= MAX_PARTS, "a stream has no parts, or too many")
        plans = []
        for part in range(part_count):
            left = count - len(self.words)
            length = left if part + 1 == part_count else reader.varint()
            require(1 <= length <= left, "the parts of a stream have another length than the stream")
            reference = reader.varint()
            require(reference <= len(plans), "a part of a stream has no plan")
            if reference == 0:
                plans.append(PlanReader(reader).read(type_name))
            plan = plans[reference - 1]
            if self.is_aligned(plan, length):
                reader.align16()
            self.words += open_tree(reader, plan, length)
            self.parts.append((length, plan))

    @staticmethod
    def is_aligned(plan, _):
        return any(node.encoding in (CODEC, ENTROPY, MULTI_ENTROPY) for node in plan.nodes())

    def encodings(self):
        """Name and type of all nodes that have words."""
        return {(node.encoding.name, node.type) for _, plan in self.parts for node in plan.nodes() if node.has_words}


class CompactStream(Stream):
    """The stream of a type in a compact frame (docs/format/compact.md)."""

    def __init__(self, stored, type_name, count):
        self.stored, self.parts, self.leaf, self.words = stored, [], None, []
        reader = Reader(stored)
        self.read_parts(reader, type_name, count)
        require(reader.remaining() == 0, "a stream has bytes behind its last part")

    @staticmethod
    def is_aligned(plan, length):
        return Stream.is_aligned(plan, length) and (length >= 4096 or any(node.encoding is CODEC for node in plan.nodes()))
