#include "series/planner/column_planner.hpp"

#include <algorithm>

#include "series/planner/windows.hpp"

namespace floe::series {
namespace {

/// Trees of each window that are tried on the others.
constexpr std::size_t finalists_per_window = 2;
constexpr std::uint64_t most_patience = 64;

std::uint64_t bits_per_kiloword(const EncodedTree& tree, const ColumnView& segment) {
  return series::bits_per_kiloword(tree.body.size(), segment.count);
}

class SampledChildPlanner final : public ChildPlanner {
 public:
  SampledChildPlanner(const Objective& objective, Scratch& scratch) : objective_(objective), scratch_(scratch) {}
  Plan plan_for(const ColumnView& child, std::size_t depth) override { return plan_stream(child, objective_, depth, scratch_); }

 private:
  const Objective& objective_;
  Scratch& scratch_;
};

}  // namespace

Plan plan_stream(const ColumnView& stream, const Objective& objective, std::size_t most_depth, Scratch& scratch) {
  return plan_stream(windows_of(stream, planning_window_words, planning_windows), stream.count, objective, most_depth, scratch);
}

Plan plan_stream(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective, std::size_t most_depth,
                 Scratch& scratch) {
  const std::size_t depth = std::min<std::size_t>(most_depth, objective.search_depth);
  std::vector<std::vector<PlanNode>> finalists;
  const auto search = [&](const ColumnView& window) {
    const std::vector<Choice> choices = search_trees(window, count, objective, depth, scratch);
    for (std::size_t i = 0; i < std::min(choices.size(), finalists_per_window); ++i) {
      if (std::find(finalists.begin(), finalists.end(), choices[i].nodes) == finalists.end()) finalists.push_back(choices[i].nodes);
    }
    return choices[0].cost;
  };
  const std::uint64_t first_cost = search(windows[0]);
  if (windows.size() == 1) return {finalists[0]};
  // Where the first window's tree costs the same elsewhere, the stream is the same elsewhere.
  for (std::size_t i = 1; i < windows.size(); ++i) {
    const std::uint64_t cost = estimate_tree(finalists[0], windows[i], count, objective, scratch);
    if (cost > first_cost + first_cost / 8 || cost + first_cost / 8 < first_cost) search(windows[i]);
  }
  std::size_t best = 0;
  std::uint64_t best_cost = ~std::uint64_t{0};
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    std::uint64_t cost = 0;
    for (const ColumnView& window : windows) cost += estimate_tree(finalists[i], window, count, objective, scratch);
    if (cost < best_cost) {
      best_cost = cost;
      best = i;
    }
  }
  return {finalists[best]};
}

EncodedTree ColumnPlanner::search_and_encode(const ColumnView& segment, Scratch& scratch) {
  ++report_.searches;
  SampledChildPlanner child_planner(objective_, scratch);
  return encode_tree(segment, plan_stream(segment, objective_, max_plan_depth, scratch), scratch, &child_planner);
}

EncodedTree ColumnPlanner::encode(const ColumnView& segment, Scratch& scratch) {
  ++report_.segments;
  const Fingerprint fingerprint = fingerprint_of(segment);
  Regime* regime = regimes_.nearest(fingerprint);
  if (regime == nullptr) {
    EncodedTree tree = search_and_encode(segment, scratch);
    regimes_.add() = {fingerprint, tree.wanted, bits_per_kiloword(tree, segment), report_.segments, 0, 1, report_.segments};
    return tree;
  }
  regime->last_used = report_.segments;
  EncodedTree tree = encode_tree(segment, regime->plan, scratch);
  if (!is_drifting(*regime, bits_per_kiloword(tree, segment), report_.segments)) return tree;

  ++report_.encoded_twice;
  EncodedTree again = search_and_encode(segment, scratch);
  regime->searched = report_.segments;
  regime->drift = 0;
  const bool is_better = again.body.size() * 50 < tree.body.size() * 49;  // by 2 %
  regime->patience = is_better ? 1 : std::min(2 * regime->patience, most_patience);
  if (again.body.size() < tree.body.size()) tree = std::move(again);
  if (is_better) regime->plan = tree.wanted;
  regime->bits_per_kiloword = bits_per_kiloword(tree, segment);
  return tree;
}

}  // namespace floe::series
