#include "plan/search/sampled_planner.hpp"

#include <algorithm>

#include "plan/search/far/window_chains.hpp"
#include "plan/search/finalists.hpp"
#include "plan/search/guess.hpp"
#include "plan/search/search.hpp"

namespace floe::trees {
namespace {

/// Trees of a stream that are tried on a new kind of segments of it: searches of a few words miss some.
constexpr std::size_t max_used = 4;
/// Of segments that are planned side by side, so many kinds are searched, and one more for each so many
/// segments. Others get the tree of one of so many kinds that are near.
constexpr std::uint64_t many_searches = 24, segments_of_search = 64;
constexpr std::size_t max_near = 4;
/// Fewer searches than these share the threads one by one; of more, each has a thread.
constexpr std::size_t few_at_once = 4;

}  // namespace

Plan SampledPlanner::search(const SegmentWindows& segment, Scratch& scratch, const Begin& begin) const {
  const BegunTree begun = begin ? begin() : BegunTree{};
  if (threads_ != nullptr && objective_.is_budgeted) return search(segment, *threads_, scratch, begun);
  return plan_windows(windows_of(segment, planning_window_words), segment.planned_count(), objective_,
                      max_plan_depth, scratch);
}

/// The best tree by windows alone, or a chain with far differences: the best one, one of those before, or
/// what was begun with.
Plan SampledPlanner::search(const SegmentWindows& segment, SearchThreads& threads, Scratch& scratch,
                            const BegunTree& begun) const {
  const auto is_far = [&](const Plan& plan) { return far_chain_of(plan, segment.strides).has_value(); };
  std::vector<Plan> near, far;
  for (const Plan& plan : used_) (is_far(plan) ? far : near).push_back(plan);
  const bool has_begun_far = begun.plan != nullptr && is_far(*begun.plan);
  Plan plan = plan_budgeted(windows_of(segment, planning_window_words), segment.planned_count(), objective_,
                            max_plan_depth, threads, scratch, {near, has_begun_far ? BegunTree{} : begun});
  const auto best = best_far_chain(segment, plan, objective_, threads, scratch);
  if (best) far.push_back(best->chain.plan());
  if (has_begun_far) far.push_back(*begun.plan);  // the last one
  if (far.empty()) return plan;
  const Awake awake(&threads);
  std::uint64_t cost = cost_of_tree(plan, segment, objective_, threads, scratch);
  const bool has_begun_this = begun.plan != nullptr && plan == *begun.plan;
  if (has_begun_this) cost -= begun.tolerated(cost);
  for (std::size_t i = 0; i < far.size(); ++i) {
    std::uint64_t its = cost_of_tree(far[i], segment, objective_, threads, scratch);
    if (has_begun_far && i + 1 == far.size()) its -= begun.tolerated(its);
    if (!is_worth_far_differences(its, cost)) continue;
    cost = its;
    plan = far[i];
  }
  return plan;
}

void SampledPlanner::note_used(const Plan& plan) {
  if (std::find(used_.begin(), used_.end(), plan) == used_.end()) used_.push_back(plan);
  if (used_.size() > max_used) used_.erase(used_.begin());
}

const Plan& SampledPlanner::use(CachedPlan& plan) {
  ++segment_count_;
  note_used(plan.plan);
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

/// A segment that is planned beside others.
struct SampledPlanner::Look {
  const SegmentWindows* segment = nullptr;
  Fingerprint fingerprint{};
  CachedPlan* kind = nullptr;  ///< Null: one of `near`.
  bool is_searched = false;    ///< As the first one of its kind, or once more.
  std::vector<CachedPlan*> near;
  Plan plan;  ///< If it was searched, or is of no kind.
};

/// Samples of few words deceive searches: a kind is searched once more on the second segment that it has,
/// and again after four times as many.
void SampledPlanner::assign(Look& look, std::size_t known_kinds) {
  ++segment_count_;
  const bool may_search = search_count_ < many_searches + segment_count_ / segments_of_search;
  look.kind = plans_.nearest(look.fingerprint);
  if (look.kind != nullptr) {
    look.is_searched = may_search && ++look.kind->calm >= look.kind->patience;
    if (look.is_searched) look.kind->patience *= 4;
  } else if (may_search || known_kinds == 0) {
    look.is_searched = true;
    look.kind = &plans_.add();
    look.kind->fingerprint = look.fingerprint;
  } else {
    look.near = plans_.neighbours(look.fingerprint, nullptr, max_near, known_kinds);
  }
  if (look.is_searched) ++search_count_;
  if (look.kind != nullptr) look.kind->last_used = segment_count_;
}

/// The best tree that can be found, or the one of a kind that is near.
void SampledPlanner::search_or_choose(Look& look, SearchThreads& threads, Scratch& scratch) const {
  const SegmentWindows& segment = *look.segment;
  if (look.is_searched) {
    look.plan = search(segment, threads, scratch, {});
    return;
  }
  const std::vector<ColumnView> windows = windows_of(segment, objective_.window_words);
  std::uint64_t min_cost = unlimited_cost;
  for (const CachedPlan* const kind : look.near) {
    if (look.plan == kind->plan) continue;
    std::uint64_t cost = 0;
    const bool is_far = far_chain_of(kind->plan, segment.strides).has_value();
    if (is_far) cost = cost_of_tree(kind->plan, segment, objective_, threads, scratch);
    for (std::size_t i = 0; i < windows.size() && cost < min_cost && !is_far; ++i)
      cost += estimate_tree(kind->plan.nodes, windows[i], segment.planned_count(), objective_, scratch,
                            min_cost - cost);
    if (cost >= min_cost && !look.plan.nodes.empty()) continue;
    min_cost = cost;
    look.plan = kind->plan;
  }
}

void SampledPlanner::for_each(std::size_t count, Scratch& scratch, const SearchThreads::Task& work) {
  if (threads_ != nullptr) return threads_->run(count, scratch, work);
  for (std::size_t i = 0; i < count; ++i) work(i, scratch);
}

std::vector<Plan> SampledPlanner::plan_all(std::span<const SegmentWindows> segments, Scratch& scratch) {
  std::vector<Look> looks(segments.size());
  for_each(looks.size(), scratch, [&](std::size_t i, Scratch&) {
    looks[i].segment = &segments[i];
    looks[i].fingerprint = fingerprint(segments[i]);
  });
  const std::size_t known_kinds = plans_.size();
  std::vector<Look*> searched, chosen;
  for (Look& look : looks) {
    assign(look, known_kinds);
    if (look.is_searched) searched.push_back(&look);
    if (look.kind == nullptr) chosen.push_back(&look);
  }
  const bool share_threads = threads_ != nullptr && searched.size() < few_at_once;
  for (std::size_t i = 0; share_threads && i < searched.size(); ++i)
    search_or_choose(*searched[i], *threads_, scratch);
  if (!share_threads) chosen.insert(chosen.begin(), searched.begin(), searched.end());
  for_each(chosen.size(), scratch, [&](std::size_t i, Scratch& own) {
    SearchThreads nobody;  // each task its own: they take tasks of one caller only
    search_or_choose(*chosen[i], nobody, own);
  });
  std::vector<Plan> plans;
  for (Look& look : looks) {
    if (look.is_searched) look.kind->plan = look.plan;
    plans.push_back(look.kind != nullptr ? look.kind->plan : look.plan);
    note_used(plans.back());
  }
  plans_.trim();
  return plans;
}

}  // namespace floe::trees
