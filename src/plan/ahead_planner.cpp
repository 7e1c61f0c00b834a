#include "plan/ahead_planner.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "plan/search/finalists.hpp"
#include "plan/search/windows.hpp"
#include "plan/segment/segment_search.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

/// The nearest kinds, and how many different trees of theirs and of its own are tried on a segment.
constexpr std::size_t max_like = 16, max_tried = 5;
/// So many searches, and one for each so many segments, may look closer than others: fingerprints that are
/// farther from each other than this are two kinds then, and surprising segments are searched.
constexpr std::uint32_t same_kind_distance_from_near = 8;
constexpr std::uint64_t few_searches = 16, segments_of_search = 1024;
/// After so many, and one for each so many segments, what is clearly new gets the tree of a known kind, too:
/// devices would wait for the search.
constexpr std::uint64_t many_searches = 32, segments_of_kind = 512;
/// When so many segments of a kind in a row kept its tree, only every so-many-th segment is looked at whose
/// fingerprint is that near.
constexpr std::uint64_t calm_segments = 4, looked_at = 4;
constexpr std::uint32_t calm_distance = 8;
/// A segment that promises to cost more than the first one of its kind by such a part is searched.
constexpr std::uint64_t surprising_part = 8;
/// What a search saves, or the kind keeps its tree and waits longer for the next one.
constexpr std::uint64_t saved_part = 50;
constexpr std::uint64_t max_patience = 64;
/// A known tree that costs no more than the best one and such a part is kept: devices encode streams of one
/// tree together.
constexpr std::uint64_t hardly_more = 64;
/// What a known tree costs may turn out to be so many fourths of its estimate: samples make little of
/// dictionaries.
constexpr std::uint64_t likely_quarters = 3;

std::uint64_t per_kiloword(std::uint64_t cost, const ColumnView& words) { return cost * 1024 / words.count; }

/// Those that differ from each other, the first one first.
std::vector<const Plan*> different_plans(const CachedPlan& kind, std::span<const CachedPlan* const> like) {
  std::vector<const Plan*> plans{&kind.plan};
  for (const CachedPlan* const other : like) {
    const auto is_same = [&](const Plan* plan) { return *plan == other->plan; };
    if (plans.size() < max_tried && std::none_of(plans.begin(), plans.end(), is_same))
      plans.push_back(&other->plan);
  }
  return plans;
}

}  // namespace

/// A segment on its way.
struct AheadPlanner::Look {
  AheadSegment* segment = nullptr;
  Fingerprint fingerprint{};
  CachedPlan* kind = nullptr;
  std::size_t known_kinds = 0;  ///< When it was assigned to its own.
  bool is_first = false;        ///< Of its kind.
  bool is_calm = false;         ///< Its kind's tree is taken as it is.
  bool waits = false;           ///< For trees that are being searched.
  std::uint64_t cost = 0;       ///< Of 1024 words with its plan, by a sample.
};

void AheadPlanner::plan(std::span<AheadSegment* const> segments, const ForEach& for_each) {
  std::vector<Look> looks(segments.size());
  for_each(looks.size(), [&](std::size_t i, Scratch&) {
    looks[i].segment = segments[i];
    looks[i].fingerprint =
        fingerprint_of(windows_of(segments[i]->words, fingerprint_words, planning_windows));
  });
  std::vector<Look*> first, others;
  for (Look& look : looks) {
    assign(look);
    if (look.is_first)
      first.push_back(&look);
    else if (!look.is_calm)
      others.push_back(&look);
  }
  for_each(first.size() + others.size(), [&](std::size_t i, Scratch& scratch) {
    i < first.size() ? search(*first[i]->segment, scratch) : fit_if_known(*others[i - first.size()], scratch);
  });
  for (Look* const look : first) look->kind->plan = look->segment->plan;
  for_each(first.size(), [&](std::size_t i, Scratch& scratch) { compare_with_known(*first[i], scratch); });
  for (Look* const look : first) {
    look->kind->plan = look->segment->plan;
    look->kind->expected_cost = look->cost;
  }
  std::vector<Look*> waiting;
  std::copy_if(others.begin(), others.end(), std::back_inserter(waiting),
               [](const Look* look) { return look->waits; });
  for_each(waiting.size(), [&](std::size_t i, Scratch& scratch) { fit(*waiting[i], scratch); });
  for (Look& look : looks) {
    if (look.is_calm) look.segment->plan = look.kind->plan;
  }
  for (const Look* const look : others) {
    const bool keeps_tree = look->segment->plan == look->kind->plan && !is_surprising(*look);
    look->kind->calm = keeps_tree ? look->kind->calm + 1 : 0;
  }
  const std::vector<Look*> again = surprising(looks);
  for_each(again.size(), [&](std::size_t i, Scratch& scratch) { search_again(*again[i], scratch); });
  for (const Look* const look : again) note(*look);
  plans_.trim();
}

