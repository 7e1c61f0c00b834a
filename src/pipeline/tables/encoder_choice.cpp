#include "pipeline/tables/encoder_choice.hpp"

#include <algorithm>
#include <charconv>

#include "plan/thesis/edge_stat_planner.hpp"
#include "pipeline/tables/encoding_times.hpp"

namespace floe::tables {
namespace {

series::Preset preset_of(Goal goal) {
  return goal == Goal::speed ? series::Preset::fast : goal == Goal::ratio ? series::Preset::ratio : series::Preset::balanced;
}

std::optional<std::uint32_t> find_column(const Schema& schema, std::string_view name) {
  const auto found = std::find_if(schema.begin(), schema.end(), [name](const Column& column) { return column.name == name; });
  if (found != schema.end()) return static_cast<std::uint32_t>(found - schema.begin());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0 || number > schema.size()) return std::nullopt;
  return number - 1;
}

}  // namespace

Status check_tree(std::string_view tree) { return series::check_plan_text(tree); }

EncoderChoice::EncoderChoice(const TableOptions& options, const Schema& schema)
    : trees_(options.trees),
      planner_(options.planner),
      objective_(series::objective_of(preset_of(options.goal), options.profile == Profile::gpu)) {
  objective_.decode_megabytes_per_second = options.decode_megabytes_per_second;
  if (!options.encoding_times.empty()) objective_.times = times_of(options.encoding_times);
  for (const GivenTree& tree : trees_) columns_.push_back(find_column(schema, tree.column));
}

std::optional<std::size_t> EncoderChoice::tree_without_column() const {
  for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
    if (has_name(tree) && !columns_[tree]) return tree;
  }
  return std::nullopt;
}

bool EncoderChoice::is_for(std::size_t tree, std::uint32_t column) const { return !has_name(tree) || columns_[tree] == column; }

std::unique_ptr<series::ColumnEncoder> EncoderChoice::encoder_for(std::uint32_t column, std::size_t stream, DType type,
                                                                  TreeOutcomes& outcomes) const {
  for (std::size_t tree = trees_.size(); tree-- > 0;) {
    if (!is_for(tree, column) || trees_[tree].stream != stream) continue;
    Result<series::Plan> plan = series::plan_from_text(trees_[tree].tree, type);
    if (plan) {
      outcomes.fitting.push_back(tree);
      return std::make_unique<series::ColumnEncoder>(std::move(*plan));
    }
    outcomes.unfit.push_back({tree, std::string(name_of(type)), 0, plan.status()});
  }
  if (planner_ == TreePlanner::edge_statistics) return std::make_unique<series::ColumnEncoder>(std::make_unique<series::EdgeStatPlanner>());
  return std::make_unique<series::ColumnEncoder>(std::make_unique<series::ColumnPlanner>(objective_));
}

void EncoderChoice::find_trees_beyond(std::uint32_t column, std::size_t stream_count, TreeOutcomes& outcomes) const {
  for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
    if (has_name(tree) && columns_[tree] == column && trees_[tree].stream >= stream_count)
      outcomes.unfit.push_back({tree, "", 0, {ErrorCode::invalid_argument, 0, "the column has no such stream"}});
  }
}

}  // namespace floe::tables
