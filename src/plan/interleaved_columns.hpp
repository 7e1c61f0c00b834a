// Trees for segments whose words are columns of several kinds that take turns, as in the rows of an array
// whose last dimension is short.
#pragma once

#include <optional>
#include <vector>

#include "plan/objective.hpp"
#include "plan/search/finalists.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// Trees that split a segment into its columns, each of which has a tree of its own: of the strides of the
/// objective, up to 64, the one by which the columns differ most. None where they hardly differ, or samples
/// promise clearly more than `known_bytes`. Uses what the scratch memory remembers of the segment. Throws
/// std::bad_alloc.
std::vector<Plan> plans_of_columns(const ColumnView& segment, const Objective& objective,
                                   std::uint64_t known_bytes, Scratch& scratch);
/// The same where encoding shall not take long: one tree of up to 16 columns that samples promise to cost
/// about `known_cost` at most, by a short search for each column.
std::optional<Choice> quick_tree_of_columns(const ColumnView& segment, const Objective& objective,
                                            std::uint64_t known_cost, Scratch& scratch);

/// A segment whose columns lie one behind the other: words of each suit the same tables, runs and matches.
class TransposedSegment {
 public:
  /// Throws std::bad_alloc.
  TransposedSegment(const ColumnView& segment, std::uint32_t columns, Scratch& scratch);
  [[nodiscard]] ColumnView words() const { return made_[0].view(); }
  /// For searches for a tree of the words.
  [[nodiscard]] Objective objective(const Objective& of_segment) const;
  /// The tree of the segment that has this one of the words; nothing if it is too large.
  [[nodiscard]] std::optional<EncodedTree> tree_above(EncodedTree tree) const;

 private:
  PlanNode root_;
  std::uint64_t rows_;
  std::vector<Stream> made_;
};

/// The numbers of columns, among the strides of the objective, for which that may pay.
std::vector<std::uint32_t> transposable_columns(const ColumnView& segment, const Objective& objective);

}  // namespace floe::trees
