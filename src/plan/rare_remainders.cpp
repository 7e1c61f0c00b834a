#include "plan/rare_remainders.hpp"

#include <algorithm>

#include "encodings/encoding_memo.hpp"
#include "encodings/encodings.hpp"
#include "plan/search/facts/common_divisor.hpp"
#include "plan/search/facts/facts.hpp"
#include "plan/tree_time.hpp"

namespace floe::trees {
namespace {

bool has_int_mult(const Plan& plan, std::size_t node) {
  const auto begin = plan.nodes.begin();
  return std::any_of(begin + static_cast<std::ptrdiff_t>(node),
                     begin + static_cast<std::ptrdiff_t>(next_sibling(plan, node)),
                     [](const PlanNode& of) { return of.encoding == EncodingId::int_mult; });
}

/// Of the sub-tree at `node`.
void divide_below(const ColumnView& stream, Plan& plan, std::size_t node, std::size_t depth,
                  Scratch& scratch) {
  if (stream.count < max_sampled_words || depth + 2 > max_plan_depth || !has_int_mult(plan, node)) return;
  const PlanNode at = plan.nodes[node];
  if (at.encoding == EncodingId::int_mult) {
    const auto divide = divisor_of_most(stream);
    if (!divide) return;
    const auto end = plan.nodes.begin() + static_cast<std::ptrdiff_t>(next_sibling(plan, node));
    const PlanNode packed{EncodingId::bitpack, {}};
    plan.nodes.insert(end, {{EncodingId::sparse, {}}, packed, packed});
    plan.nodes[node] = *divide;
    return;
  }
  const EncodedOnce made(encoding_of(at.encoding), stream, at.parameters, scratch);
  if (!made.fits()) return;
  std::size_t child_node = node + 1;
  const unsigned children = encoding_of(at.encoding).children_of(at.parameters);
  for (unsigned child = 0; child < children; ++child) {
    divide_below(made.child(child), plan, child_node, depth + 1, scratch);
    child_node = next_sibling(plan, child_node);
  }
}

}  // namespace

void divide_but_for_few(const ColumnView& stream, Plan& plan, Scratch& scratch) {
  if (plan.nodes.size() + 3 * 8 <= max_plan_nodes) divide_below(stream, plan, 0, 1, scratch);
}

void encode_but_for_few(const ColumnView& stream, EncodedTree& tree, Scratch& scratch,
                        ChildPlanner* child_planner) {
  Plan plan = tree.wanted;
  divide_but_for_few(stream, plan, scratch);
  if (plan == tree.wanted || !check_plan(plan, stream.type).ok()) return;
  EncodedTree divided = encode_tree(stream, plan, scratch, child_planner);
  if (encoded_bytes(divided) < encoded_bytes(tree)) tree = std::move(divided);
}

}  // namespace floe::trees
