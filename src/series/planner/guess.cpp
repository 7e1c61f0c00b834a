#include "series/planner/guess.hpp"

#include <algorithm>
#include <vector>

#include "series/planner/candidates.hpp"
#include "series/planner/facts.hpp"
#include "series/planner/prospects.hpp"
#include "series/planner/search.hpp"
#include "series/planner/windows.hpp"

namespace floe::series {
namespace {

/// Of each window, that chains are tried on; that digits are looked for in, which takes longest.
constexpr std::uint64_t tried_words = 256, decimal_words = 64;
/// With more digits, any floats may be decimals.
constexpr std::uint32_t few_digits = 5;
/// What runs or a dictionary may come to at best they seldom do: they must promise as small a part of the chain's cost.
constexpr std::uint64_t rival_part = 3;

/// What stands before and behind a chain of integers.
struct Frame {
  std::vector<PlanNode> before, behind;
};

/// The chains of integers that their facts speak for.
void add_chains(const StreamFacts& facts, const Frame& frame, std::vector<Plan>& chains) {
  const auto add = [&](const std::vector<PlanNode>& differences) {
    Plan chain{frame.before};
    chain.nodes.insert(chain.nodes.end(), differences.begin(), differences.end());
    chain.nodes.push_back({EncodingId::afl, {}});
    chain.nodes.insert(chain.nodes.end(), frame.behind.begin(), frame.behind.end());
    if (std::find(chains.begin(), chains.end(), chain) == chains.end()) chains.push_back(std::move(chain));
  };
  const ShorterDifferences shorter = shorter_differences(facts);
  if (shorter.stride > 1) add({{EncodingId::delta, {1, shorter.stride}}});
  if (shorter.of_differences) add({{EncodingId::delta, {2, 1}}});
  if (shorter.of_neighbours) add({{EncodingId::delta, {1, 1}}});
  add({});
}

void add_chains(const ColumnView& window, const StreamFacts& facts, std::vector<Plan>& chains) {
  if (is_integer(window.type)) return add_chains(facts, {}, chains);
  const DecimalFacts decimals = find_decimals({window.type, window.values, std::min(window.count, decimal_words)});
  if (decimals.exceptions == 0) {
    // Leaves of exceptions that there are none of.
    const Frame frame{{{EncodingId::decimal, {decimals.digits, decimals.integer_bytes}}}, {{EncodingId::afl, {}}, {EncodingId::raw, {}}}};
    add_chains(find_coarse_facts_of_decimals(window, decimals, most_stride_tried), frame, chains);
    if (decimals.digits <= few_digits) return;
  }
  add_chains(facts, {{{EncodingId::ordered, {}}}, {}}, chains);
}

}  // namespace

std::optional<Plan> guess_chain(std::span<const ColumnView> windows, std::uint64_t count, const Objective& objective, Scratch& scratch) {
  std::vector<StreamFacts> facts;
  std::vector<Plan> chains;
  for (const ColumnView& window : windows) {
    facts.push_back(find_coarse_facts(window, most_stride_tried));
    add_chains(window, facts.back(), chains);
  }
  std::vector<std::uint64_t> costs(windows.size()), best_costs(windows.size());
  const Plan* best = nullptr;
  std::uint64_t least = ~std::uint64_t{0};
  for (const Plan& chain : chains) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < windows.size() && sum < least; ++i)
      sum += costs[i] = estimate_tree(chain.nodes, middle_of(windows[i], tried_words), count, objective, scratch, least - sum);
    if (sum >= least) continue;
    least = sum;
    best = &chain;
    best_costs = costs;
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const Sample sample{windows[i], std::max<std::uint64_t>(256, count * 256 / windows[i].count)};
    const auto is_rival = [&](const PlanNode& node) { return !is_hopeless(node, sample, facts[i], best_costs[i] / rival_part, objective); };
    if (has_runs(facts[i]) && is_rival({EncodingId::rle, {}})) return std::nullopt;
    if (repeats_words(facts[i]) && is_rival({EncodingId::dict, {2}})) return std::nullopt;
  }
  return *best;
}

}  // namespace floe::series
