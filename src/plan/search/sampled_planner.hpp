// Chooses trees for segments of which only windows are at hand, and which something else encodes: a tree for
// each kind of data, found when the kind appears first.
#pragma once

#include "plan/objective.hpp"
#include "plan/plan_cache.hpp"
#include "plan/search/search_threads.hpp"
#include "plan/search/windows.hpp"

namespace floe::trees {

/// The plans depend on the segments given so far and on the objective alone. Not thread-safe.
class SampledPlanner {
 public:
  /// `threads`, if there are some, help budgeted searches; they must remain.
  explicit SampledPlanner(const Objective& objective, SearchThreads* threads = nullptr)
      : objective_(objective), threads_(threads) {}
  /// The tree for a segment. If it is searched, this thread calls `meanwhile` before it waits for others.
  /// Throws std::bad_alloc, and what `meanwhile` throws.
  const Plan& plan_for(const SegmentWindows& segment, Scratch& scratch,
                       const SearchThreads::Meanwhile& meanwhile = {});
  /// How often trees were searched so far.
  [[nodiscard]] std::uint64_t search_count() const { return search_count_; }

 private:
  [[nodiscard]] Plan search(const SegmentWindows& segment, Scratch& scratch,
                            const SearchThreads::Meanwhile& meanwhile) const;

  Objective objective_;
  SearchThreads* threads_;
  PlanCache plans_;
  std::uint64_t segment_count_ = 0, search_count_ = 0;
};

}  // namespace floe::trees
