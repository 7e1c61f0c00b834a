// What may be better than the best tree that a search of a segment found.
#include <algorithm>
#include <utility>

#include "plan/context_plans.hpp"
#include "plan/matches/match_trials.hpp"
#include "plan/neighbour_predictions.hpp"
#include "plan/planned_encoding.hpp"
#include "plan/search/windows.hpp"
#include "plan/segment/best_tree.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

/// Weights of a nanosecond of decoding that are tried, each twice the one before, where a tree is slower than
/// is demanded. With the last one, bits hardly count.
constexpr std::uint32_t min_weight = 32, max_weight = 1 << 20;
/// Where samples made too little of the best tree by such a part, what the faster goal takes, whose bytes
/// count, is encoded unless it seems to cost more by another.
constexpr std::uint64_t underrated_part = 16, tolerated_part_of_rival = 4;
/// Segments of no more words, and whole ones of fewer bytes, are encoded as the faster goal does it, too:
/// that takes hardly longer than to judge by samples whether it is worth it.
constexpr std::uint64_t few_words = std::uint64_t{1} << 16, few_bytes = std::uint64_t{1} << 20;
/// Predictions take long. So such a part of the words, or so many, is encoded first: there they may take
/// more than the best tree by another part.
constexpr std::uint64_t middle_part = 8, min_words_of_middle = std::uint64_t{1} << 12,
                        tolerated_part_of_middle = 32;
/// What contexts must save, because they take longer to decode than most of a tree.
constexpr std::uint64_t saved_by_contexts = 200;
/// Leaves of segments of no more words may be shorter with one table.
constexpr std::uint64_t words_for_tables = std::uint64_t{1} << 14;

/// Segments of these are, too: samples deceive most about them.
bool is_narrow_integer(DType type) { return is_integer(type) && size_of(type) <= 2; }

/// Of each leaf of entropy.
void take_one_table(Plan& plan) {
  std::replace_if(
      plan.nodes.begin(), plan.nodes.end(),
      [](const PlanNode& node) { return node.encoding == EncodingId::multi_entropy; },
      PlanNode{EncodingId::entropy, {}});
}

}  // namespace

void SegmentSearch::improve(bool takes_similar) {
  const Plan first = best_.wanted;
  // A search that weighs time, or sees less, finds simpler trees, some of which turn out shorter than what
  // samples promised of others.
  if (takes_faster_goal())
    consider_goal(*objective_.rival);
  else if (objective_.rival)
    consider_like_faster_goal();
  if (takes_similar && (was_deceived_ || best_.wanted != first)) consider(thorough_objective());
  consider_predictions();
  consider_contexts();
  MatchTrials(segment_, objective_, faster_, memo_, scratch_, best_).run(first);
  if (objective_.rival && !objective_.for_devices) {
    consider_columns();
    if (tree_of_columns_) keep_if_preferred(std::move(*tree_of_columns_));
    consider_transposed();
  }
  consider_quick_columns(best_);
  consider_single_tables();
  if (takes_fastest_goal()) consider_goal(Preset::fast);
  gain_speed();
  if (objective_.compares_streams && found_narrow_) consider_without_narrow();
}

bool SegmentSearch::takes_faster_goal() const {
  return objective_.rival && compares_estimates() && !objective_.for_columns &&
         (segment_.count <= few_words || is_narrow_integer(segment_.type) ||
          (is_whole_ && segment_.bytes() < few_bytes));
}

bool SegmentSearch::takes_fastest_goal() const {
  return is_narrow_integer(segment_.type) && compares_estimates() && !objective_.for_columns &&
         !is_fast(objective_) && !is_for_other_goal_;
}

bool SegmentSearch::is_underrated() const {
  const std::uint64_t cost = encoded_bytes(best_) * cost_of_byte;
  return cost + cost / underrated_part < first_estimate_;
}

void SegmentSearch::consider_like_faster_goal() {
  const bool may_begin_again = compares_estimates() && !objective_.for_columns;
  if (auto other =
          search(faster_, is_underrated() ? tolerated_part_of_rival : tolerated_part, may_begin_again))
    keep_if_preferred(std::move(*other));
}

