#include "pipeline/tree_choice.hpp"

#include <algorithm>
#include <charconv>

namespace floe::pipeline {
namespace {

std::optional<std::uint32_t> find_column(const Schema& schema, std::string_view name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [name](const Column& column) { return column.name == name; });
  if (found != schema.end()) return static_cast<std::uint32_t>(found - schema.begin());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0 || number > schema.size())
    return std::nullopt;
  return number - 1;
}

}  // namespace

TreeChoice::TreeChoice(const TableOptions& table, const Schema& schema, const trees::Objective& objective)
    : trees_(table.trees), planners_(table.planners), objective_(objective) {
  if (planners_ != nullptr) planners_->adjust(objective_);
  for (const GivenTree& tree : trees_) columns_.push_back(find_column(schema, tree.column));
}

std::optional<std::size_t> TreeChoice::tree_without_column() const {
  for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
    if (has_name(tree) && !columns_[tree]) return tree;
  }
  return std::nullopt;
}

bool TreeChoice::is_for(std::size_t tree, std::uint32_t column) const {
  return !has_name(tree) || columns_[tree] == column;
}

bool TreeChoice::has_tree(std::uint32_t column) const {
  for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
    if (is_for(tree, column) && trees_[tree].stream == 0) return true;
  }
  return false;
}

std::unique_ptr<StreamCoder> TreeChoice::coder_for(std::uint32_t column, std::size_t stream, DType type,
                                                   TreeOutcomes& outcomes) const {
  for (std::size_t tree = trees_.size(); tree-- > 0;) {
    if (!is_for(tree, column) || trees_[tree].stream != stream) continue;
    Result<trees::Plan> plan = trees::plan_from_text(trees_[tree].tree, type);
    if (plan) {
      outcomes.fitting.push_back(tree);
      return std::make_unique<StreamCoder>(std::move(*plan));
    }
    outcomes.unfit.push_back({tree, std::string(name_of(type)), 0, plan.status()});
  }
  if (planners_ != nullptr) {
    if (std::unique_ptr<trees::Planner> planner = planners_->make())
      return std::make_unique<StreamCoder>(std::move(planner));
  }
  return std::make_unique<StreamCoder>(objective_);
}

void TreeChoice::find_trees_beyond(std::uint32_t column, std::size_t stream_count,
                                   TreeOutcomes& outcomes) const {
  for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
    if (has_name(tree) && columns_[tree] == column && trees_[tree].stream >= stream_count)
      outcomes.unfit.push_back(
          {tree, "", 0, {ErrorCode::invalid_argument, 0, "the column has no such stream"}});
  }
}

}  // namespace floe::pipeline
