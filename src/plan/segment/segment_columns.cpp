// Trees of a segment that take its words apart into columns.
#include <optional>
#include <utility>

#include "plan/interleaved_columns.hpp"
#include "plan/segment/best_tree.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

/// Of columns that lie one behind the other, the search ends with what its first samples promise if that is
/// more than the known bytes by such a part. Where sizes are all that counts, the search goes on if
/// the first tree takes no more but for another part, and then if the best one so far takes no more but for a
/// smaller part, unless samples promised much less; else that tree, which is remembered, must save one.
constexpr std::uint64_t surprising_part_of_columns = 4, tolerated_part_of_columns = 20,
                        near_part_of_columns = 32, saved_part_of_columns = 32;

/// What a tree with columns must promise to save where encoding shall not take long; where it promises to
/// cost no more than so many 16ths of the best of all others, these are left out. Of the streams below, those
/// are searched briefly that cost no more than so many times the part of the whole that is usual.
constexpr std::uint64_t saved_part_of_quick_columns = 8, sufficient_sixteenths = 9, care_for_columns = 4;

/// So many columns are searched with the same care as segments when their words are encoded.
constexpr std::uint32_t few_columns = 16;

}  // namespace

std::optional<EncodedTree> SegmentSearch::best_tree_of_columns(std::uint64_t known_bytes) {
  max_first_bytes_ = known_bytes + known_bytes / surprising_part_of_columns;
  const auto exceeds = [&](std::uint64_t part) {
    return encoded_bytes(best_) > known_bytes + known_bytes / part;
  };
  if (!search_first()) return {};
  if (objective_.remembers) {
    if (encoded_bytes(best_) + known_bytes / saved_part_of_columns > known_bytes) return {};
    return std::move(best_);
  }
  if (exceeds(tolerated_part_of_columns)) return {};
  const bool promises_much = first_estimate_ < known_bytes * cost_of_byte / 2;
  search_again();
  if (!promises_much && exceeds(near_part_of_columns)) return {};
  improve(false);
  return std::move(best_);
}

void SegmentSearch::consider_columns() {
  const SearchMemo::Episode episode(memo_);  // columns serve no other search
  for (const Plan& plan : plans_of_columns(segment_, objective_, encoded_bytes(best_), scratch_)) {
    const bool are_many = objective_.remembers && plan.nodes[0].parameters[0] > few_columns;
    are_many ? keep_if_preferred(encode_tree(segment_, plan, scratch_)) : consider(plan);
  }
}

std::optional<EncodedTree> SegmentSearch::try_quick_columns(const Finalists& finalists) {
  if (!weighs_encoding(objective_) || columns_) return {};
  const std::uint64_t known = finalists.choices[0].cost;
  columns_ =
      quick_tree_of_columns(segment_, finalists.weighed, known, scratch_).value_or(Choice{{}, unknown_cost});
  if (is_for_other_goal_ || columns_->cost > known / 16 * sufficient_sixteenths) return {};
  EncodedTree tree = encode_columns();
  if (cost_of(tree, segment_.type, finalists.weighed) > known - known / saved_part_of_quick_columns)
    return {};
  columns_->nodes.clear();
  return tree;
}

void SegmentSearch::consider_quick_columns(const EncodedTree& other) {
  if (!columns_ || columns_->nodes.empty()) return;
  const auto cost = [&](const EncodedTree& of) { return cost_of(of, segment_.type, objective_); };
  const std::uint64_t known = cost(other);
  if (columns_->cost > known - known / saved_part_of_quick_columns) return;
  EncodedTree tree = encode_columns();
  if (cost(tree) >= known) return;
  if (is_for_other_goal_)
    tree_of_columns_ = std::move(tree);
  else
    keep_if_preferred(std::move(tree));
}

EncodedTree SegmentSearch::encode_columns() {
  SampledChildPlanner child_planner(objective_, care_for_columns * columns_->cost, scratch_);
  return encode_tree(segment_, {columns_->nodes}, scratch_, &child_planner);
}

void SegmentSearch::consider_transposed() {
  for (const std::uint32_t columns : transposable_columns(segment_, objective_)) {
    const TransposedSegment transposed(segment_, columns, scratch_);
    const ColumnView words = transposed.words();
    const Objective objective = transposed.objective(objective_);
    SegmentSearch search(words, objective, scratch_, false);
    std::optional<EncodedTree> tree = search.best_tree_of_columns(encoded_bytes(best_));
    if (tree) tree = transposed.tree_above(std::move(*tree));
    if (tree) keep_if_preferred(std::move(*tree));
  }
}

}  // namespace floe::trees
