// The planner of K. Dzitkowski's thesis (2016), repaired, as the baseline that others are compared with: a
// full search every ten segments, edge statistics of every encoded tree, and, when the ratio falls, one
// correction of the tree by them.
//
// Repaired are: edges are typed; values of edges move by the share of their streams; ratios below 1 count;
// the snapshot is a copy; a rebuilt node keeps its encoding; sub-trees are chosen one by one instead of as
// products; the sample is from the middle.
#pragma once

#include "plan/planner.hpp"
#include "research/edge_statistics.hpp"

namespace floe::trees {

class EdgeStatPlanner final : public Planner {
 public:
  /// Searches at the first segment and at the end of every `search_period`.
  explicit EdgeStatPlanner(std::uint64_t search_period = 10) : search_period_(search_period) {}
  EncodedTree encode(const ColumnView& segment, Scratch& scratch) override;

 private:
  Plan search(const ColumnView& segment, Scratch& scratch);

  std::uint64_t search_period_, segment_count_ = 0;
  Plan plan_;
  EdgeStatistics statistics_;
  EdgeStatistics snapshot_;           ///< When the plan was chosen.
  std::uint64_t snapshot_ratio_ = 0;  ///< In 1/256.
};

/// One correction of a tree: the first edge, in the order of positions, for which a better pair was seen
/// since the snapshot gets a new end, if some pair with the same beginning is better, otherwise a new
/// beginning; below, the tree is rebuilt from the best pairs. The plan itself if there is no such edge.
Plan correct_plan(const Plan& plan, DType type, const EdgeStatistics& snapshot, const EdgeStatistics& now);

}  // namespace floe::trees
