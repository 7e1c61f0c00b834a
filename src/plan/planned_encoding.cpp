#include "plan/planned_encoding.hpp"

#include "plan/search/facts/facts.hpp"
#include "plan/segment/segment_search.hpp"
#include "plan/trials.hpp"

namespace floe::trees {
namespace {

/// Where a remembered tree has a leaf for equal words, and they are not equal, or another node that does not
/// take them: what some hundred words suggest. Without it, a kind whose phase shifts from segment to segment
/// would look like one that has ended.
class MisfitPlanner final : public ChildPlanner {
 public:
  Plan plan_for(const ColumnView& child, std::size_t depth, const Plan&) override {
    const PlanNode leaf = plain_leaf(child.type);
    if (!is_integer(child.type) || depth < 2) return {{leaf}};
    const StreamFacts facts = find_coarse_facts(child);
    if (facts.runs * 3 <= facts.sampled) return {{{EncodingId::rle, {}}, {EncodingId::bitpack, {}}, leaf}};
    if (facts.difference_bits[1] + facts.sampled / 4 < facts.offset_bits)
      return {{{EncodingId::delta, {1, 1}}, leaf}};
    return {{leaf}};
  }
  [[nodiscard]] bool plans_short_children() const override { return false; }
};

}  // namespace

EncodedTree encode_remembered(const ColumnView& segment, const Plan& plan, Scratch& scratch) {
  MisfitPlanner misfit_planner;
  return encode_tree(segment, plan, scratch, &misfit_planner);
}

std::optional<EncodedTree> encode_if_promising(const ColumnView& segment, const Objective& objective,
                                               std::uint64_t known_bytes, Scratch& scratch) {
  if (objective.decode_megabytes_per_second > 0) return encode_searched(segment, objective, scratch);
  if (objective.rival) return encode_searched_below(known_bytes, segment, objective, scratch);
  const Finalists finalists = find_finalists(segment, objective, max_plan_depth, scratch);
  if (finalists.choices[0].cost >= known_bytes * cost_of_byte) return std::nullopt;
  SampledChildPlanner child_planner(objective, finalists.choices[0].cost, scratch);
  return encode_best(segment, finalists, objective, &child_planner, scratch);
}

bool fits_everywhere(const Plan& used, const Plan& wanted) {
  std::size_t at = 0;
  for (const PlanNode& taken : used.nodes) {
    if (at == wanted.nodes.size()) return false;
    const PlanNode& node = wanted.nodes[at];
    const bool is_transform = encoding_of(node.encoding).children_of(node.parameters) > 0;
    if (taken == node) {
      ++at;
      continue;
    }
    if (taken.encoding != EncodingId::constant && (is_transform || node.encoding == EncodingId::constant))
      return false;
    at = next_sibling(wanted, at);
  }
  return true;
}

}  // namespace floe::trees