void SegmentSearch::consider_goal(Preset preset) {
  Objective faster = like_faster_goal(objective_, preset);
  faster.table_bits = objective_of(preset).table_bits;
  auto tree = best_tree_by(faster);
  if (!tree || !is_preferred(*tree, best_, segment_, objective_)) return;
  best_ = std::move(*tree);
  Plan with_tables = best_.wanted;
  take_tables(with_tables.nodes, objective_);
  if (with_tables != best_.wanted) consider(with_tables);
}

std::optional<EncodedTree> SegmentSearch::best_tree_by(const Objective& faster) {
  SegmentSearch search(segment_, faster, scratch_, false);
  search.is_for_other_goal_ = true;
  if (!was_deceived_) search.take_for_encoded(encoded_);
  std::optional<EncodedTree> best = search.best_tree();
  if (!best) search.consider_quick_columns(best_);
  tree_of_columns_ = std::move(search.tree_of_columns_);
  return best;
}

void SegmentSearch::take_for_encoded(std::vector<Plan> plans) {
  // How far samples deceive about a leaf tells which other trees are worth it.
  if (is_narrow_integer(segment_.type))
    std::erase_if(plans, [](const Plan& plan) { return plan.nodes.size() == 1; });
  for (Plan& plan : plans) take_one_table(plan);
  encoded_ = std::move(plans);
}

void SegmentSearch::consider_predictions() {
  const std::vector<Plan> plans = neighbour_predictions(segment_, best_.wanted, objective_);
  if (plans.empty()) return;
  const ColumnView middle = middle_of(segment_, std::max(segment_.count / middle_part, min_words_of_middle));
  const auto bytes_of_middle = [&](const Plan& plan) {
    return encoded_bytes(encode_remembered(middle, plan, scratch_));
  };
  const std::uint64_t known = bytes_of_middle(best_.wanted);
  for (const Plan& plan : plans) {
    if (bytes_of_middle(plan) <= known + known / tolerated_part_of_middle) consider(plan);
  }
}

void SegmentSearch::consider_contexts() {
  for (const Plan& plan : context_plans(segment_, best_, objective_, scratch_)) {
    EncodedTree tree = encode(plan, objective_);
    const std::uint64_t known = encoded_bytes(best_);
    if (encoded_bytes(tree) + known / saved_by_contexts <= known) keep_if_preferred(std::move(tree));
  }
}

void SegmentSearch::consider_single_tables() {
  if (!objective_.rival || segment_.count > words_for_tables) return;
  Plan plan = best_.plan;
  take_one_table(plan);
  if (plan != best_.plan) consider(plan);
}

void SegmentSearch::consider_without_narrow() {
  const Objective others = without_root(objective_, EncodingId::narrow);
  keep_if_preferred(*SegmentSearch(segment_, others, scratch_, false).best_tree());
}

void SegmentSearch::gain_speed() {
  for (std::uint32_t weight = min_weight; weight <= max_weight && !keeps_speed(best_, segment_, objective_);
       weight *= 2) {
    if (weight <= objective_.decode_nanosecond) continue;
    faster_.decode_nanosecond = weight;
    consider(faster_);
  }
}

EncodedTree SegmentSearch::encode(const Plan& plan, const Objective& of_children) {
  SampledChildPlanner child_planner(of_children, encoded_bytes(best_) * cost_of_byte, scratch_);
  return encode_tree(segment_, plan, scratch_, &child_planner);
}

void SegmentSearch::keep_if_preferred(EncodedTree tree) {
  if (is_preferred(tree, best_, segment_, objective_)) best_ = std::move(tree);
}

void SegmentSearch::consider(const Objective& by) {
  if (std::optional<EncodedTree> other = search(by)) keep_if_preferred(std::move(*other));
}

void SegmentSearch::consider(const Plan& plan) { keep_if_preferred(encode(plan, objective_)); }

}  // namespace floe::trees
