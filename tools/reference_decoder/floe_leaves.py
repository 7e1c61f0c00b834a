"""Leaves of chunks and leaf streams, from docs/format/leaves.md."""

from floe_bytes import align16, block_checksum, block_entry, digest, require, require_zeros
from floe_stages import CHUNK_BYTES, CODECS, undo_match_history

FRONT_BYTES, KIND_AT = 16, 5
CHUNKS_PER_GROUP = 256
RAW, CODED = 0, 1
CONTENT, HISTORY = 0, 1


class Leaf:
    """A leaf whose table is checked: `reader` stands at its kind, and is moved behind its payloads."""

    def __init__(self, reader, codec_id, dimensionality, content_bytes, has_checksums):
        self.codec = CODECS.get(codec_id)  # of an unknown one the table can be checked
        self.dimensionality = dimensionality
        self.kind = reader.number(1)
        require(self.kind == CONTENT or (self.kind == HISTORY and (self.codec is None or self.codec.has_history)), "a leaf is of a kind that does not exist")
        reader.align16()
        coded_bytes = content_bytes * (2 if self.kind == HISTORY else 1)
        self.lengths = [min(CHUNK_BYTES, coded_bytes - at) for at in range(0, coded_bytes, CHUNK_BYTES)]
        self.read_table(reader, has_checksums)
        self.payloads = [reader.take(align16(stored)) for stored in self.stored_bytes]

    def read_table(self, reader, has_checksums):
        begin, count = reader.position, len(self.lengths)

        def column(size, length=count):
            return [reader.number(size) for _ in range(length)]

        group_offsets = column(8, -(-count // CHUNKS_PER_GROUP) - 1)
        self.checksums = column(4) if has_checksums else None
        self.stored_bytes, self.modes = column(2), column(1)
        reader.zeros(align16(reader.position - begin) - (reader.position - begin))
        offset = 0
        for chunk, (stored, mode, length) in enumerate(zip(self.stored_bytes, self.modes, self.lengths, strict=True)):
            require(stored == length if mode == RAW else mode == CODED and 1 <= stored < length, "a chunk's size or mode is impossible")
            if chunk % CHUNKS_PER_GROUP == 0 and chunk > 0:
                require(group_offsets[chunk // CHUNKS_PER_GROUP - 1] == offset, "an offset of a chunk table does not follow from the sizes")
            offset += align16(stored)

    def decode(self):
        """The words, as bytes."""
        coded = b"".join(map(self.decode_chunk, range(len(self.lengths))))
        return undo_match_history(coded) if self.kind == HISTORY else coded

    def decode_chunk(self, chunk):
        payload, padding = self.payloads[chunk][: self.stored_bytes[chunk]], self.payloads[chunk][self.stored_bytes[chunk] :]
        require_zeros(padding, "a chunk's padding is not zero")
        if self.checksums is not None:
            require(block_checksum(payload) == self.checksums[chunk], "a chunk's checksum does not match")
        if self.modes[chunk] == RAW:
            return payload
        return self.codec.decode_chunk(payload, self.lengths[chunk], self.dimensionality)

    def entries(self):
        """What the chunks add to a digest."""
        checksums = self.checksums or [0] * len(self.modes)
        return [checksum | stored << 32 | mode << 48 for checksum, stored, mode in zip(checksums, self.stored_bytes, self.modes, strict=True)]


def leaf_digest(stored, leaf, has_checksums):
    """The digest of a leaf stream."""
    return digest([block_entry(stored[:FRONT_BYTES], has_checksums)] + leaf.entries())
