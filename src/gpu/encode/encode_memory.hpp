// The shared memory of a block that encodes: plan, tree, pieces, chain, and a tile of words per warp.
#pragma once

#include "core/bits.hpp"
#include "floe/cuda.hpp"
#include "gpu/decode/decode_memory.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/warp/block.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

/// All warps of a block encode: 8 of them at most, on a device.
inline constexpr unsigned max_encode_warps = column_threads / warp_lanes;
inline constexpr unsigned max_pieces = 3 * max_nodes + 8;

/// A plan in pre-order, and for each node the one behind its sub-tree.
struct EncodePlan {
  std::uint8_t count = 0;
  std::uint8_t encoding[max_nodes + 1] = {};  ///< The last place is free for a plan of one leaf.
  std::uint8_t next[max_nodes + 1] = {};
  std::uint32_t parameter[max_nodes + 1][2] = {};

  FLOE_DEVICE EncodingId id(unsigned node) const { return static_cast<EncodingId>(encoding[node]); }
  FLOE_DEVICE void put(EncodingId id, std::uint32_t a, std::uint32_t b) {
    encoding[count] = static_cast<std::uint8_t>(id);
    parameter[count][0] = a;
    parameter[count][1] = b;
    ++count;
  }
  /// Precondition: the nodes are those of a checked plan.
  FLOE_DEVICE void find_siblings() {
    for (unsigned node = count; node-- > 0;) {
      unsigned behind = node + 1;
      for (unsigned child = trees::children_of(id(node), parameter[node][0]); child > 0; --child)
        behind = next[behind];
      next[node] = static_cast<std::uint8_t>(behind);
    }
  }
};

/// Words in memory that become a sub-tree.
struct EncodeStream {
  const std::uint8_t* words = nullptr;
  std::uint32_t count = 0;
  DType type{};
  bool is_constant = false;  ///< All words are the first one, which is the only one that is there.
};

/// Bytes of the tree that lie together: of a header, of words, or of packed vectors or blocks of entropy,
/// which lie in slots.
struct EncodePiece {
  const std::uint8_t* from = nullptr;
  std::uint32_t bytes = 0;
  std::uint32_t vectors = 0;     ///< If they do, so many, or of_blocks,
  std::uint32_t word_bytes = 0;  ///< of words of this size.

  static constexpr std::uint32_t of_blocks = 0xFFFFFFFF;  ///< `from` is where BlocksInSlots are.
};

/// A node whose children are being encoded.
struct EncodeFrame {
  EncodeStream stream, child[8];
  std::uint64_t first_byte = 0, first_scratch = 0;
  std::uint16_t first_piece = 0;
  std::uint8_t first_node = 0;  ///< Of the tree that comes out.
  std::uint8_t children = 0, next_child = 0;
  std::uint8_t child_node = 0;  ///< Of the plan.
};

/// What happens to the words of a stream before they are packed, in this order.
enum class EncodeMap : std::uint8_t { same, sortable, decimal };
struct EncodeChain {
  EncodeStream from;
  EncodeMap map{};
  bool has_int_mult = false;
  std::uint8_t order = 0;  ///< Of differences: 0 to 2.
  bool is_signed = false;  ///< The words that are packed.
  std::uint8_t word_bytes = 0;
  std::uint8_t shift = 0;   ///< Of scale: the divisor is odd << shift.
  std::uint32_t count = 0;  ///< Words that are packed.
  double power = 1, reciprocal = 1;
  std::uint64_t base = 0, inverse = 1, divisor = 1;
  std::uint64_t head[2] = {};  ///< What differences begin with.
  std::uint64_t last[2] = {};  ///< Of decimals: the words before the first one that is packed, nearest first.
  std::uint32_t* positions = nullptr;  ///< Of decimals: of exceptions.
  std::uint8_t* exceptions = nullptr;
  std::uint32_t exception_count = 0;
  std::uint8_t* out = nullptr;  ///< Slots, or words.
  std::uint32_t payload_bytes = 0;
  std::uint64_t first = 0;  ///< The first word that is packed.
};

/// Of a warp's tile of decimals: what the tiles behind it need to know.
struct DecimalTile {
  std::uint32_t failures = 0;
  bool has_last[2] = {};       ///< Whether a word did not fail; whether one but the last did not.
  std::uint64_t last[2] = {};  ///< The nearest one to the end.
};

/// How a vector is packed.
struct Packing {
  unsigned width = 0;       ///< Of the packed words.
  unsigned full_width = 0;  ///< Of the largest word.
  std::uint32_t exceptions = 0;
};

/// A vector that was packed: its bytes begin `header` bytes before byte slot_header of its slot.
struct PackedSlot {
  std::uint32_t offset = 0;  ///< In the payload.
  std::uint32_t size = 0;    ///< Bytes, and `header` << 24.
};
inline constexpr std::uint32_t slot_header = 16;
/// Behind the bytes of a vector a slot has room for the positions of its exceptions.
constexpr std::uint32_t slot_positions(unsigned word_bytes) {
  return slot_header + tile_words * word_bytes + 16;
}
constexpr std::uint32_t slot_bytes(unsigned word_bytes) {
  return slot_positions(word_bytes) + 2 * tile_words;
}
/// Memory for the slots of `count` words: the table of slots, then slots.
constexpr std::uint64_t slots_bytes(std::uint64_t count, unsigned word_bytes) {
  return (count + tile_words - 1) / tile_words * (sizeof(PackedSlot) + slot_bytes(word_bytes)) + 16;
}
/// Where the first slot lies.
constexpr std::uint64_t first_slot(std::uint64_t vectors) {
  return (vectors * sizeof(PackedSlot) + 15) / 16 * 16;
}

