// Which encoder does a stream of a column get: a planner, or a tree that the user gave?
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "floe/series.hpp"
#include "pipeline/column_codec.hpp"

namespace floe::tables {

/// What became of the given trees in a column.
struct TreeOutcomes {
  std::vector<std::size_t> fitting;  ///< Indices in TableOptions::trees.
  std::vector<UnfitTree> unfit;
};

/// Const functions are thread-safe.
class EncoderChoice {
 public:
  EncoderChoice(const TableOptions& options, const Schema& schema);

  /// The first tree for a column that is not there.
  [[nodiscard]] std::optional<std::size_t> tree_without_column() const;
  /// An encoder for words of `type`. Appends what became of the trees that were tried.
  [[nodiscard]] std::unique_ptr<series::ColumnEncoder> encoder_for(std::uint32_t column, std::size_t stream, DType type,
                                                                   TreeOutcomes& outcomes) const;
  /// Appends the trees for streams that a column with so many streams has not.
  void find_trees_beyond(std::uint32_t column, std::size_t stream_count, TreeOutcomes& outcomes) const;
  /// Whether a tree is for a column by name.
  [[nodiscard]] bool has_name(std::size_t tree) const { return !trees_[tree].column.empty(); }
  [[nodiscard]] const series::Objective& objective() const { return objective_; }

 private:
  [[nodiscard]] bool is_for(std::size_t tree, std::uint32_t column) const;

  std::vector<GivenTree> trees_;
  std::vector<std::optional<std::uint32_t>> columns_;  ///< Of the trees with a name.
  TreePlanner planner_;
  series::Objective objective_;
};

}  // namespace floe::tables
