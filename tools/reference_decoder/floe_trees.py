"""Stored streams, from docs/format/trees.md: parts, plans, and how the nodes of a tree are opened."""

from floe_bytes import Reader, bytes_of, digest_of_bytes, require, require_known, words_of
from floe_encodings import CODEC, ENCODINGS, WIDTHS
from floe_leaves import FRONT_BYTES, Leaf, leaf_digest

MAX_PARTS, MAX_NODES, MAX_DEPTH = 1024, 64, 8


class PlanNode:
    def __init__(self, encoding, parameters, children):
        self.encoding = encoding
        self.parameters = parameters
        self.children = children  # (type, node)

    def nodes(self):
        return [self] + [node for _, child in self.children for node in child.nodes()]


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
        children = [(child, self.read(child, depth + 1)) for child in encoding.children(type_name, *parameters)]
        return PlanNode(encoding, parameters, children)


class Node:
    """What an encoding is opened with: it reads its header, opens its children in order, and returns its words."""

    def __init__(self, reader, plan, type_name, count):
        self.reader = reader
        self.type = type_name
        self.bits = 8 * WIDTHS[type_name]
        self.modulus = 1 << self.bits
        self.count = count
        self.parameters = plan.parameters
        self.next_children = iter(plan.children)

    def child(self, count):
        """The words of the next child."""
        type_name, plan = next(self.next_children)
        return open_tree(self.reader, plan, type_name, count)

    def word(self):
        """A word of this node's type in the header."""
        return self.reader.number(self.bits // 8)


def open_tree(reader, plan, type_name, count):
    """An iterator over the words of a tree. What lies behind its headers and payloads is what `reader` reads next."""
    return iter(plan.encoding.open(Node(reader, plan, type_name, count))) if count else iter(())


class Stream:
    """The stored bytes of one stream, of one or more words: `parts` are pairs of words and plans, `words` what they decode to."""

    def __init__(self, stored, type_name, count, expected_digest, has_checksums):
        reader = Reader(stored)
        self.stored, self.parts, self.leaf = stored, [], None
        if self.is_leaf_stream(stored, type_name):
            reader.position = FRONT_BYTES - 16
            self.parts = [(count, PlanReader(Reader(stored, 2)).read(type_name))]
            self.leaf = Leaf(reader, stored[3], stored[4], count * WIDTHS[type_name], has_checksums)
            require(leaf_digest(stored, self.leaf, has_checksums) == expected_digest, "a chunk table does not match its digest")
            self.words, _ = words_of(self.leaf.decode(), WIDTHS[type_name])
        else:
            require(digest_of_bytes(stored, has_checksums) == expected_digest, "a stream does not match its digest")
            self.words = []
            self.read_parts(reader, type_name, count)
        require(reader.remaining() == 0, "a stream has bytes behind its last part")

    @staticmethod
    def is_leaf_stream(stored, type_name):
        if len(stored) < FRONT_BYTES or stored[:3] != b"\x01\x00\x0c" or any(stored[5:16]):
            return False
        limits = zip(stored[3:5], CODEC.ranges, strict=True)
        return all(least <= value <= most for value, (least, most) in limits) and CODEC.takes(type_name, stored[3], stored[4])

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
            if any(node.encoding is CODEC for node in plan.nodes()):
                reader.align16()
            self.words += open_tree(reader, plan, type_name, length)
            self.parts.append((length, plan))

    def content(self, type_name):
        return bytes_of(self.words, WIDTHS[type_name])

    def encodings(self):
        return {node.encoding.name for _, plan in self.parts for node in plan.nodes()}