/// Memory for streams, given out from its beginning. There is enough of it: encode_limits.hpp.
struct EncodeScratch {
  std::uint8_t* data = nullptr;
  std::uint64_t used = 0;

  FLOE_DEVICE std::uint8_t* take(std::uint64_t bytes) {
    std::uint8_t* const taken = data + used;
    used += (bytes + 15) / 16 * 16;
    return taken;
  }
};

/// The segment that a block encodes, and where it goes.
struct EncodeTarget {
  EncodeStream words;  ///< No words: there is no segment.
  const std::uint8_t* tree = nullptr;
  std::uint8_t* out = nullptr;  ///< Of the column or frame.
  std::uint64_t out_bytes = 0;
  cuda::SegmentEntry* entry = nullptr;
  cuda::ItemResult* result = nullptr;
  StreamFacts* facts = nullptr;  ///< Or null.
  bool checksums = true;
  std::uint32_t first_ticket = 0;  ///< Of the first segment of the column or frame.
  std::uint16_t lead_bytes = 0;
  bool is_last = false;
};

/// A segment whose pieces lie in the scratch.
struct EncodedSegment {
  EncodeTarget target;
  const EncodePiece* pieces = nullptr;
  std::uint64_t bytes = 0;  ///< Of all pieces.
  std::uint32_t piece_count = 0, ticket = 0;
  bool has_range = false;  ///< For its facts.
};

/// Of a tile: how many runs begin in it, and where in the stream the last of them does.
struct RunsOfTile {
  std::uint32_t count = 0, last = 0;
};

struct EncodeMemory {
  EncodePlan plan, out_plan;
  const std::uint8_t* plan_bytes;  ///< Where the plan was read.
  EncodePiece* pieces;             ///< In the scratch: max_pieces.
  std::uint32_t piece_count;
  std::uint64_t bytes;  ///< Of all pieces.
  EncodeFrame frames[max_depth];
  unsigned frame_count;
  EncodeStream at;  ///< What is encoded next, and with which node of the plan.
  unsigned at_node;
  EncodeChain chain;
  unsigned raw_stage;
  EncodeScratch scratch;
  std::uint32_t flag;  ///< Something was found by some thread.
  std::uint64_t number[4];
  EncodedSegment now, before;  ///< The one that is encoded, and the one that waits for its position.
  std::uint32_t ticket;
  std::uint64_t offset;
  std::uint32_t totals[2][max_encode_warps];
  RunsOfTile runs[2][max_encode_warps];
  std::uint64_t bases[2][max_encode_warps];
  std::uint64_t range[max_encode_warps][3];
  DecimalTile decimals[2][max_encode_warps];
  std::uint32_t counts[66];
  std::uint64_t min[66];
  std::uint32_t marks[max_encode_warps][warp_lanes];
  std::uint32_t tile_bytes = sizeof(tiles) + sizeof(more_tiles);     ///< Of tiles that the block has.
  alignas(16) std::uint8_t tiles[max_encode_warps][8 * tile_words];  ///< Of blocks of fewer warps, as many.
  std::uint8_t more_tiles[5376];  ///< Of blocks for dictionaries: room for larger tables.
};

FLOE_HD constexpr std::uint32_t varint_bytes(std::uint64_t number) {
  return (core::bit_length(number | 1) + 6) / 7;
}

/// The zig-zag of a word of `bits` bits.
FLOE_DEVICE std::uint64_t folded(std::uint64_t word, unsigned bits) {
  const unsigned unused = 64 - bits;
  return core::zigzag(static_cast<std::uint64_t>(static_cast<std::int64_t>(word << unused) >> unused));
}

struct HeaderWriter {
  std::uint8_t* to;
  std::uint32_t size = 0;

  FLOE_DEVICE void put_byte(std::uint8_t byte) { to[size++] = byte; }
  FLOE_DEVICE void put_varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) put_byte(static_cast<std::uint8_t>(number | 0x80));
    put_byte(static_cast<std::uint8_t>(number));
  }
  FLOE_DEVICE void put_signed(std::uint64_t word, unsigned bits) { put_varint(folded(word, bits)); }
  FLOE_DEVICE void put_word(std::uint64_t word, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) put_byte(static_cast<std::uint8_t>(word >> (8 * i)));
  }
};

FLOE_DEVICE void put_piece(EncodeMemory& memory, const std::uint8_t* from, std::uint64_t bytes,
                           std::uint32_t vectors = 0, std::uint32_t word_bytes = 0) {
  if (bytes == 0) return;
  memory.pieces[memory.piece_count++] = {from, static_cast<std::uint32_t>(bytes), vectors, word_bytes};
  memory.bytes += bytes;
}
FLOE_DEVICE void put_piece(EncodeMemory& memory, const HeaderWriter& header) {
  put_piece(memory, header.to, header.size);
}

/// Whether the current stream is a segment of which somebody asks for the range.
FLOE_DEVICE bool wants_range(const EncodeMemory& memory) {
  return memory.at_node == 0 && memory.frame_count == 0 && memory.now.target.facts != nullptr;
}

}  // namespace floe::gpu
