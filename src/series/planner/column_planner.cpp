#include "series/planner/column_planner.hpp"

#include <algorithm>

#include "series/fixed_log.hpp"
#include "series/planner/windows.hpp"

namespace floe::series {
namespace {

constexpr std::uint64_t window_words = 4096;
constexpr std::size_t window_count = 3;
/// Trees of each window that are tried on the others.
constexpr std::size_t finalists_per_window = 2;

constexpr std::size_t most_regimes = 8;
/// Fingerprints nearer than this are one regime.
constexpr std::uint32_t regime_distance = 16;

/// Drift, in 1/256 of a doubling: what is forgiven per segment, and the sum that is not.
constexpr std::int64_t forgiven_drift = 8, alarming_drift = 38;
/// log2(1.15): a segment that needs so much more is encoded again.
constexpr std::int64_t bad_residual = 52;
constexpr std::uint64_t most_patience = 64;
/// What so few bits per 1024 words are worth is less than a search.
constexpr std::uint64_t negligible_bits = 10;

std::uint64_t bits_per_kiloword(const EncodedTree& tree, const ColumnView& segment) {
  return tree.body.size() * 8 * 1024 / segment.count + 1;
}

std::int64_t residual(std::uint64_t actual, std::uint64_t expected) {
  return static_cast<std::int64_t>(fixed_log2(actual)) - static_cast<std::int64_t>(fixed_log2(expected));
}

class SampledChildPlanner final : public ChildPlanner {
 public:
  SampledChildPlanner(const Objective& objective, Scratch& scratch) : objective_(objective), scratch_(scratch) {}
  Plan plan_for(const ColumnView& child, std::size_t depth) override { return plan_stream(child, objective_, depth, scratch_); }

 private:
  const Objective& objective_;
  Scratch& scratch_;
};

}  // namespace

Plan plan_stream(const ColumnView& stream, const Objective& objective, std::size_t most_depth, Scratch& scratch) {
  const std::vector<ColumnView> windows = windows_of(stream, window_words, window_count);
  const std::size_t depth = std::min<std::size_t>(most_depth, objective.search_depth);
  std::vector<std::vector<PlanNode>> finalists;
  const auto search = [&](const ColumnView& window) {
    const std::vector<Choice> choices = search_trees(window, stream.count, objective, depth, scratch);
    for (std::size_t i = 0; i < std::min(choices.size(), finalists_per_window); ++i) {
      if (std::find(finalists.begin(), finalists.end(), choices[i].nodes) == finalists.end()) finalists.push_back(choices[i].nodes);
    }
    return choices[0].cost;
  };
  const std::uint64_t first_cost = search(windows[0]);
  if (windows.size() == 1) return {finalists[0]};
  // Where the first window's tree costs the same elsewhere, the stream is the same elsewhere.
  for (std::size_t i = 1; i < windows.size(); ++i) {
    const std::uint64_t cost = estimate_tree(finalists[0], windows[i], stream.count, objective, scratch);
    if (cost > first_cost + first_cost / 8 || cost + first_cost / 8 < first_cost) search(windows[i]);
  }
  std::size_t best = 0;
  std::uint64_t best_cost = ~std::uint64_t{0};
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    std::uint64_t cost = 0;
    for (const ColumnView& window : windows) cost += estimate_tree(finalists[i], window, stream.count, objective, scratch);
    if (cost < best_cost) {
      best_cost = cost;
      best = i;
    }
  }
  return {finalists[best]};
}

ColumnPlanner::Regime* ColumnPlanner::nearest_regime(const Fingerprint& fingerprint) {
  Regime* nearest = nullptr;
  for (Regime& regime : regimes_) {
    if (distance(regime.fingerprint, fingerprint) > regime_distance) continue;
    if (nearest == nullptr || distance(regime.fingerprint, fingerprint) < distance(nearest->fingerprint, fingerprint)) nearest = &regime;
  }
  return nearest;
}

/// Room for one; the one that was not used for longest goes.
ColumnPlanner::Regime& ColumnPlanner::new_regime() {
  if (regimes_.size() < most_regimes) return regimes_.emplace_back();
  return *std::min_element(regimes_.begin(), regimes_.end(), [](const Regime& a, const Regime& b) { return a.last_used < b.last_used; });
}

EncodedTree ColumnPlanner::search_and_encode(const ColumnView& segment, Scratch& scratch) {
  ++report_.searches;
  SampledChildPlanner child_planner(objective_, scratch);
  return encode_tree(segment, plan_stream(segment, objective_, max_plan_depth, scratch), scratch, &child_planner);
}

/// Page, "Continuous inspection schemes", 1954: small residuals of one sign add up to an alarm.
bool ColumnPlanner::is_drifting(Regime& regime, std::uint64_t bits) const {
  const std::int64_t now = residual(bits, regime.bits_per_kiloword);
  regime.drift = std::max<std::int64_t>(0, regime.drift + now - forgiven_drift);
  if (bits <= regime.bits_per_kiloword + negligible_bits) {
    regime.drift = 0;
    return false;
  }
  const bool is_alarming = regime.drift > alarming_drift || now > bad_residual;
  return is_alarming && report_.segments - regime.searched >= regime.patience;
}

EncodedTree ColumnPlanner::encode(const ColumnView& segment, Scratch& scratch) {
  ++report_.segments;
  const Fingerprint fingerprint = fingerprint_of(segment);
  Regime* regime = nearest_regime(fingerprint);
  if (regime == nullptr) {
    EncodedTree tree = search_and_encode(segment, scratch);
    new_regime() = {fingerprint, tree.wanted, bits_per_kiloword(tree, segment), report_.segments, 0, 1, report_.segments};
    return tree;
  }
  regime->last_used = report_.segments;
  EncodedTree tree = encode_tree(segment, regime->plan, scratch);
  if (!is_drifting(*regime, bits_per_kiloword(tree, segment))) return tree;

  ++report_.encoded_twice;
  EncodedTree again = search_and_encode(segment, scratch);
  regime->searched = report_.segments;
  regime->drift = 0;
  const bool is_better = again.body.size() * 50 < tree.body.size() * 49;  // by 2 %
  regime->patience = is_better ? 1 : std::min(2 * regime->patience, most_patience);
  if (again.body.size() < tree.body.size()) tree = std::move(again);
  if (is_better) regime->plan = tree.wanted;
  regime->bits_per_kiloword = bits_per_kiloword(tree, segment);
  return tree;
}

}  // namespace floe::series
