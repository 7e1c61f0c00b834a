// Searches for the trees of a segment that are worth encoding.
#include <algorithm>
#include <utility>

#include "plan/rare_remainders.hpp"
#include "plan/search/predictions.hpp"
#include "plan/segment/best_tree.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

/// Where samples deceive, so many times the windows show more: those of an image may all have missed what is
/// in its middle.
constexpr std::uint32_t denser_windows = 4;
constexpr std::uint64_t missed_part = 6;  ///< By which the best tree costs more than its estimate then.
/// Its children are then searched by their own words, and by such a part where time counts less.
constexpr std::uint64_t missed_part_of_children = 12;
/// Where the best tree costs more than its estimate by such a part, so many that begin otherwise are searched
/// for.
constexpr std::uint64_t misleading_part = 2;
constexpr unsigned max_other_roots = 2;

/// Samples are not believed where those of a faster goal promise less than what was encoded by such a part.
constexpr std::uint64_t doubtful_part = 4;
/// Where a tree is known, another search ends with what its first samples promise if that is more by such a
/// part.
constexpr std::uint64_t surprising_part = 8;

/// Where sizes are all that counts, matches of a stream, and what they are looked for in, are remembered even
/// if the memo is full: so many times the bytes of the segment.
constexpr std::uint64_t growth_by_matches = 4;

}  // namespace

Objective like_faster_goal(const Objective& objective, Preset preset) {
  Objective faster = objective_of(preset, objective.for_devices);
  faster.times = objective.times;
  if (!is_fast(faster)) faster.strides = objective.strides;
  faster.table_bits = objective.table_bits;
  faster.excluded_roots = objective.excluded_roots;
  if (is_fast(faster)) return faster;
  return objective.remembers ? objective_for_long_segments(faster, objective.window_factor) : faster;
}

SegmentSearch::SegmentSearch(const ColumnView& segment, const Objective& objective, Scratch& scratch,
                             bool is_whole)
    : segment_(segment),
      objective_(objective),
      scratch_(scratch),
      memo_(segment, scratch, objective.remembers ? 0 : growth_by_matches * segment.bytes()),
      is_whole_(is_whole),
      leaves_codecs_(is_whole && !objective.rival && objective.decode_megabytes_per_second == 0),
      codecs_(estimate_codecs(segment, objective)),
      chains_(segment, objective, scratch),
      faster_(objective) {
  if (!objective.rival) return;
  faster_ = like_faster_goal(objective, *objective.rival);
  if (objective.remembers || objective.for_devices) return;
  // The rival encodes the stream by itself. Weights between those of both show something else.
  faster_.encode_nanosecond /= 2;
}

std::optional<std::uint64_t> SegmentSearch::codec_bytes() const {
  if (codecs_.empty()) return {};
  return std::ranges::min(codecs_, {}, &Choice::cost).cost / cost_of_byte;
}

std::optional<EncodedTree> SegmentSearch::best_tree(std::optional<std::uint64_t> known_bytes,
                                                    std::span<const Plan> similar) {
  if (known_bytes) max_first_bytes_ = *known_bytes + *known_bytes / surprising_part;
  const bool takes_similar = take_similar(similar);
  if (!takes_similar && !search_thoroughly()) return {};
  improve(takes_similar);
  return std::move(best_);
}

bool SegmentSearch::take_similar(std::span<const Plan> trees) {
  const Plan* best = nullptr;
  for (const Plan& plan : trees) {
    const std::uint64_t cost = estimate_known_tree(segment_, plan, judging(objective_), scratch_);
    if (best != nullptr && cost >= first_estimate_) continue;
    best = &plan;
    first_estimate_ = cost;
  }
  if (best == nullptr || first_estimate_ >= segment_.bytes() * cost_of_byte) {
    first_estimate_ = 0;
    return false;
  }
  SampledChildPlanner child_planner(objective_, first_estimate_, scratch_);
  best_ = encode_tree(segment_, *best, scratch_, &child_planner);
  encoded_.push_back(*best);
  was_deceived_ = deceives(first_estimate_, cost_of(best_, segment_.type, objective_), missed_part);
  return true;
}

Objective SegmentSearch::thorough_objective() const {
  Objective thorough = objective_;
  if (objective_.rival && !objective_.for_devices && promises_predictions(segment_, scratch_))
    thorough.predicts = true;
  return thorough;
}

bool SegmentSearch::search_thoroughly() {
  if (!search_first()) return false;
  const bool searches_children = misses_children_;
  search_again();
  if (searches_children && !is_fast(objective_) && !objective_.for_devices) {
    SampledChildPlanner child_planner(objective_, encoded_bytes(best_) * cost_of_byte, scratch_, true);
    keep_if_preferred(encode_tree(segment_, best_.wanted, scratch_, &child_planner));
  }
  return true;
}

bool SegmentSearch::search_first() {
  looks_again_if_deceived_ = may_look_again() && objective_.remembers;
  std::optional<EncodedTree> first = search(thorough_objective());
  looks_again_if_deceived_ = false;
  if (!first) return false;
  best_ = std::move(*first);
  return true;
}

void SegmentSearch::search_again() {
  if (!may_look_again() || (!was_deceived_ && !objective_.compares_streams)) return;
  const Objective thorough = thorough_objective();
  Objective denser = thorough;
  denser.windows *= denser_windows;
  denser.rival_windows *= denser_windows;
  consider(denser);
  if (objective_.compares_streams) consider(broader_objective(thorough));
}

