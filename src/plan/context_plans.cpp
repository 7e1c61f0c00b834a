#include "plan/context_plans.hpp"

#include <algorithm>
#include <optional>

#include "plan/search/far/frames.hpp"
#include "plan/search/finalists.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t min_words = 1 << 12, min_rows = 8;
/// Leaves that take a smaller part of all bytes stay as they are.
constexpr std::uint64_t minor_part = 4;
/// Differences leave out the first words.
constexpr std::uint64_t max_left_out = 2 * DeltaRules::max_near_stride;

/// Of the words of a row, beside which there may be others.
struct Row {
  std::uint32_t words = 0, step = 1;
};

/// The shortest row; what comes at shorter strides are the parts of its points.
std::optional<Row> row_of(const ColumnView& stream, const Objective& objective) {
  const auto strides = objective.strides.get();
  const bool has_points = strides.size() > 1 && strides[0] <= ContextRules::ranges[1].max / 4;
  const std::size_t index = has_points ? 1 : 0;
  if (index >= strides.size() || strides[index] > stream.count / min_rows) return {};
  const Row row{strides[index], has_points ? strides[0] : 1};
  return row.words >= 8 * row.step ? std::optional(row) : std::nullopt;
}

PlanNode context(const Row& row) { return {EncodingId::context, {row.words, row.step}}; }

bool is_packed(EncodingId encoding) {
  return encoding == EncodingId::entropy || encoding == EncodingId::multi_entropy ||
         encoding == EncodingId::bitpack;
}

/// Appends the types of the words at a node and below it. Returns the node behind them.
std::size_t add_types(const Plan& plan, std::size_t node, DType type, std::vector<DType>& types) {
  const PlanNode& at = plan.nodes[node++];
  const Encoding& encoding = encoding_of(at.encoding);
  types.push_back(type);
  for (unsigned child = 0; child < encoding.children_of(at.parameters); ++child)
    node = add_types(plan, node, encoding.child_type(type, at.parameters, child), types);
  return node;
}

/// Adds the tree with a context above its largest leaf that has an integer for nearly each word.
void add_with_leaf(const ColumnView& stream, const EncodedTree& best, const Row& row,
                   std::vector<Plan>& plans) {
  const std::vector<PlanNode>& nodes = best.plan.nodes;
  if (best.sizes.size() != nodes.size()) return;
  std::vector<DType> types;
  add_types(best.plan, 0, stream.type, types);
  std::optional<std::size_t> largest;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeSize& size = best.sizes[i];
    if (is_packed(nodes[i].encoding) && is_integer(types[i]) &&
        size.words_bytes / size_of(types[i]) + max_left_out >= stream.count &&
        (!largest || size.encoded_bytes > best.sizes[*largest].encoded_bytes))
      largest = i;
  }
  if (!largest || best.sizes[*largest].encoded_bytes * minor_part < best.sizes[0].encoded_bytes) return;
  Plan& plan = plans.emplace_back(best.plan);
  PlanNode& leaf = plan.nodes[*largest];
  leaf = {EncodingId::entropy, {}};
  plan.nodes.insert(plan.nodes.begin() + static_cast<std::ptrdiff_t>(*largest), context(row));
}

/// Adds differences in two dimensions of words in their order, and of what else integers stand for.
void add_differences(const ColumnView& stream, const Row& row, const Objective& objective, Scratch& scratch,
                     std::vector<Plan>& plans) {
  for (const FarFrame& frame : frames_of_words(stream, objective, scratch)) {
    std::vector<PlanNode>& nodes = plans.emplace_back(Plan{frame.before}).nodes;
    const std::uint32_t strides[] = {row.step, row.words};
    for (const std::uint32_t stride : strides) nodes.push_back({EncodingId::delta, {1, stride}});
    nodes.push_back(context(row));
    nodes.push_back({EncodingId::entropy, {}});
    nodes.insert(nodes.end(), frame.behind.begin(), frame.behind.end());
  }
}

}  // namespace

std::vector<Plan> context_plans(const ColumnView& stream, const EncodedTree& best, const Objective& objective,
                                Scratch& scratch) {
  std::vector<Plan> plans;
  if (objective.remembers || objective.for_devices || stream.count < min_words) return plans;
  const std::optional<Row> row = row_of(stream, objective);
  if (!row) return plans;
  add_with_leaf(stream, best, *row, plans);
  add_differences(stream, *row, objective, scratch, plans);
  std::erase_if(plans, [&](const Plan& plan) { return !check_plan(plan, stream.type).ok(); });
  for (Plan& plan : plans) take_tables(plan.nodes, objective);
  return plans;
}

}  // namespace floe::trees
