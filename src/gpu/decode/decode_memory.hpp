// The shared memory of a block that decodes. The tree it works on, the chain it runs, and a tile per worker.
#pragma once

#include <cstddef>

#include "core/bits.hpp"
#include "encodings/rules.hpp"
#include "gpu/warp/block.hpp"
#include "gpu/warp/memory_access.hpp"
#include "tree/plan.hpp"

namespace floe::gpu {

using trees::EncodingId;

inline constexpr unsigned max_nodes = trees::max_device_plan_nodes;
inline constexpr unsigned max_depth = trees::max_plan_depth;
FLOE_HD constexpr unsigned word_bytes(DType type) {
  constexpr std::uint64_t all =
      trees::nibbles([](unsigned i) { return static_cast<unsigned>(size_of(static_cast<DType>(i))); });
  return trees::nibble_of(all, static_cast<unsigned>(type));
}

/// One node of the tree that a block works on.
struct Node {
  EncodingId encoding{};
  DType type{};
  std::uint8_t parent = 0, slot = 0;  ///< Of the parent, which child.
  std::uint8_t child[8] = {};         ///< Where its children are; those of a stride_split may be 8.
  std::uint8_t child_count = 0;       ///< Of them, that were read so far.
  bool is_stream = false;             ///< Its words are written to memory; otherwise they belong to a chain.
  std::uint32_t parameter[2] = {};
  std::uint32_t count = 0;        ///< Words.
  std::uint32_t at = 0, end = 0;  ///< Where its header's lists or its payload lie in the segment.
  std::uint64_t number[2] = {};   ///< From its header.
  std::uint8_t* words = nullptr;  ///< Of a stream.
  std::uint8_t* table = nullptr;  ///< Memory besides; of bitpack the entries of its vectors, if known.
};

/// A tile of 64-bit words with padding against bank conflicts, and a row of bytes behind it that is read and
/// does not matter; that is room to unpack a vector in place, too (see unpack.hpp).
inline constexpr std::uint32_t tile_bytes = 8576;

/// What a chain does with each word, from its source upwards.
struct ChainStep {
  /// divide: only where blocks of a few warps unpack, the last step: words are quotients by number[1], and
  /// number[0] is the remainder of all, if it is the same.
  enum Kind : std::uint8_t { sum, int_mult, sortable, divide, nothing };
  Kind kind = sum;
  bool has_head = false;  ///< Of sum: the stream begins with a word from the header.
  std::uint64_t number[2] = {};
};

/// Where the words of a chain come from.
enum class SourceKind : std::uint8_t { vectors, bytes, constant, runs, escapes, merge };
/// What happens to them when they are stored.
enum class FinalKind : std::uint8_t { same, decimal, look_up };

inline constexpr unsigned max_steps = 2 * max_depth + 1;

/// A chain: a source of words, steps that do not change their width, and what stores them.
struct Chain {
  SourceKind source{};
  FinalKind final{};
  std::uint8_t word_bytes = 0, out_bytes = 0;
  std::uint8_t step_count = 0;
  std::uint32_t count = 0;             ///< Words of the source.
  const std::uint8_t* data = nullptr;  ///< Words at any address; entries of vectors; first runs of tiles.
  std::uint64_t constant = 0;
  const Node* node = nullptr;  ///< Of runs, escapes and merges.
  ChainStep step[max_steps];
  std::uint8_t head_count = 0;  ///< Words before those of the source.
  std::uint64_t head[max_steps];
  double power = 1;                     ///< Of decimals.
  const std::uint8_t* table = nullptr;  ///< Of a look-up.
  std::uint32_t table_count = 0;
  std::uint8_t* out = nullptr;
};

/// Where a vector of an bitpack payload lies.
struct VectorEntry {
  std::uint64_t base = 0;
  std::uint32_t packed = 0, exceptions = 0;
  std::uint16_t exception_count = 0;
  std::uint8_t width = 0, upper_bits = 0;
};

inline constexpr std::uint32_t max_parts = 1024;

/// Counters that go on from tile to tile: one per sum of a chain, and one for its source.
inline constexpr unsigned source_counter = max_steps;

/// Memory for streams, given out from its beginning.
struct ScratchMemory {
  std::uint8_t* data = nullptr;
  std::uint64_t bytes = 0, used = 0;

  /// Null if there is not enough.
  FLOE_DEVICE std::uint8_t* take(std::uint64_t count) {
    count = (count + 15) / 16 * 16;
    if (count > bytes - used) return nullptr;
    used += count;
    return data + (used - count);
  }
};

/// Marked words of a tile: they come from one stream, others from another; or runs begin with them.
struct Marks {
  std::uint32_t bits = 0;      ///< Of the 32 words from 32 * lane on, which are marked.
  std::uint32_t before = 0;    ///< Marked words of the tile before these.
  std::uint64_t in_tiles = 0;  ///< Marked words of the tiles before.
};

/// What is known of a part of a segment whose headers were read, by its block or by a warp before.
struct OpenedPart {
  std::uint32_t code;                                            ///< An ErrorCode, 0 while all is well.
  std::uint32_t segment_at, words_left, part_words, parts_left;  ///< Where the next part begins.
  std::uint32_t first_plan;  ///< Where the plan of the segment's first part is.
  std::uint32_t plan_count;
  std::uint32_t node_count;
  Node nodes[max_nodes];
};

/// Nodes of a part that warps open for blocks, the bytes that they hand over, and the code of larger parts.
inline constexpr unsigned max_opened_nodes = 16;
inline constexpr std::uint32_t opened_bytes =
    (offsetof(OpenedPart, nodes) + max_opened_nodes * sizeof(Node) + 15) / 16 * 16;
inline constexpr std::uint32_t not_opened = 0xFFFFFFFF;
/// Positions of vectors that follow: of two streams as long as the segment, and of some short ones.
FLOE_HD constexpr std::uint32_t max_opened_entries(std::uint32_t words) { return 2 * tiles_of((words)) + 16; }

struct alignas(16) DecodeMemory : OpenedPart {
  std::uint64_t totals[column_warps];
  std::uint64_t carry[max_steps + 1]
                     [2];  ///< Sums up to and including the last tiles; see add_up in run_chain.hpp.
  std::uint32_t carry_of[max_steps + 1][2];  ///< Tiles that they comprise.
  std::uint64_t first_words[64];
  Chain chain;
  std::uint32_t has_empty_runs;
  std::uint8_t* plan_offsets;    ///< Of the plans that parts may refer to; 32 bits each.
  std::uint8_t* vector_entries;  ///< Of the chain's vectors, where nobody has found them before.
  std::uint32_t set_bits[column_warps][warp_lanes];
  std::uint32_t ticket[2];  ///< In turn.
  alignas(16) std::uint8_t tiles[column_warps][tile_bytes];
};

}  // namespace floe::gpu
