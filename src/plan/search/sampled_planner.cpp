#include "plan/search/sampled_planner.hpp"

#include "plan/search/budgeted_search.hpp"
#include "plan/search/finalists.hpp"

namespace floe::trees {

Plan SampledPlanner::search(const SegmentWindows& segment, Scratch& scratch,
                            const SearchThreads::Meanwhile& meanwhile) const {
  const std::vector<ColumnView> windows = windows_of(segment, planning_window_words);
  if (threads_ != nullptr && objective_.is_budgeted)
    return plan_budgeted(windows, segment.count, objective_, max_plan_depth, *threads_, scratch, meanwhile);
  if (meanwhile) meanwhile();
  return plan_windows(windows, segment.count, objective_, max_plan_depth, scratch);
}

const Plan& SampledPlanner::plan_for(const SegmentWindows& segment, Scratch& scratch,
                                     const SearchThreads::Meanwhile& meanwhile) {
  ++segment_count_;
  const Fingerprint fingerprint = fingerprint_of(windows_of(segment, fingerprint_words));
  CachedPlan* plan = plans_.nearest(fingerprint);
  if (plan == nullptr) {
    ++search_count_;
    Plan found = search(segment, scratch, meanwhile);
    plan = &plans_.add();
    plan->fingerprint = fingerprint;
    plan->plan = std::move(found);
  }
  plan->last_used = segment_count_;
  plans_.trim();
  return plan->plan;
}

}  // namespace floe::trees
