#include "plan/search/prospects.hpp"

#include <algorithm>

#include "core/fixed_log.hpp"

namespace floe::trees {
namespace {

/// Of a word, if two ranges of words are packed apart.
std::uint64_t split_cost(const StreamFacts& facts) {
  return (facts.offset_bits - std::min(facts.offset_bits, facts.split_gain_bits)) * cost_of_bit /
         facts.sampled;
}
/// Of a word's place in a dictionary. In a sorted one, neighbours may have near places.
std::uint64_t code_cost(const StreamFacts& facts, const Parameters& parameters) {
  const std::uint64_t cost =
      core::fixed_log2(facts.distinct) * (facts.sampled - facts.majority) / facts.sampled;
  return parameters[0] == 1 ? cost / 2 : cost;
}

}  // namespace

std::uint64_t optimistic_cost(const StreamFacts& facts) {
  const std::uint64_t differences =
      std::min(*std::min_element(facts.difference_bits.begin() + 1, facts.difference_bits.end()),
               facts.second_difference_bits);
  const std::uint64_t bits = std::min(facts.offset_bits, differences);
  const std::uint64_t runs =
      facts.runs * (bits / facts.sampled + 1 + core::fixed_log2(facts.sampled / facts.runs) / 256);
  return std::min(bits, runs) * cost_of_bit / facts.sampled;
}

std::vector<PlanNode> fastest_first(std::vector<PlanNode> candidates, const Objective& objective) {
  std::stable_sort(candidates.begin(), candidates.end(), [&](const PlanNode& a, const PlanNode& b) {
    return time_cost(objective, encoding_of(a.encoding), 1000) <
           time_cost(objective, encoding_of(b.encoding), 1000);
  });
  return candidates;
}

bool is_hopeless(const PlanNode& node, const Sample& sample, const StreamFacts& facts, std::uint64_t limit,
                 const Objective& objective) {
  const auto time_of_kiloword = [&](EncodingId id) { return time_cost(objective, encoding_of(id), 1024); };
  // Of 1024 words, times and bits of what is packed below.
  const std::uint64_t packing = time_of_kiloword(EncodingId::bitpack), bit = 1024 * cost_of_bit;
  std::uint64_t least = time_of_kiloword(node.encoding);
  switch (node.encoding) {
    case EncodingId::rle:
      least += (2 * packing + 2 * bit) * facts.runs / facts.sampled;
      break;
    case EncodingId::split:
    case EncodingId::stride_split:
      least += packing + std::min(optimistic_cost(facts), split_cost(facts)) * 1024;
      break;
    case EncodingId::dict:
      least += packing + std::min(optimistic_cost(facts), code_cost(facts, node.parameters)) * 1024;
      break;
    default:
      break;
  }
  return sample.whole(sample.words.count) * least / 1024 >= limit;
}

}  // namespace floe::trees
