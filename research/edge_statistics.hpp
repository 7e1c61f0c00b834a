// How well did encodings follow each other at each position of the trees of a column? The memory of the
// planner `edgestat`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// Ratios, in 1/256.
inline constexpr std::uint32_t ratio_one = 256;

/// A position in a tree: the edges of the root are 0, 1, 2 ..., those below edge e max_edges * (e + 1) and
/// up.
using EdgeSlot = std::uint32_t;
inline constexpr EdgeSlot max_edges = 8;
constexpr EdgeSlot slot_below(EdgeSlot slot, unsigned child) noexcept {
  return max_edges * (slot + 1) + child;
}

class EdgeStatistics {
 public:
  struct Pair {
    PlanNode parent, child;
    std::uint32_t value = ratio_one;
  };

  /// Moves the value of an edge, which begins at 1, half way towards `ratio` if its stream is all of the
  /// data, otherwise by its share, `weight` in 1/256, of that.
  void update(EdgeSlot slot, const PlanNode& parent, const PlanNode& child, std::uint32_t ratio,
              std::uint32_t weight = 256);
  /// Updates every edge of a tree: its ratio is the mean of those at both ends.
  void update(const EncodedTree& tree);
  [[nodiscard]] std::uint32_t value(EdgeSlot slot, const PlanNode& parent, const PlanNode& child) const;
  /// The pairs that were seen at a position, best first; of equals, the first in the order of their
  /// encodings.
  [[nodiscard]] std::vector<Pair> best_pairs(EdgeSlot slot) const;

 private:
  using Key = std::tuple<EdgeSlot, EncodingId, Parameters, EncodingId, Parameters>;
  static Key key_of(EdgeSlot slot, const PlanNode& parent, const PlanNode& child) {
    return {slot, parent.encoding, parent.parameters, child.encoding, child.parameters};
  }
  std::map<Key, std::uint32_t> values_;
};

}  // namespace floe::trees
