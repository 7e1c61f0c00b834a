"""The inverse of every stage and the list of codecs, from docs/format/stages and docs/format/codecs. Slow and obvious.

A stage takes and returns bytes. `width` is the size of a word in bytes. Bytes that contradict the format raise Corrupt.
"""

from floe_bytes import BitReader, bytes_of, require, words_of

CHUNK_BYTES = 16384
LANES = 32
SUBCHUNKS = 32


def zigzag_inverse(word, width):
    return (word >> 1) ^ (((1 << 8 * width) - 1) if word & 1 else 0)


# ---- stages over words ----------------------------------------------------------------------------------------------------------


def undo_delta(data, width, _context):
    words, tail = words_of(data, width)
    previous = 0
    for i, difference in enumerate(words):
        previous = words[i] = (difference + previous) % (1 << 8 * width)
    return bytes_of(words, width, tail)


def undo_zigzag(data, width, _context):
    words, tail = words_of(data, width)
    return bytes_of([zigzag_inverse(word, width) for word in words], width, tail)


def undo_lane_delta(data, width, context):
    words, tail = words_of(data, width)
    dimensionality = context["dimensionality"]
    for i in range(LANES, len(words)):
        lane = i % LANES
        source = LANES * (i // LANES - 1) + LANES - dimensionality + lane % dimensionality
        words[i] = (words[i] + words[source]) % (1 << 8 * width)
    return bytes_of(words, width, tail)


def undo_bit_transpose(data, width, _context):
    side = 8 * width
    planes, _ = words_of(data, width)
    tiles = len(planes) // side
    words = [0] * (tiles * side)
    for tile in range(tiles):
        for plane in range(side):
            bits = planes[plane * tiles + tile]
            for j in range(side):
                words[tile * side + j] |= (bits >> (side - 1 - j) & 1) << (side - 1 - plane)
    copied = tiles * side * width
    return bytes_of(words, width, data[copied:])


# ---- stages that change the length ----------------------------------------------------------------------------------------------


def undo_bit_pack(data, width, _context):
    bits = BitReader(data)
    folded = bits.get(32)
    length = bits.get(16)
    require(length <= CHUNK_BYTES, "bit_pack: the length is more than that of a chunk")
    field = {1: 4, 2: 5, 4: 6, 8: 7}[width]
    widths = [bits.get(field) for _ in range(SUBCHUNKS)]
    require(max(widths) <= 8 * width, "bit_pack: a width is more than the word has bits")
    count = length // width
    words = []
    for s in range(SUBCHUNKS):
        for _ in range(s * count // SUBCHUNKS, (s + 1) * count // SUBCHUNKS):
            word = bits.get(widths[s])
            words.append(zigzag_inverse(word, width) if folded >> s & 1 else word)
    tail_bytes = length % width
    require(bits.bytes_used() + tail_bytes == len(data), "bit_pack: the input has the wrong length")
    return bytes_of(words, width, data[len(data) - tail_bytes :])


def undo_offset_pack(data, width, _context):
    bits = BitReader(data)
    folded = bits.get(32)
    length = bits.get(16)
    require(length <= CHUNK_BYTES, "offset_pack: the length is more than that of a chunk")
    word_bits = 8 * width
    fields = [bits.get({1: 4, 2: 5}[width]) for _ in range(SUBCHUNKS)]
    count = length // width
    ranges = [range(s * count // SUBCHUNKS, (s + 1) * count // SUBCHUNKS) for s in range(SUBCHUNKS)]
    numbers = [[bits.get(field - word_bits if field > word_bits else field) for _ in words] for field, words in zip(fields, ranges)]
    bases = data[bits.bytes_used() :]
    words = []
    for s in range(SUBCHUNKS):
        if fields[s] > word_bits:
            require(not folded >> s & 1, "offset_pack: offsets are folded")
            require(len(bases) >= width, "offset_pack: the input ends inside the bases")
            base = int.from_bytes(bases[:width], "little")
            bases = bases[width:]
            for number in numbers[s]:
                word = (number + base) % (1 << word_bits) if number else 0
                words.append(word >> 1 | (word & 1) << 15 if width == 2 else word)
        else:
            for number in numbers[s]:
                residual = zigzag_inverse(zigzag_inverse(number, width) if folded >> s & 1 else number, width)
                words.append((residual + (words[-1] if words else 0)) % (1 << word_bits))
    require(len(bases) == length % width, "offset_pack: the input has the wrong length")
    return bytes_of(words, width, bases)


def undo_byte_pack(data, width, context):
    count, tail_bytes = divmod(context["chunk_bytes"], width)
    words = []
    position = 0
    while len(words) < count:
        require(position + LANES // 2 <= len(data), "byte_pack: the input ends inside the codes of a group")
        codes = data[position : position + LANES // 2]
        position += LANES // 2
        for lane in range(LANES):
            code = codes[lane // 2] >> 4 * (lane % 2) & 15
            stored = code & 7
            if width == 8:
                stored = stored if stored < 2 else stored + 1
            else:
                stored = min(stored, width)
            require(position + stored <= len(data), "byte_pack: the input ends inside a group")
            magnitude = int.from_bytes(data[position : position + stored], "little")
            position += stored
            words.append(-magnitude % (1 << 8 * width) if code & 8 else magnitude)
    require(position + tail_bytes == len(data), "byte_pack: the input has the wrong length")
    return bytes_of(words[:count], width, data[position:])


def take_levels(data, size):
    """A bitmap of `size` bytes from the end of `data`, and what stands before it. docs/format/stages/drop_zeros.md, Levels."""
    if size < 8:
        require(len(data) >= size, "the levels of a bitmap begin before the input")
        return data[len(data) - size :], data[: len(data) - size]
    written, data = take_levels(data, size // 8)
    count = sum(bin(byte).count("1") for byte in written)
    require(len(data) >= count, "the levels of a bitmap begin before the input")
    new_bytes = iter(data[len(data) - count :])
    level = bytearray()
    previous = 0
    for i in range(size):
        if written[i // 8] >> i % 8 & 1:
            previous = next(new_bytes)
        level.append(previous)
    return bytes(level), data[: len(data) - count]


def set_bits(bitmap):
    return [i for i in range(8 * len(bitmap)) if bitmap[i // 8] >> i % 8 & 1]


def undo_drop_zeros(data, _width, _context):
    require(len(data) >= 2, "drop_zeros: the input is too short")
    length = int.from_bytes(data[-2:], "little")
    require(length <= CHUNK_BYTES, "drop_zeros: the length is more than that of a chunk")
    out = bytearray(length)
    if len(data) > 2:
        bitmap, kept = take_levels(data[:-2], CHUNK_BYTES // 8)
        positions = set_bits(bitmap)
        require(len(positions) == len(kept), "drop_zeros: the number of kept bytes is wrong")
        require(not positions or positions[-1] < length, "drop_zeros: a kept byte lies beyond the end")
        for position, byte in zip(positions, kept):
            out[position] = byte
    return bytes(out)


def undo_drop_tops(data, repeated):
    require(len(data) >= 3, "drop_tops: the input is too short")
    length = int.from_bytes(data[-2:], "little")
    keep = data[-3]
    count, tail_bytes = divmod(length, 8)
    require(length <= CHUNK_BYTES, "drop_tops: the length is more than that of a chunk")
    require(keep <= 65, "drop_tops: the keep byte is impossible")
    require(len(data) >= 3 + tail_bytes, "drop_tops: the input is too short for its tail")
    tail = data[len(data) - 3 - tail_bytes : -3]
    rest = data[: len(data) - 3 - tail_bytes]
    if keep == 65:
        require(not rest, "drop_tops: words where all are zero")
        return bytes(8 * count) + tail
    if keep == 64:
        require(len(rest) == 8 * count, "drop_tops: the words have the wrong length")
        return rest + tail

    bitmap, rest = take_levels(rest, CHUNK_BYTES // 64)
    full = set(set_bits(bitmap))
    require(all(i < count for i in full), "drop_tops: a full word lies beyond the end")
    low_bytes = ((count - len(full)) * keep + 7) // 8
    require(len(rest) == 8 * len(full) + low_bytes, "drop_tops: the words have the wrong length")
    full_words = iter(words_of(rest[: 8 * len(full)], 8)[0])
    lows = BitReader(rest[8 * len(full) :])
    words = []
    previous = 0
    for i in range(count):
        if i in full:
            previous = next(full_words)
        else:
            top = previous >> keep << keep if repeated else 0
            previous = top | lows.get(keep)
        words.append(previous)
    return bytes_of(words, 8, tail)


def undo_drop_zero_tops(data, _width, _context):
    return undo_drop_tops(data, repeated=False)


def undo_drop_repeated_tops(data, _width, _context):
    return undo_drop_tops(data, repeated=True)


# ---- the stage over a leaf ------------------------------------------------------------------------------------------------------


def undo_match_history(data):
    """Values and distances back to the words; for leaves of kind 1."""
    both, _ = words_of(data, 8)
    count = len(both) // 2
    words = []
    for i in range(count):
        distance = both[count + i]
        require(distance <= i, "match_history: a distance leads before the first word")
        words.append(words[i - distance] if distance else both[i])
    return bytes_of(words, 8)


# ---- codecs ---------------------------------------------------------------------------------------------------------------------

SPEED = [undo_delta, undo_zigzag, undo_bit_pack]
SP_RATIO = [undo_delta, undo_zigzag, undo_bit_transpose, undo_drop_zeros]
DP_RATIO = [undo_delta, undo_zigzag, undo_drop_zero_tops, undo_drop_repeated_tops]
GFC = [undo_lane_delta, undo_byte_pack]


class Codec:
    def __init__(self, name, width, stages, has_history=False, has_dimensionality=False):
        self.name = name
        self.width = width
        self.stages = stages
        self.has_history = has_history
        self.has_dimensionality = has_dimensionality

    def decode_chunk(self, payload, chunk_bytes, dimensionality):
        """The chunk of a coded payload."""
        context = {"chunk_bytes": chunk_bytes, "dimensionality": dimensionality}
        data = payload
        for undo in reversed(self.stages):
            data = undo(data, self.width, context)
        require(len(data) == chunk_bytes, "a chunk has the wrong length")
        return data


CODECS = {
    1: Codec("spspeed", 4, SPEED),
    2: Codec("dpspeed", 8, SPEED),
    3: Codec("spratio", 4, SP_RATIO),
    4: Codec("dpratio", 8, DP_RATIO, has_history=True),
    5: Codec("gfc", 8, GFC, has_dimensionality=True),
    6: Codec("gfc", 4, GFC, has_dimensionality=True),
    7: Codec("speed8", 1, [undo_offset_pack]),
    8: Codec("speed16", 2, [undo_offset_pack]),
}
