#include "plan/neighbour_predictions.hpp"

#include <algorithm>

#include "plan/search/finalists.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t min_words = 1 << 14, min_rows = 8;

PlanNode linear(DType type, std::uint32_t row) {
  // Words of 64 bits have the time for more.
  return {EncodingId::linear, {size_of(type) == 8 ? 32U : 16U, row}};
}

}  // namespace

std::vector<Plan> neighbour_predictions(const ColumnView& stream, const Plan& best,
                                        const Objective& objective) {
  std::vector<Plan> plans;
  if (!objective.predicts || stream.count < min_words || size_of(stream.type) == 1) return plans;
  const auto strides = objective.strides.get();
  const bool has_rows = !strides.empty() && strides[0] <= stream.count / min_rows;
  const std::uint32_t row = has_rows ? strides[0] : 1;
  Plan changed = best;
  const auto predicts = [](const PlanNode& node) { return node.encoding == EncodingId::linear; };
  std::replace_if(changed.nodes.begin(), changed.nodes.end(), predicts, linear(stream.type, row));
  if (changed != best) plans.push_back(std::move(changed));
  if (!has_rows) return plans;
  const PlanNode entropy{EncodingId::entropy, {}}, raw{EncodingId::raw, {}}, packed{EncodingId::bitpack, {}};
  for (const std::uint32_t order : {1U, 2U}) {
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
