#include "plan/search/sampled_planner.hpp"

#include <algorithm>

#include "plan/search/finalists.hpp"

namespace floe::trees {
namespace {

/// Trees of a stream that are tried on a new kind of segments of it: searches of a few words miss some.
constexpr std::size_t max_used = 4;

}  // namespace

Plan SampledPlanner::search(const SegmentWindows& segment, Scratch& scratch, const Begin& begin) const {
  const std::vector<ColumnView> windows = windows_of(segment, planning_window_words);
  const BegunTree begun = begin ? begin() : BegunTree{};
  if (threads_ != nullptr && objective_.is_budgeted)
    return plan_budgeted(windows, segment.planned_count(), objective_, max_plan_depth, *threads_, scratch,
                         {used_, begun});
  return plan_windows(windows, segment.planned_count(), objective_, max_plan_depth, scratch);
}

const Plan& SampledPlanner::use(CachedPlan& plan) {
  ++segment_count_;
  if (std::find(used_.begin(), used_.end(), plan.plan) == used_.end()) used_.push_back(plan.plan);
  if (used_.size() > max_used) used_.erase(used_.begin());
  plan.last_used = segment_count_;
  plans_.trim();
  return plan.plan;
}

const Plan* SampledPlanner::use_nearest(const Fingerprint& fingerprint) {
  CachedPlan* const plan = plans_.nearest(fingerprint);
  return plan == nullptr ? nullptr : &use(*plan);
}

const Plan& SampledPlanner::plan_for(const SegmentWindows& segment, Scratch& scratch, const Begin& begin) {
  return plan_for(segment, fingerprint(segment), scratch, begin);
}

const Plan& SampledPlanner::plan_for(const SegmentWindows& segment, const Fingerprint& fingerprint,
                                     Scratch& scratch, const Begin& begin) {
  if (const Plan* const known = use_nearest(fingerprint)) return *known;
  ++search_count_;
  Plan found = search(segment, scratch, begin);
  CachedPlan& plan = plans_.add();
  plan.fingerprint = fingerprint;
  plan.plan = std::move(found);
  return use(plan);
}

}  // namespace floe::trees
