// What searches know of devices: which transforms stand in their chains, and how long their leaves and
// dictionaries take.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "plan/search/candidates.hpp"

namespace floe::trees {

/// Whether devices encode a leaf of entropy below it without storing its words: integers of decimals only
/// where all words of the sample are some. `children`: what it made of that.
inline bool continues_chain(const PlanNode& node, std::span<const Stream> children) {
  if (node.encoding == EncodingId::decimal) return children[1].view().count == 0;
  return node.encoding == EncodingId::sortable ||
         (node.encoding == EncodingId::delta && node.parameters[1] == 1);
}

/// Differences need not save much there: they are encoded before others are tried.
inline void keep_chains(DType type, const StreamFacts& facts, const Position& position,
                        std::vector<Prospect>& prospects) {
  std::erase_if(prospects, [](const Prospect& prospect) { return !is_in_chains(prospect.node.encoding); });
  if (!is_integer(type) || position.parent == EncodingId::delta) return;
  const auto min = std::min_element(facts.difference_bits.begin() + 2, facts.difference_bits.end());
  const auto stride = static_cast<std::uint32_t>(min - facts.difference_bits.begin());
  const PlanNode node{EncodingId::delta, {1, stride}};
  const auto is_same = [&](const Prospect& prospect) { return prospect.node == node; };
  if (*min + facts.sampled / 4 < std::min(facts.offset_bits, facts.difference_bits[1]) &&
      std::none_of(prospects.begin(), prospects.end(), is_same))
    prospects.push_back({node, *min});
}

/// For how long devices encode and decode a word of a leaf of entropy: there, by its size, and elsewhere.
inline EncodingTime device_time_of_leaf(const Sample& sample) {
  if (!sample.is_in_chain) return {30, 5};
  return size_of(sample.words.type) == 8 ? EncodingTime{18, 9} : EncodingTime{12, 6};
}

/// Besides its words, for each of the different ones of a dictionary, which are found and sorted: blocks go
/// through the words once more for every table of them that their memory holds.
constexpr EncodingTime device_time_of_entry(std::uint64_t entries) {
  constexpr std::uint64_t of_first = 300, entries_of_picosecond = 100;
  return {static_cast<std::uint32_t>(of_first + entries / entries_of_picosecond), 0};
}

}  // namespace floe::trees
