#include "series/planner/column_planner.hpp"

#include <algorithm>

#include "series/planner/facts.hpp"
#include "series/planner/finalists.hpp"

namespace floe::series {
namespace {

constexpr std::uint64_t most_patience = 64;

std::uint64_t bits_per_kiloword(const EncodedTree& tree, const ColumnView& segment) {
  return series::bits_per_kiloword(tree.body.size(), segment.count);
}

/// Encodes a stream with the first `trials` plans and keeps the shortest result.
EncodedTree encode_shortest(const ColumnView& stream, std::span<const Plan> plans, std::size_t trials, ChildPlanner* child_planner,
                            Scratch& scratch) {
  EncodedTree shortest = encode_tree(stream, plans[0], scratch, child_planner);
  for (const Plan& plan : plans.subspan(1, std::min(trials, plans.size()) - 1)) {
    EncodedTree tree = encode_tree(stream, plan, scratch, child_planner);
    if (tree.body.size() < shortest.body.size()) shortest = std::move(tree);
  }
  return shortest;
}

class SampledChildPlanner final : public ChildPlanner {
 public:
  SampledChildPlanner(const Objective& objective, Scratch& scratch) : objective_(objective), scratch_(scratch) {
    if (objective.trials > 1) return;
    // Children are short, and what a search can save of them is little.
    objective_.search_work /= 4;
    objective_.finalists_per_window = std::min(objective_.finalists_per_window, 2U);
  }
  Plan plan_for(const ColumnView& child, std::size_t depth) override {
    std::vector<Plan> plans = find_finalists(child, objective_, depth, scratch_);
    if (objective_.trials == 1) return std::move(plans[0]);
    return encode_shortest(child, plans, objective_.trials, nullptr, scratch_).wanted;
  }

 private:
  Objective objective_;
  Scratch& scratch_;
};

/// Where a remembered tree has a leaf for equal words, and they are not equal, or another node that does not take them: what some hundred
/// words suggest. Without it, a regime whose phase shifts from segment to segment would look like one that has ended.
class MisfitPlanner final : public ChildPlanner {
 public:
  Plan plan_for(const ColumnView& child, std::size_t depth) override {
    const PlanNode leaf = plain_leaf(child.type);
    if (!is_integer(child.type) || depth < 2) return {{leaf}};
    const StreamFacts facts = find_coarse_facts(child);
    if (facts.runs * 3 <= facts.sampled) return {{{EncodingId::rle, {}}, {EncodingId::afl, {}}, leaf}};
    if (facts.difference_bits[1] + facts.sampled / 4 < facts.offset_bits) return {{{EncodingId::delta, {1, 1}}, leaf}};
    return {{leaf}};
  }
  [[nodiscard]] bool plans_short_children() const override { return false; }
};

/// Whether something that knows no MisfitPlanner has certainly made the same: it took another leaf only where leaves take all words, or
/// where these are equal.
bool fits_everywhere(const EncodedAhead& ahead) {
  std::size_t wanted = 0;
  for (const PlanNode& used : ahead.plan.nodes) {
    if (wanted == ahead.wanted.nodes.size()) return false;
    const PlanNode& node = ahead.wanted.nodes[wanted];
    const bool is_transform = encoding_of(node.encoding).children_of(node.parameters) > 0;
    if (used == node) {
      ++wanted;
      continue;
    }
    if (used.encoding != EncodingId::constant && (is_transform || node.encoding == EncodingId::constant)) return false;
    wanted = next_sibling(ahead.wanted, wanted);
  }
  return true;
}

}  // namespace

EncodedTree ColumnPlanner::search_and_encode(const ColumnView& segment, Scratch& scratch) {
  ++report_.searches;
  const auto search = [&](const Objective& objective, std::size_t trials) {
    SampledChildPlanner child_planner(objective, scratch);
    return encode_shortest(segment, find_finalists(segment, objective, max_plan_depth, scratch), trials, &child_planner, scratch);
  };
  EncodedTree tree = search(objective_, objective_.trials);
  if (objective_.trials > 1) {
    // A search that weighs time finds simpler trees, some of which turn out shorter than what samples promised of others.
    const Objective balanced = objective_of(Preset::balanced, objective_.for_devices);
    EncodedTree simpler = search(balanced, objective_.trials);
    if (simpler.body.size() < tree.body.size()) tree = std::move(simpler);
  }
  return tree;
}

std::optional<Plan> ColumnPlanner::expected_plan(const ColumnView& segment) {
  const Regime* const regime = regimes_.nearest(fingerprint_of(segment));
  return regime == nullptr ? std::nullopt : std::optional(regime->plan);
}

EncodedTree ColumnPlanner::encode(const ColumnView& segment, Scratch& scratch, const EncodedAhead* ahead) {
  ++report_.segments;
  const Fingerprint fingerprint = fingerprint_of(segment);
  Regime* regime = regimes_.nearest(fingerprint);
  if (regime == nullptr) {
    EncodedTree tree = search_and_encode(segment, scratch);
    regimes_.add() = {fingerprint, tree.wanted, bits_per_kiloword(tree, segment), report_.segments, 0, 1, report_.segments};
    return tree;
  }
  regime->last_used = report_.segments;
  MisfitPlanner misfit_planner;
  const bool is_ahead = ahead != nullptr && ahead->wanted == regime->plan && fits_everywhere(*ahead);
  EncodedTree tree =
      is_ahead ? encode_unless_ahead(segment, regime->plan, scratch, ahead) : encode_tree(segment, regime->plan, scratch, &misfit_planner);
  const std::uint64_t bits = bits_per_kiloword(tree, segment);
  const std::int64_t drift_before = regime->drift;
  if (!is_drifting(*regime, bits, report_.segments)) return tree;

  ++report_.encoded_twice;
  if (Regime* const other = regimes_.nearest(fingerprint, regime)) {
    EncodedTree by_other = encode_tree(segment, other->plan, scratch, &misfit_planner);
    if (by_other.body.size() < tree.body.size() && !is_sudden(*other, bits_per_kiloword(by_other, segment))) {
      other->last_used = report_.segments;
      regime->drift = drift_before;
      return by_other;
    }
  }
  EncodedTree again = search_and_encode(segment, scratch);
  regime->searched = report_.segments;
  regime->drift = 0;
  const bool is_better = again.body.size() * 50 < tree.body.size() * 49;  // by 2 %
  regime->patience = is_better ? 1 : std::min(2 * regime->patience, most_patience);
  if (is_better && is_sudden(*regime, bits)) {  // a kind that only looked the same
    regimes_.add() = {fingerprint, again.wanted, bits_per_kiloword(again, segment), report_.segments, 0, 1, report_.segments};
    return again;
  }
  if (again.body.size() < tree.body.size()) tree = std::move(again);
  if (is_better) regime->plan = tree.wanted;
  regime->bits_per_kiloword = bits_per_kiloword(tree, segment);
  return tree;
}

}  // namespace floe::series
