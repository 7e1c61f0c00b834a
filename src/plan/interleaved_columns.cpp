#include "plan/interleaved_columns.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "encodings/encoding_memo.hpp"
#include "plan/search/facts/column_facts.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

/// Columns are searched where a word needs so many bits less, in 1/256, if it is known which it is in, or
/// such a part of its bits. Their trees are tried if they promise no more than is known, but for such a part.
constexpr std::uint64_t min_information = 51, likely_part = 8, near_part = 16;
/// Words of samples that searches for the trees of all columns may encode, at least, and that for one of few.
constexpr std::uint64_t min_work = 1 << 15, min_work_of_column = 1 << 12;

/// Where encoding shall not take long, a word must need so many bits less, and such a part of what it costs.
constexpr std::uint64_t min_quick_information = 96, quick_likely_part = 48;
constexpr std::uint32_t max_quick_columns = 16;
constexpr std::uint32_t quick_windows = 4;  ///< Of the samples of columns.

/// Columns of fewer words are too short to lie one behind the other. Where time counts, they are those of
/// rows that are too long to be split, and a word must need so many bits less, in 1/256, if its column is
/// known.
constexpr std::uint64_t min_rows = 8, min_information_of_long_rows = 80;

/// Whether that may be worth a search.
bool is_transposable(const ColumnView& segment, std::uint32_t columns, const Objective& objective) {
  const std::uint64_t rows = segment.count / columns;
  if (columns > StrideSplitRules::max_parts || rows < min_rows) return false;
  return !objective.remembers ||
         (columns > StrideSplitRules::max_children && rows >= min_rows_of_many_columns &&
          information_of_columns(segment, columns) >= min_information_of_long_rows);
}

/// The stride by which columns differ most; 0 if they do by no more than `most`.
std::uint32_t likely_columns(const ColumnView& segment, const Objective& objective, std::uint32_t max_columns,
                             std::uint64_t most) {
  std::uint32_t best = 0;
  for (const std::uint32_t stride : objective.strides.get()) {
    if (stride > max_columns || segment.count / stride < min_rows_of_columns) continue;
    const std::uint64_t information = information_of_columns(segment, stride);
    if (information < most) continue;
    best = stride;
    most = information;
  }
  return best;
}

/// A tree for each column, by samples; nothing if these promise more than `max_cost`. `find` returns the best
/// one of a column, of at most so many nodes above each other.
template <class Find>
std::optional<Choice> search_columns(const ColumnView& segment, std::uint32_t columns, Objective objective,
                                     std::uint64_t max_cost, Scratch& scratch, const Find& find) {
  objective.strides = {};
  objective.tries_codecs = false;
  objective.search_work =
      std::max(objective.search_work / columns, std::min(min_work / columns, min_work_of_column));
  const PlanNode root{EncodingId::stride_split, {columns, 0}};
  const auto* const made =
      scratch.memo->encode(root.encoding, encoding_of(root.encoding).encode, segment, root.parameters, true);
  if (made == nullptr) return {};
  Choice tree{{root}, 0};
  for (std::uint32_t i = 0; i < columns; ++i) {
    // Of the nodes that are left, each column has its share.
    const std::size_t max_nodes = (max_plan_nodes - tree.nodes.size()) / (columns - i);
    std::size_t depth = std::min(max_plan_depth - 1, max_nodes);
    Choice best;
    do {
      best = find(made->children[i].view(), objective, depth);
    } while (best.nodes.size() > max_nodes && depth-- > 1);
    tree.nodes.insert(tree.nodes.end(), best.nodes.begin(), best.nodes.end());
    tree.cost += best.cost;
    if (tree.cost > max_cost) return {};
  }
  return tree;
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
  const std::uint64_t bits_of_word = known_bytes * cost_of_byte / segment.count;
  const std::uint32_t columns = likely_columns(segment, objective, StrideSplitRules::max_children,
                                               std::min(min_information, bits_of_word / likely_part));
  if (columns == 0 || scratch.memo == nullptr) return plans;
  const std::uint64_t max_cost = (known_bytes + known_bytes / near_part) * cost_of_byte;
  const auto add = [&](const Objective& by) {
    const auto find = [&](const ColumnView& column, const Objective& of_column, std::size_t depth) {
      return std::move(find_finalists(column, {}, of_column, depth, scratch).choices[0]);
    };
    if (auto tree = search_columns(segment, columns, by, max_cost, scratch, find))
      plans.push_back({std::move(tree->nodes)});
  };
  add(brief(objective));
  if (objective.compares_streams) add(objective);
  return plans;
}

std::optional<Choice> quick_tree_of_columns(const ColumnView& segment, const Objective& objective,
                                            std::uint64_t known_cost, Scratch& scratch) {
  if (!may_have_root(objective, EncodingId::stride_split) || scratch.memo == nullptr) return {};
  const std::uint64_t bits_of_word = known_cost / segment.count;
  const std::uint32_t columns =
      likely_columns(segment, objective, max_quick_columns,
                     std::max(min_quick_information, bits_of_word / quick_likely_part));
  if (columns == 0) return {};
  Objective quick = quick_objective(objective);
  quick.windows = quick_windows;
  const auto find = [&](const ColumnView& column, const Objective& of_column, std::size_t depth) {
    return find_tree_briefly(column, of_column, depth, scratch);
  };
  auto tree = search_columns(segment, columns, quick, known_cost, scratch, find);
  if (tree) tree->cost += time_cost(quick, encoding_of(EncodingId::stride_split), segment.count);
  return tree;
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