std::optional<EncodedTree> SegmentSearch::search(const Objective& by, std::uint64_t tolerated,
                                                 bool may_begin_again) {
  const Finalists finalists = find_finalists(segment_, codecs_, by, max_plan_depth, scratch_, max_cost());
  const Plan best{finalists.choices[0].nodes};
  found_narrow_ |= std::ranges::any_of(finalists.choices, [](const Choice& choice) {
    return choice.nodes[0].encoding == EncodingId::narrow && is_beside_others(choice);
  });
  if (leaves_codecs_ && best.nodes[0].encoding == EncodingId::codec)
    return EncodedTree{best, best, {{segment_.bytes(), 0}}, {}};
  if (std::optional<EncodedTree> columns = try_quick_columns(finalists)) return columns;
  const bool is_known =
      objective_.trials == 1 && std::find(encoded_.begin(), encoded_.end(), best) != encoded_.end();
  const bool is_anew = may_begin_again && is_in_doubt(finalists);
  if (is_anew) chains_.begin_again();
  if (!is_anew && (is_known || !may_be_better(finalists, tolerated))) return {};
  std::optional<EncodedTree> chain = chains_.encode_best(by, finalists);
  if ((is_known && !is_anew) || chains_.are_better_than(finalists)) return chain;
  encoded_.push_back(best);
  SampledChildPlanner child_planner(by, finalists.choices[0].cost, scratch_);
  const auto cost = [&](const EncodedTree& of) { return cost_of(of, segment_.type, finalists.weighed); };
  const auto deceives_by = [&](const EncodedTree& of, std::uint64_t part) {
    return deceives(finalists.choices[0].cost, cost(of), part);
  };
  EncodedTree tree = encode_tree(segment_, best, scratch_, &child_planner);
  if (!objective_.for_devices && deceives_by(tree, tolerated_part))
    encode_but_for_few(segment_, tree, scratch_, &child_planner);
  was_deceived_ = deceives_by(tree, missed_part);
  if (!was_deceived_ || !looks_again_if_deceived_) {
    tree = best_of(std::move(tree), segment_, finalists, objective_, &child_planner, scratch_);
    was_deceived_ = deceives_by(tree, missed_part);
    if (deceives_by(tree, misleading_part)) try_other_roots(by, finalists, tree);
  }
  const bool has_time = objective_.rival || is_for_other_goal_;
  misses_children_ = deceives_by(tree, has_time ? missed_part_of_children : missed_part);
  if (!chain) return std::optional(std::move(tree));
  const bool is_chain_better =
      objective_.rival ? is_preferred(*chain, tree, segment_, objective_) : cost(*chain) < cost(tree);
  return is_chain_better ? std::move(*chain) : std::move(tree);
}

void SegmentSearch::try_other_roots(const Objective& by, const Finalists& finalists, EncodedTree& best) {
  Objective others = without_root(by, finalists.choices[0].nodes[0].encoding);
  const auto cost = [&](const EncodedTree& of) { return cost_of(of, segment_.type, finalists.weighed); };
  // Where another known tree is better already, one is enough.
  const bool is_brief =
      is_fast(objective_) || (weighs_encoding(objective_) && best.wanted.nodes != finalists.choices[0].nodes);
  const unsigned max_count = is_brief ? 1 : max_other_roots;
  for (unsigned i = 0; i < max_count; ++i) {
    others = without_root(others, best.wanted.nodes[0].encoding);
    const Finalists found = find_finalists(segment_, {}, others, max_plan_depth, scratch_, cost(best));
    const auto choice = std::find_if(found.choices.begin(), found.choices.end(), [&](const Choice& of) {
      return may_have_root(others, of.nodes[0].encoding);
    });
    if (choice == found.choices.end() || choice->cost >= cost(best)) return;
    others = without_root(others, choice->nodes[0].encoding);
    SampledChildPlanner child_planner(by, choice->cost, scratch_);
    EncodedTree tree = encode_tree(segment_, {choice->nodes}, scratch_, &child_planner);
    if (is_preferred(tree, best, segment_, objective_)) best = std::move(tree);
  }
}

std::uint64_t SegmentSearch::max_cost() const {
  return first_estimate_ != 0 && compares_estimates() ? 2 * encoded_bytes(best_) * cost_of_byte
                                                      : unknown_cost;
}

Objective SegmentSearch::judging(const Objective& weights) const {
  Objective judging = weights;
  judging.windows = objective_.rival_windows;
  judging.window_words = objective_.rival_window_words;
  return judging;
}

bool SegmentSearch::may_be_better(const Finalists& finalists, std::uint64_t tolerated) {
  std::uint64_t cost = finalists.choices[0].cost;
  if (first_estimate_ == 0) {
    first_estimate_ = cost;
    return !max_first_bytes_ || cost <= *max_first_bytes_ * cost_of_byte;
  }
  if (!compares_estimates()) return true;
  const Plan plan{finalists.choices[0].nodes};
  if (shows_in_samples(plan)) {
    const std::uint64_t judged = estimate_known_tree(segment_, plan, judging(finalists.weighed), scratch_);
    if (judged < segment_.bytes() * cost_of_byte) cost = judged;  // else words do not repeat in samples
  }
  const std::uint64_t known = std::max(first_estimate_, cost_of(best_, segment_.type, finalists.weighed));
  return cost <= known + known / tolerated;
}

bool SegmentSearch::is_in_doubt(const Finalists& finalists) const {
  const std::uint64_t cost = cost_of(best_, segment_.type, finalists.weighed);
  return deceives(first_estimate_, cost) || finalists.choices[0].cost < cost - cost / doubtful_part;
}

}  // namespace floe::trees
