#include "series/planner/column_planner.hpp"

#include <algorithm>

#include "series/planner/facts.hpp"
#include "series/planner/finalists.hpp"
#include "series/planner/tree_time.hpp"

namespace floe::series {
namespace {

constexpr std::uint64_t most_patience = 64;
/// Weights of a nanosecond of decoding that are tried, each twice the one before, where a tree is slower than is demanded. With the last
/// one, bits hardly count.
constexpr std::uint32_t least_weight = 32, most_weight = 1 << 20;

std::uint64_t bits_per_kiloword(const EncodedTree& tree, const ColumnView& segment) {
  return series::bits_per_kiloword(tree.body.size(), segment.count);
}

/// Encodes a stream with as many of the plans as the objective has trials, and keeps the best result.
EncodedTree encode_best(const ColumnView& stream, std::span<const Plan> plans, const Objective& objective, ChildPlanner* child_planner,
                        Scratch& scratch) {
  EncodedTree best = encode_tree(stream, plans[0], scratch, child_planner);
  for (const Plan& plan : plans.subspan(1, std::min<std::size_t>(objective.trials, plans.size()) - 1)) {
    EncodedTree tree = encode_tree(stream, plan, scratch, child_planner);
    if (is_preferred(tree, best, stream, objective)) best = std::move(tree);
  }
  return best;
}

class SampledChildPlanner final : public ChildPlanner {
 public:
  SampledChildPlanner(const Objective& objective, Scratch& scratch) : objective_(objective), scratch_(scratch) {
    objective_.decode_megabytes_per_second = 0;  // Speed is demanded of the whole tree; children follow the weight of time.
    if (objective.trials > 1) return;
    // Children are short, and what a search can save of them is little.
    objective_.search_work /= 4;
    objective_.finalists_per_window = std::min(objective_.finalists_per_window, 2U);
  }
  Plan plan_for(const ColumnView& child, std::size_t depth) override {
    std::vector<Plan> plans = find_finalists(child, objective_, depth, scratch_);
    if (objective_.trials == 1) return std::move(plans[0]);
    return encode_best(child, plans, objective_, nullptr, scratch_).wanted;
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
  const auto search = [&](const Objective& objective) {
    SampledChildPlanner child_planner(objective, scratch);
    return encode_best(segment, find_finalists(segment, objective, max_plan_depth, scratch), objective_, &child_planner, scratch);
  };
  EncodedTree tree = search(objective_);
  const auto consider = [&](const Objective& objective) {
    EncodedTree other = search(objective);
    if (is_preferred(other, tree, segment, objective_)) tree = std::move(other);
  };
  Objective faster = objective_;
  if (objective_.trials > 1) {
    // A search that weighs time finds simpler trees, some of which turn out shorter than what samples promised of others.
    faster = objective_of(Preset::balanced, objective_.for_devices);
    faster.times = objective_.times;
    consider(faster);
  }
  // The first tree that is fast enough is the smallest of those that any weight leads to, but for accidents. More speed demanded can only
  // lead to a later one.
  for (std::uint32_t weight = least_weight; weight <= most_weight && !keeps_speed(tree, segment, objective_); weight *= 2) {
    if (weight <= objective_.decode_nanosecond) continue;
    faster.decode_nanosecond = weight;
    consider(faster);
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
    regimes_.add() = {fingerprint, tree.wanted,      bits_per_kiloword(tree, segment),      report_.segments, 0,
                      1,           report_.segments, keeps_speed(tree, segment, objective_)};
    return tree;
  }
  regime->last_used = report_.segments;
  MisfitPlanner misfit_planner;
  const bool is_ahead = ahead != nullptr && ahead->wanted == regime->plan && fits_everywhere(*ahead);
  EncodedTree tree =
      is_ahead ? encode_unless_ahead(segment, regime->plan, scratch, ahead) : encode_tree(segment, regime->plan, scratch, &misfit_planner);
  const std::uint64_t bits = bits_per_kiloword(tree, segment);
  if (regime->keeps_speed && !keeps_speed(tree, segment, objective_)) {
    ++report_.encoded_twice;
    EncodedTree faster = search_and_encode(segment, scratch);
    regime->keeps_speed = keeps_speed(faster, segment, objective_);
    if (!is_preferred(faster, tree, segment, objective_)) return tree;
    regime->plan = faster.wanted;
    regime->bits_per_kiloword = bits_per_kiloword(faster, segment);
    return faster;
  }
  const std::int64_t drift_before = regime->drift;
  if (!is_drifting(*regime, bits, report_.segments)) return tree;

  ++report_.encoded_twice;
  if (Regime* const other = regimes_.nearest(fingerprint, regime)) {
    EncodedTree by_other = encode_tree(segment, other->plan, scratch, &misfit_planner);
    if (is_preferred(by_other, tree, segment, objective_) && !is_sudden(*other, bits_per_kiloword(by_other, segment))) {
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
  if (is_preferred(again, tree, segment, objective_)) tree = std::move(again);
  if (is_better) regime->plan = tree.wanted;
  regime->bits_per_kiloword = bits_per_kiloword(tree, segment);
  return tree;
}

}  // namespace floe::series
