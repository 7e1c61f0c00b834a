// Which tree is the best for a stream? Dynamic programming over samples: what an encoding costs is the sum of what its children cost, so
// the best tree consists of the best trees of the children.
#pragma once

#include <vector>

#include "series/plan.hpp"
#include "series/planner/objective.hpp"

namespace floe::series {

/// A tree and what it costs.
struct Choice {
  std::vector<PlanNode> nodes;
  std::uint64_t cost = 0;  ///< In 1/256 bit, for the whole stream that the sample stands for.
};

/// The best trees for a stream of `whole_count` words that `sample` stands for, one per encoding at the root, cheapest first.
/// At most `depth_left` nodes above each other. Throws std::bad_alloc.
std::vector<Choice> search_trees(const ColumnView& sample, std::uint64_t whole_count, const Objective& objective, std::size_t depth_left,
                                 Scratch& scratch);

/// What a tree would cost for the stream that `sample` stands for; if that is `limit` or more, some number from there on. Where an encoding
/// does not fit the sample, the plain leaf is reckoned.
std::uint64_t estimate_tree(const std::vector<PlanNode>& nodes, const ColumnView& sample, std::uint64_t whole_count,
                            const Objective& objective, Scratch& scratch, std::uint64_t limit = ~std::uint64_t{0});

}  // namespace floe::series
