// Chooses trees for segments of which only windows are at hand, and which something else encodes: a tree for
// each kind of data, found when the kind appears first.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan/objective.hpp"
#include "plan/plan_cache.hpp"
#include "plan/search/budgeted_search.hpp"
#include "plan/search/search_threads.hpp"
#include "plan/search/windows.hpp"

namespace floe::trees {

/// The plans depend on the segments given so far and on the objective alone. Not thread-safe.
class SampledPlanner {
 public:
  /// `threads`, if there are some, help budgeted searches; they must remain.
  explicit SampledPlanner(const Objective& objective, SearchThreads* threads = nullptr)
      : objective_(objective), threads_(threads) {}
  /// What follows are segments of another stream: trees of those before are not tried on it. With other
  /// strides kinds are forgotten, as other differences suit them.
  void begin_stream(const FarStrides& strides = {}) {
    used_.clear();
    if (strides == strides_) return;
    strides_ = strides;
    plans_ = PlanCache(PlanCache::many);
    search_count_ = segment_count_ = 0;
  }
  /// Called before a search: begins with a tree, and returns it.
  using Begin = std::function<BegunTree()>;
  /// The tree for a segment. Where it costs hardly more than the best one that is found, it is what was begun
  /// with. Throws std::bad_alloc, and what `begin` throws.
  const Plan& plan_for(const SegmentWindows& segment, Scratch& scratch, const Begin& begin = {});
  const Plan& plan_for(const SegmentWindows& segment, const Fingerprint& fingerprint, Scratch& scratch,
                       const Begin& begin = {});
  /// The same for a segment of a kind that was there before; null if it is of another one.
  const Plan* known_plan_for(const Fingerprint& fingerprint) { return use_nearest(fingerprint); }
  /// The trees for segments that are planned side by side, by all threads that are awake: they depend on
  /// which segments are given together. After many searches segments of new kinds get the tree of a kind that
  /// is near, whichever suits them best. Precondition: a budgeted objective.
  std::vector<Plan> plan_all(std::span<const SegmentWindows> segments, Scratch& scratch);
  static Fingerprint fingerprint(const SegmentWindows& segment) {
    return fingerprint_of(windows_of(segment, fingerprint_words));
  }
  /// How often trees were searched so far.
  [[nodiscard]] std::uint64_t search_count() const { return search_count_; }

 private:
  const Plan* use_nearest(const Fingerprint& fingerprint);
  void note_used(const Plan& plan);
  const Plan& use(CachedPlan& plan);
  [[nodiscard]] Plan search(const SegmentWindows& segment, Scratch& scratch, const Begin& begin) const;
  [[nodiscard]] Plan search(const SegmentWindows& segment, SearchThreads& threads, Scratch& scratch,
                            const BegunTree& begun) const;

  struct Look;
  void assign(Look& look, std::size_t known_kinds);
  void search_or_choose(Look& look, SearchThreads& threads, Scratch& scratch) const;
  void for_each(std::size_t count, Scratch& scratch, const SearchThreads::Task& work);

  Objective objective_;
  SearchThreads* threads_;
  FarStrides strides_;
  PlanCache plans_{PlanCache::many};
  std::vector<Plan> used_;  ///< Trees of the stream so far, the last ones, all different.
  std::uint64_t segment_count_ = 0, search_count_ = 0;
};

}  // namespace floe::trees
