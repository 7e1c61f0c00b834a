#include "research/edge_statistics.hpp"

#include <algorithm>
#include <limits>

namespace floe::trees {
namespace {

std::uint32_t ratio_of(const NodeSize& size) {
  const std::uint64_t ratio = size.words_bytes * ratio_one / std::max<std::uint64_t>(size.encoded_bytes, 1);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(ratio, std::numeric_limits<std::uint32_t>::max() / 512));
}

/// Updates the edges below `node`, which is at `slot`, and moves behind its sub-tree.
void update_subtree(EdgeStatistics& statistics, const EncodedTree& tree, std::size_t& node,
                    std::optional<EdgeSlot> slot) {
  const std::size_t parent = node++;
  const PlanNode& at = tree.plan.nodes[parent];
  const unsigned children = encoding_of(at.encoding).children_of(at.parameters);
  for (unsigned child = 0; child < children; ++child) {
    const EdgeSlot edge = slot ? slot_below(*slot, child) : child;
    const NodeSize size = tree.sizes[node];
    if (size.words_bytes > 0) {
      const auto weight = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(256, size.words_bytes * 256 / tree.sizes[0].words_bytes));
      statistics.update(edge, at, tree.plan.nodes[node], (ratio_of(tree.sizes[parent]) + ratio_of(size)) / 2,
                        weight);
    }
    update_subtree(statistics, tree, node, edge);
  }
}

}  // namespace

void EdgeStatistics::update(EdgeSlot slot, const PlanNode& parent, const PlanNode& child, std::uint32_t ratio,
                            std::uint32_t weight) {
  std::uint32_t& value = values_.try_emplace(key_of(slot, parent, child), ratio_one).first->second;
  const std::int64_t step =
      (static_cast<std::int64_t>(ratio) - static_cast<std::int64_t>(value)) * weight / 512;
  value = static_cast<std::uint32_t>(static_cast<std::int64_t>(value) + step);
}

void EdgeStatistics::update(const EncodedTree& tree) {
  std::size_t node = 0;
  update_subtree(*this, tree, node, std::nullopt);
}

std::uint32_t EdgeStatistics::value(EdgeSlot slot, const PlanNode& parent, const PlanNode& child) const {
  const auto found = values_.find(key_of(slot, parent, child));
  return found == values_.end() ? ratio_one : found->second;
}

std::vector<EdgeStatistics::Pair> EdgeStatistics::best_pairs(EdgeSlot slot) const {
  std::vector<Pair> pairs;
  for (auto it = values_.lower_bound({slot, EncodingId{}, {}, EncodingId{}, {}});
       it != values_.end() && std::get<0>(it->first) == slot; ++it) {
    const auto& [position, parent, parent_parameters, child, child_parameters] = it->first;
    pairs.push_back({{parent, parent_parameters}, {child, child_parameters}, it->second});
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.value > b.value; });
  return pairs;
}

}  // namespace floe::trees