void AheadPlanner::assign(Look& look) {
  ++segment_count_;
  look.kind =
      plans_.nearest(look.fingerprint, nullptr,
                     may_search_more(0) ? same_kind_distance_from_near : PlanCache::same_kind_distance);
  if (look.kind == nullptr && search_count_ > many_searches + segment_count_ / segments_of_kind)
    look.kind = plans_.nearest(look.fingerprint, nullptr, ~std::uint32_t{0});
  look.is_calm = look.kind != nullptr && look.kind->calm >= calm_segments &&
                 segment_count_ % looked_at != 0 &&
                 distance(look.kind->fingerprint, look.fingerprint) <= calm_distance;
  look.known_kinds = plans_.size();
  if (look.kind == nullptr) {
    look.is_first = true;
    look.kind = &plans_.add();
    look.kind->fingerprint = look.fingerprint;
    ++search_count_;
  }
  look.kind->last_used = segment_count_;
}

/// Of its kind, and of those that it was like when it was assigned to that.
std::vector<const Plan*> AheadPlanner::plans_for(const Look& look) const {
  const std::vector<CachedPlan*> like =
      plans_.neighbours(look.fingerprint, look.kind, max_like, look.known_kinds);
  return different_plans(*look.kind, like);
}

bool AheadPlanner::may_search_more(std::size_t planned) const {
  return search_count_ + planned <= few_searches + segment_count_ / segments_of_search;
}

void AheadPlanner::search(AheadSegment& segment, Scratch& scratch) const {
  segment.tree = encode_searched(segment.words, objective_, scratch);
  segment.plan = segment.tree->wanted;
}

std::uint64_t AheadPlanner::estimate(const AheadSegment& segment, Scratch& scratch) const {
  return per_kiloword(estimate_known_tree(segment.words, segment.plan, objective_, scratch), segment.words);
}

/// Samples deceive searches: where a known tree may cost less than the tree that was found, both encode.
void AheadPlanner::compare_with_known(Look& look, Scratch& scratch) const {
  AheadSegment& segment = *look.segment;
  const std::vector<const Plan*> plans = plans_for(look);
  if (plans.size() > 1) {
    const auto known = std::span(plans).subspan(1);
    const KnownTree best = cheapest_known_tree(segment.words, known, objective_, scratch);
    const std::uint64_t cost = cost_of(*segment.tree, segment.words.type, objective_);
    if (best.cost / 4 * likely_quarters < cost) {
      EncodedTree tree = encode_tree(segment.words, *known[best.index], scratch);
      if (cost_of(tree, segment.words.type, objective_) < cost + cost / hardly_more) {
        segment.plan = *known[best.index];
        segment.tree = std::move(tree);
      }
    }
  }
  look.cost = estimate(segment, scratch);
}

/// While other segments are searched, whose kinds have no tree yet.
void AheadPlanner::fit_if_known(Look& look, Scratch& scratch) const {
  const std::vector<const Plan*> plans = plans_for(look);
  look.waits = std::any_of(plans.begin(), plans.end(), [](const Plan* plan) { return plan->nodes.empty(); });
  if (!look.waits) fit(look, plans, scratch);
}

void AheadPlanner::fit(Look& look, Scratch& scratch) const { fit(look, plans_for(look), scratch); }

void AheadPlanner::fit(Look& look, std::span<const Plan* const> plans, Scratch& scratch) const {
  AheadSegment& segment = *look.segment;
  const KnownTree best = cheapest_known_tree(segment.words, plans, objective_, scratch);
  segment.plan = *plans[best.index];
  look.cost = per_kiloword(best.cost, segment.words);
}

bool AheadPlanner::is_surprising(const Look& look) {
  return look.cost > look.kind->expected_cost + look.kind->expected_cost / surprising_part;
}

/// Segments that promise to cost much more than the first one of their kind, one of a kind at a time.
std::vector<AheadPlanner::Look*> AheadPlanner::surprising(std::span<Look> looks) const {
  std::vector<Look*> chosen;
  for (Look& look : looks) {
    CachedPlan& kind = *look.kind;
    if (look.is_first || look.is_calm || !is_surprising(look)) continue;
    const bool waits = kind.searched != 0 && segment_count_ - kind.searched < kind.patience;
    if (kind.is_pending || waits || !may_search_more(chosen.size())) continue;
    kind.is_pending = true;
    chosen.push_back(&look);
  }
  return chosen;
}

void AheadPlanner::search_again(Look& look, Scratch& scratch) const {
  AheadSegment& segment = *look.segment;
  const Plan known = segment.plan;
  search(segment, scratch);
  EncodedTree tree = encode_tree(segment.words, known, scratch);
  const std::uint64_t cost = cost_of(tree, segment.words.type, objective_);
  if (cost_of(*segment.tree, segment.words.type, objective_) < cost - cost / saved_part) {
    look.is_first = true;
    look.cost = estimate(segment, scratch);
  } else {
    segment.plan = known;
    segment.tree = std::move(tree);
  }
}

void AheadPlanner::note(const Look& look) {
  CachedPlan& kind = *look.kind;
  kind.is_pending = false;
  kind.searched = segment_count_;
  ++search_count_;
  if (!look.is_first) {
    kind.patience = std::min(2 * kind.patience, max_patience);
    return;
  }
  CachedPlan& other = plans_.add();  // a kind that only looked the same
  other.fingerprint = look.fingerprint;
  other.plan = look.segment->plan;
  other.expected_cost = look.cost;
  other.last_used = segment_count_;
}

}  // namespace floe::trees
