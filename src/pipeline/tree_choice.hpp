// How the trees of a stream of a column are chosen: by a planner, or by the user.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "floe/floe.hpp"
#include "pipeline/encode/group_encoder.hpp"

namespace floe::pipeline {

/// What became of the given trees in a column.
struct TreeOutcomes {
  std::vector<std::size_t> fitting;  ///< Indices in TableOptions::trees.
  std::vector<UnfitTree> unfit;
};

class TreeChoice {
 public:
  TreeChoice(const TableOptions& table, const Schema& schema, const trees::Objective& objective);

  /// The first tree for a column that is not there.
  [[nodiscard]] std::optional<std::size_t> tree_without_column() const;
  /// A coder for words of `type`. Appends what became of the trees that were tried.
  [[nodiscard]] std::unique_ptr<StreamCoder> coder_for(std::uint32_t column, std::size_t stream, DType type,
                                                       TreeOutcomes& outcomes) const;
  /// Appends the trees for streams that a column with so many streams has not.
  void find_trees_beyond(std::uint32_t column, std::size_t stream_count, TreeOutcomes& outcomes) const;
  /// Whether there is a tree for the first stream of a column.
  [[nodiscard]] bool has_tree(std::uint32_t column) const;
  /// Whether a tree is for a column by name.
  [[nodiscard]] bool has_name(std::size_t tree) const { return !trees_[tree].column.empty(); }
  [[nodiscard]] const trees::Objective& objective() const { return objective_; }

 private:
  [[nodiscard]] bool is_for(std::size_t tree, std::uint32_t column) const;

  std::vector<GivenTree> trees_;
  std::vector<std::optional<std::uint32_t>> columns_;  ///< Of the trees with a name.
  const PlannerFactory* planners_;
  trees::Objective objective_;
};

}  // namespace floe::pipeline
