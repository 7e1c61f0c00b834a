#include "plan/search/likely_chains.hpp"

#include <algorithm>

#include "plan/search/candidates.hpp"

namespace floe::trees {
namespace {

/// Of a stream, that digits are looked for in, which takes longest.
constexpr std::uint64_t decimal_words = 64;
/// With more digits, any floats may be decimals.
constexpr std::uint32_t few_digits = 5;

/// What stands before and behind a chain of integers.
struct Frame {
  std::vector<PlanNode> before, behind;
};

void add_new(Plan chain, std::vector<Plan>& chains) {
  if (std::find(chains.begin(), chains.end(), chain) == chains.end()) chains.push_back(std::move(chain));
}

/// The chains of integers that their facts speak for.
void add_chains_of_integers(const StreamFacts& facts, const Frame& frame, std::vector<Plan>& chains) {
  const auto add = [&](const std::vector<PlanNode>& differences, bool are_equal = false) {
    Plan chain{frame.before};
    chain.nodes.insert(chain.nodes.end(), differences.begin(), differences.end());
    chain.nodes.push_back({are_equal ? EncodingId::constant : EncodingId::bitpack, {}});
    chain.nodes.insert(chain.nodes.end(), frame.behind.begin(), frame.behind.end());
    add_new(std::move(chain), chains);
  };
  const ShorterDifferences shorter = shorter_differences(facts);
  // The first difference counts among those of second order.
  const bool is_straight =
      facts.sampled > max_stride_tried &&
      facts.second_difference_bits * (facts.sampled - max_stride_tried) == facts.difference_bits[1];
  // Those that are mostly the best ones first: the others need not be tried to their end.
  if (shorter.stride > 1)
    add({{EncodingId::delta, {1, shorter.stride}}}, facts.difference_bits[shorter.stride] == 0);
  if (shorter.of_neighbours) add({{EncodingId::delta, {1, 1}}}, is_straight);
  if (shorter.of_differences && !is_straight) add({{EncodingId::delta, {2, 1}}});
  add({});
}

}  // namespace

void add_likely_chains(const ColumnView& stream, const StreamFacts& facts, std::vector<Plan>& chains) {
  if (facts.runs == 1) return add_new({{{EncodingId::constant, {}}}}, chains);
  if (is_integer(stream.type)) return add_chains_of_integers(facts, {}, chains);
  const DecimalFacts decimals =
      find_decimals({stream.type, stream.values, std::min(stream.count, decimal_words)});
  if (decimals.exceptions == 0) {
    // Leaves of exceptions that there are none of.
    const Frame frame{{{EncodingId::decimal, {decimals.digits, decimals.integer_bytes}}},
                      {{EncodingId::bitpack, {}}, {EncodingId::raw, {}}}};
    add_chains_of_integers(find_coarse_facts_of_decimals(stream, decimals, max_stride_tried), frame, chains);
    if (decimals.digits <= few_digits) return;
  }
  add_chains_of_integers(facts, {{{EncodingId::sortable, {}}}, {}}, chains);
}

}  // namespace floe::trees
