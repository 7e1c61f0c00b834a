#include "plan/column_planner.hpp"

#include <algorithm>

#include "plan/planned_encoding.hpp"
#include "plan/tree_time.hpp"

namespace floe::series {
namespace {

constexpr std::uint64_t most_patience = 64;

std::uint64_t bits_per_kiloword(const EncodedTree& tree, const ColumnView& segment) {
  return series::bits_per_kiloword(tree.body.size(), segment.count);
}

/// With the tree of a regime, or what there is already.
EncodedTree encode_known(const ColumnView& segment, const Plan& plan, Scratch& scratch, const EncodedAhead* ahead, PartAhead* looked_at) {
  if (ahead != nullptr && ahead->wanted == plan && fits_everywhere(ahead->plan, ahead->wanted)) return tree_of(*ahead);
  if (std::optional<EncodedTree> tree = looked_at == nullptr ? std::nullopt : looked_at->take_encoded(plan)) return std::move(*tree);
  return encode_remembered(segment, plan, scratch);
}

}  // namespace

EncodedTree ColumnPlanner::search_and_encode(const ColumnView& segment, Scratch& scratch, PartAhead* looked_at) {
  ++report_.searches;
  if (std::optional<EncodedTree> tree = looked_at == nullptr ? std::nullopt : looked_at->take_searched()) return std::move(*tree);
  return encode_searched(segment, objective_, scratch);
}

std::optional<Plan> ColumnPlanner::expected_plan(const ColumnView& segment) {
  const Regime* const regime = regimes_.nearest(fingerprint_of(segment));
  return regime == nullptr ? std::nullopt : std::optional(regime->plan);
}

EncodedTree ColumnPlanner::encode(const ColumnView& segment, Scratch& scratch, const EncodedAhead* ahead, PartAhead* looked_at) {
  ++report_.segments;
  const Fingerprint fingerprint = looked_at == nullptr ? fingerprint_of(segment) : looked_at->fingerprint();
  Regime* regime = regimes_.nearest(fingerprint);
  if (regime == nullptr) {
    EncodedTree tree = search_and_encode(segment, scratch, looked_at);
    regimes_.add() = {fingerprint, tree.wanted,      bits_per_kiloword(tree, segment),      report_.segments, 0,
                      1,           report_.segments, keeps_speed(tree, segment, objective_)};
    return tree;
  }
  regime->last_used = report_.segments;
  EncodedTree tree = encode_known(segment, regime->plan, scratch, ahead, looked_at);
  const std::uint64_t bits = bits_per_kiloword(tree, segment);
  if (regime->keeps_speed && !keeps_speed(tree, segment, objective_)) {
    ++report_.encoded_twice;
    EncodedTree faster = search_and_encode(segment, scratch, looked_at);
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
    EncodedTree by_other = encode_remembered(segment, other->plan, scratch);
    if (is_preferred(by_other, tree, segment, objective_) && !is_sudden(*other, bits_per_kiloword(by_other, segment))) {
      other->last_used = report_.segments;
      regime->drift = drift_before;
      return by_other;
    }
  }
  EncodedTree again = search_and_encode(segment, scratch, looked_at);
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
