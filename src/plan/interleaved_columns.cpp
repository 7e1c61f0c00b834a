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
/// Words of samples that the search for the tree of a column may encode at least.
constexpr std::uint64_t min_work = 1 << 12;

/// How words are split into columns: once, or each part of them again.
struct Splits {
  std::uint32_t outer = 1, inner = 1;
  [[nodiscard]] std::uint32_t columns() const { return outer * inner; }
};

std::optional<Splits> splits_of(std::uint32_t columns) {
  const std::uint32_t max = StrideSplitRules::ranges[0].max;
  if (columns <= max) return Splits{columns, 1};
  for (std::uint32_t outer = max; outer > 1; --outer) {
    if (columns % outer == 0 && columns / outer <= max) return Splits{outer, columns / outer};
  }
  return {};
}

std::optional<Splits> likely_splits(const ColumnView& segment, const Objective& objective,
                                    std::uint64_t known_bytes) {
  std::optional<Splits> best;
  std::uint64_t most = std::min(min_information, known_bytes * 8 * 256 / segment.count / likely_part);
  for (const std::uint32_t stride : objective.strides.get()) {
    const auto splits = splits_of(stride);
    if (!splits || segment.count / stride < min_rows_of_columns) continue;
    const std::uint64_t information = information_of_columns(segment, stride);
    if (information < most) continue;
    best = splits;
    most = information;
  }
  return best;
}

class ColumnsSearch {
 public:
  ColumnsSearch(const Splits& splits, const Objective& objective, Scratch& scratch)
      : splits_(splits), objective_(objective), columns_left_(splits.columns()), scratch_(scratch) {
    objective_.strides = {};
    objective_.tries_codecs = false;
    objective_.search_work = std::max(objective_.search_work / splits.columns(), min_work);
  }

  /// Nothing if samples promise more than `max_cost`.
  std::optional<Plan> run(const ColumnView& segment, std::uint64_t max_cost) {
    max_cost_ = max_cost;
    if (!add_parts(segment, splits_.outer, splits_.inner == 1)) return {};
    return Plan{std::move(found_.nodes)};
  }

 private:
  bool add_parts(const ColumnView& words, std::uint32_t count, bool are_columns) {
    const PlanNode node{EncodingId::stride_split, {count, 0}};
    found_.nodes.push_back(node);
    const auto* const made =
        scratch_.memo->encode(node.encoding, encoding_of(node.encoding).encode, words, node.parameters, true);
    return made != nullptr && std::ranges::all_of(made->children, [&](const Stream& part) {
             return are_columns ? add_column(part.view()) : add_parts(part.view(), splits_.inner, true);
           });
  }

  bool add_column(const ColumnView& column) {
    // Of the nodes that are left, each column has its share.
    const std::size_t splits_left = splits_.inner == 1 ? 0 : (columns_left_ - 1) / splits_.inner,
                      max_nodes = (max_plan_nodes - found_.nodes.size() - splits_left) / columns_left_--;
    std::size_t depth = std::min(max_plan_depth - (splits_.inner == 1 ? 1 : 2), max_nodes);
    Choice best;
    do {
      best = std::move(find_finalists(column, {}, objective_, depth, scratch_).choices[0]);
    } while (best.nodes.size() > max_nodes && depth-- > 1);
    found_.nodes.insert(found_.nodes.end(), best.nodes.begin(), best.nodes.end());
    found_.cost += best.cost;
    return found_.cost <= max_cost_;
  }

  const Splits splits_;
  Objective objective_;
  std::size_t columns_left_;
  Scratch& scratch_;
  std::uint64_t max_cost_ = 0;
  Choice found_;  ///< So far.
};

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
  const auto splits = likely_splits(segment, objective, known_bytes);
  if (!splits || scratch.memo == nullptr) return plans;
  const auto add = [&](const Objective& by) {
    auto plan = ColumnsSearch(*splits, by, scratch)
                    .run(segment, (known_bytes + known_bytes / near_part) * cost_of_byte);
    if (plan) plans.push_back(std::move(*plan));
  };
  add(brief(objective));
  if (objective.compares_streams) add(objective);
  return plans;
}

}  // namespace floe::trees
