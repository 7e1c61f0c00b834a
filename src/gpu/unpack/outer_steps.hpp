// What lies above a chain whose words blocks of a few warps make: differences to far words, as those of rows,
// once or twice, and decimals or floats on a grid. Words of the chain go to their position, and all threads
// of the block take them through these steps there. Or a dictionary or runs, of which the chain makes the
// codes or the values.
#pragma once

#include "gpu/decode/open_tree.hpp"

namespace floe::gpu {

/// Sums of differences with a stride. Words of a header come before those that are stored.
struct OuterSum {
  std::uint32_t stride = 0, order = 0;
  std::uint32_t first = 0;                   ///< Of the words, that of the sums: their heads come first.
  std::uint32_t heads = 0, at = 0, end = 0;  ///< How many there are, and where in the segment.
};

inline constexpr unsigned max_outer_sums = 2;

struct alignas(16) OuterSteps {
  /// What the words of the chain are: they go through the sums and the grid, if there are such; or they are
  /// quotients, codes of a dictionary, or values of runs.
  enum Kind : std::uint8_t { words, quotients, codes, values };
  OuterSum sum[max_outer_sums];  ///< Outermost first.
  std::uint32_t sum_count = 0;
  bool is_grid = false;
  Kind kind = words;
  DType type{};
  bool is_decimal = false;                  ///< What the outermost sums become, in place of `after`.
  std::uint16_t exponent = 0;               ///< Of a grid; the digits of decimals.
  std::uint32_t low_at = 0, low_count = 0;  ///< Bytes below it, in the segment.
  std::uint32_t count = 0;                  ///< Of all words.
  ChainStep after;                          ///< Of the sums; nothing above a grid.
  std::uint8_t* out = nullptr;
  /// Entries of the vectors of remainders, of codes that are no leaf of entropy, or of lengths.
  const std::uint8_t* vectors = nullptr;
  std::uint32_t others = 0;                     ///< Entries of a dictionary, or runs.
  const std::uint8_t* other_vectors = nullptr;  ///< Entries of the vectors of a dictionary's.

  [[nodiscard]] FLOE_DEVICE bool are_some() const { return is_grid || sum_count > 0; }
  /// Whether there is another chain.
  [[nodiscard]] FLOE_DEVICE bool has_streams() const { return kind == codes || kind == values; }
  /// Words before those of the chain.
  [[nodiscard]] FLOE_DEVICE std::uint32_t heads() const {
    std::uint32_t all = 0;
    for (unsigned i = 0; i < sum_count; ++i) all += sum[i].heads;
    return all;
  }
};
static_assert(sizeof(OuterSteps) <= 4 * warp_lanes, "each lane fetches 32 bits");

/// How wide the words are in which sums are made: as wide as those of the segment.
FLOE_DEVICE unsigned slot_bytes(const OuterSteps& outer) { return word_bytes(outer.type); }

/// Whether a node is a grid without exceptions whose bytes stand in the segment.
FLOE_DEVICE bool is_plain_grid(const OpenedPart& part, const Node& node) {
  if (node.encoding != EncodingId::grid || node.number[1] > 0) return false;
  const Node& low = part.nodes[node.child[1]];
  return node.number[0] == 0 || low.encoding == EncodingId::raw;
}

/// Takes the steps off that are above the chain of a tree. Returns the node below them: the root if there are
/// none.
FLOE_DEVICE unsigned set_outer_steps(const OpenedPart& part, unsigned max_near, std::uint8_t* out,
                                     OuterSteps& outer) {
  const Node& root = part.nodes[0];
  unsigned index = 0;
  outer.after.kind = ChainStep::nothing;
  if (is_plain_grid(part, root)) {
    const Node& low = part.nodes[root.child[1]];
    outer.is_grid = true;
    outer.exponent = static_cast<std::uint16_t>(root.parameter[0]);
    outer.low_at = low.at;
    outer.low_count = low.count;
    index = root.child[0];
  } else if (root.encoding == EncodingId::decimal && root.number[0] == 0) {
    outer.is_decimal = true;
    outer.exponent = static_cast<std::uint16_t>(root.parameter[0]);
    index = root.child[0];
  } else if (root.encoding == EncodingId::sortable || root.encoding == EncodingId::int_mult) {
    outer.after.kind = root.encoding == EncodingId::sortable ? ChainStep::sortable : ChainStep::int_mult;
    outer.after.number[0] = root.number[0];
    outer.after.number[1] = root.number[1];
    index = root.child[0];
  }
  std::uint32_t first = 0;
  for (; outer.sum_count < max_outer_sums; index = part.nodes[index].child[0]) {
    const Node& node = part.nodes[index];
    const std::uint32_t order = node.parameter[0], stride = node.parameter[1];
    if (node.encoding != EncodingId::delta || stride <= (order > 1 ? 1 : max_near)) break;
    const bool is_near = stride <= trees::DeltaRules::max_near_stride;
    if (is_near && order > 1 && outer.is_grid) break;
    OuterSum& sum = outer.sum[outer.sum_count++];
    sum = {stride, order, first, 0, node.at, node.end};
    if (is_near) sum.heads = static_cast<std::uint32_t>(node.number[0] + node.number[1]);
    first += sum.heads;
  }
  if (!outer.are_some()) {
    outer = {};
    return 0;
  }
  outer.type = root.type;
  outer.count = root.count;
  outer.out = out;
  return index;
}

}  // namespace floe::gpu
