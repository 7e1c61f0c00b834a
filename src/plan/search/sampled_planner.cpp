#include "plan/search/sampled_planner.hpp"

#include "plan/search/budgeted_search.hpp"
#include "plan/search/finalists.hpp"

namespace floe::trees {

Plan SampledPlanner::search(const SegmentWindows& segment, Scratch& scratch,
                            const SearchThreads::Meanwhile& meanwhile) const {
  const std::vector<ColumnView> windows = windows_of(segment, planning_window_words);
  if (threads_ != nullptr && objective_.is_budgeted)
    return plan_hastily(windows, segment.count, objective_, max_plan_depth, *threads_, scratch, meanwhile);
  if (meanwhile) meanwhile();
  return plan_windows(windows, segment.count, objective_, max_plan_depth, scratch);
}

const Plan& SampledPlanner::plan_for(const SegmentWindows& segment, Scratch& scratch,
                                     const SearchThreads::Meanwhile& meanwhile) {
  ++segment_count_;
  const Fingerprint fingerprint = fingerprint_of(windows_of(segment, fingerprint_words));
  CachedPlan* const known = plans_.nearest(fingerprint);
  const bool is_stale = search_again_ && known == current_;
  if (known == nullptr || is_stale) {
    ++search_count_;
    Plan plan = search(segment, scratch, meanwhile);
    current_ = is_stale ? known : &plans_.add();
    // A tree that came out again waits longer for the next search.
    const std::uint64_t patience =
        is_stale && plan == known->plan ? std::min<std::uint64_t>(2 * known->patience, 64) : 1;
    *current_ = {fingerprint, std::move(plan), 0, 0, 0, patience, segment_count_};
    search_again_ = false;
  } else {
    if (known != current_) search_again_ = false;
    current_ = known;
  }
  current_->last_used = segment_count_;
  plans_.trim();
  current_words_ = segment.count;
  return current_->plan;
}

void SampledPlanner::learn(std::uint64_t encoded_bytes) {
  if (current_ == nullptr) return;
  const std::uint64_t bits = bits_per_kiloword(encoded_bytes, current_words_);
  if (current_->bits_per_kiloword == 0) {
    current_->bits_per_kiloword = bits;  // the first segment of this tree
  } else {
    search_again_ = is_drifting(*current_, bits, segment_count_);
  }
}

}  // namespace floe::trees
