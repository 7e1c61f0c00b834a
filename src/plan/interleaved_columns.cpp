#include "plan/interleaved_columns.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "encodings/encoding_memo.hpp"
#include "plan/search/facts/column_facts.hpp"
#include "plan/search/finalists.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

/// Columns are searched where a word needs so many bits less, in 1/256, if it is known which it is in, or
/// such a part of its bits. Their trees are tried if they promise no more than is known, but for such a part.
constexpr std::uint64_t min_information = 51, likely_part = 8, near_part = 16;
/// Words of samples that searches for the trees of all columns may encode, at least, and that for one of few.
constexpr std::uint64_t min_work = 1 << 15, min_work_of_column = 1 << 12;

/// Columns of fewer words are too short to lie one behind the other. Where time counts, they are those of
/// rows that are too long to be split, and a word must need so many bits less, in 1/256, if its column is
/// known.
constexpr std::uint64_t min_rows = 8, min_information_of_long_rows = 80;

/// Whether that may be worth a search.
bool is_transposable(const ColumnView& segment, std::uint32_t columns, const Objective& objective) {
  const std::uint64_t rows = segment.count / columns;
  if (columns > StrideSplitRules::max_parts || rows < min_rows) return false;
  return !objective.remembers || (columns > StrideSplitRules::max_children && rows >= min_rows_of_columns &&
                                  information_of_columns(segment, columns) >= min_information_of_long_rows);
}

/// The stride by which columns differ most; 0 if they hardly do by any.
std::uint32_t likely_columns(const ColumnView& segment, const Objective& objective,
                             std::uint64_t known_bytes) {
  std::uint32_t best = 0;
  std::uint64_t most = std::min(min_information, known_bytes * 8 * 256 / segment.count / likely_part);
  for (const std::uint32_t stride : objective.strides.get()) {
    if (stride > StrideSplitRules::max_children || segment.count / stride < min_rows_of_columns) continue;
    const std::uint64_t information = information_of_columns(segment, stride);
    if (information < most) continue;
    best = stride;
    most = information;
  }
  return best;
}

/// A tree for each column, by samples; nothing if these promise more than `max_cost`.
std::optional<Plan> search_columns(const ColumnView& segment, std::uint32_t columns, Objective objective,
                                   std::uint64_t max_cost, Scratch& scratch) {
  objective.strides = {};
  objective.tries_codecs = false;
  objective.search_work =
      std::max(objective.search_work / columns, std::min(min_work / columns, min_work_of_column));
  const PlanNode root{EncodingId::stride_split, {columns, 0}};
  const auto* const made =
      scratch.memo->encode(root.encoding, encoding_of(root.encoding).encode, segment, root.parameters, true);
  if (made == nullptr) return {};
  Plan plan{{root}};
  std::uint64_t cost = 0;
  for (std::uint32_t i = 0; i < columns; ++i) {
    // Of the nodes that are left, each column has its share.
    const std::size_t max_nodes = (max_plan_nodes - plan.nodes.size()) / (columns - i);
    std::size_t depth = std::min(max_plan_depth - 1, max_nodes);
    Choice best;
    do {
      best = std::move(find_finalists(made->children[i].view(), {}, objective, depth, scratch).choices[0]);
    } while (best.nodes.size() > max_nodes && depth-- > 1);
    plan.nodes.insert(plan.nodes.end(), best.nodes.begin(), best.nodes.end());
    cost += best.cost;
    if (cost > max_cost) return {};
  }
  return plan;
}

/// The same weights for searches as those of Preset::balanced: there are many columns.
Objective brief(const Objective& objective) {
  Objective brief = objective_of(Preset::balanced);
  brief.encode_nanosecond = objective.encode_nanosecond;
  brief.decode_nanosecond = objective.decode_nanosecond;
  brief.times = objective.times;
  brief.table_bits = objective.table_bits;
  return brief;
}

}  // namespace

std::vector<Plan> plans_of_columns(const ColumnView& segment, const Objective& objective,
                                   std::uint64_t known_bytes, Scratch& scratch) {
  std::vector<Plan> plans;
  if (!may_have_root(objective, EncodingId::stride_split)) return plans;
  const std::uint32_t columns = likely_columns(segment, objective, known_bytes);
  if (columns == 0 || scratch.memo == nullptr) return plans;
  const std::uint64_t max_cost = (known_bytes + known_bytes / near_part) * cost_of_byte;
  const auto add = [&](const Objective& by) {
    if (auto plan = search_columns(segment, columns, by, max_cost, scratch))
      plans.push_back(std::move(*plan));
  };
  add(brief(objective));
  if (objective.compares_streams) add(objective);
  return plans;
}

TransposedSegment::TransposedSegment(const ColumnView& segment, std::uint32_t columns, Scratch& scratch)
    : root_{EncodingId::stride_split, {StrideSplitRules::max_children + columns, 0}},
      rows_(segment.count / columns) {
  ByteWriter no_header;
  Encoded encoded{no_header, made_, scratch};
  encoding_of(root_.encoding).encode(segment, root_.parameters, encoded);
}

Objective TransposedSegment::objective(const Objective& of_segment) const {
  Objective objective = without_root(of_segment, EncodingId::stride_split);
  objective.strides = {};
  objective.strides.add(rows_);
  objective.tries_codecs = false;
  return objective;
}

std::optional<EncodedTree> TransposedSegment::tree_above(EncodedTree tree) const {
  for (Plan* const plan : {&tree.plan, &tree.wanted}) {
    plan->nodes.insert(plan->nodes.begin(), root_);
    if (!check_plan(*plan, words().type).ok()) return {};
  }
  tree.sizes.insert(tree.sizes.begin(), {words().bytes(), tree.body.size()});
  return tree;
}

std::vector<std::uint32_t> transposable_columns(const ColumnView& segment, const Objective& objective) {
  std::vector<std::uint32_t> columns;
  if (!may_have_root(objective, EncodingId::stride_split)) return columns;
  for (const std::uint32_t stride : objective.strides.get()) {
    if (is_transposable(segment, stride, objective)) columns.push_back(stride);
  }
  return columns;
}

}  // namespace floe::trees
