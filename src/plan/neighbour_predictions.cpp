#include "plan/neighbour_predictions.hpp"

#include <algorithm>

#include "plan/search/finalists.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t min_words = 1 << 14, min_rows = 8;
/// Shorter rows are parts of points, such as colours, unless there are no others.
constexpr std::uint32_t min_row_words = 16;

PlanNode linear(DType type, std::uint32_t row) {
  // Wider words have the time for more.
  const std::size_t bytes = size_of(type);
  return {EncodingId::linear, {bytes == 8 ? 32U : bytes == 1 ? 8U : 16U, row}};
}

/// 1 if there are none.
std::uint32_t words_of_row(const ColumnView& stream, const Objective& objective) {
  const std::uint64_t max_row = stream.count / min_rows;
  std::uint32_t row = 1;
  for (const std::uint32_t stride : objective.strides.get()) {
    if (stride > max_row) break;
    row = stride;
    if (row >= min_row_words) break;
  }
  return row;
}

}  // namespace

std::vector<Plan> neighbour_predictions(const ColumnView& stream, const Plan& best,
                                        const Objective& objective) {
  std::vector<Plan> plans;
  if (!objective.predicts || stream.count < min_words) return plans;
  const std::uint32_t row = words_of_row(stream, objective);
  Plan changed = best;
  const auto predicts = [](const PlanNode& node) { return node.encoding == EncodingId::linear; };
  std::replace_if(changed.nodes.begin(), changed.nodes.end(), predicts, linear(stream.type, row));
  if (changed != best) plans.push_back(std::move(changed));
  if (row == 1) return plans;
  const PlanNode entropy{EncodingId::entropy, {}}, raw{EncodingId::raw, {}}, packed{EncodingId::bitpack, {}};
  if (size_of(stream.type) <= 2) plans.push_back({{linear(stream.type, row), entropy}});
  for (const std::uint32_t order : {1U, 2U}) {
    if (size_of(stream.type) == 1) break;  // differences of bytes may be too great for one
    const std::vector<PlanNode> predicted = {
        {EncodingId::delta, {order, 1}}, linear(stream.type, row), entropy};
    if (!is_float(stream.type)) {
      plans.push_back({predicted});
      continue;
    }
    for (const EncodingId words : {EncodingId::sortable, EncodingId::grid}) {
      Plan& plan = plans.emplace_back(Plan{{{words, {}}}});
      plan.nodes.insert(plan.nodes.end(), predicted.begin(), predicted.end());
      if (words == EncodingId::grid) plan.nodes.insert(plan.nodes.end(), {raw, packed, raw});
    }
  }
  for (Plan& plan : plans) take_tables(plan.nodes, objective);
  return plans;
}

}  // namespace floe::trees
