// What a literal costs, before it is known which words are literals.
#pragma once

#include <array>
#include <span>

#include "core/fixed_log.hpp"
#include "encodings/match/sequences.hpp"

namespace floe::trees {

/// The entropy of the bytes; of wider words three fourths of their bits.
template <core::Word W>
std::uint32_t literal_cost(std::span<const W> words) {
  if constexpr (sizeof(W) > 1) {
    return core::word_bits<W> * match_cost_of_bit / 4 * 3;
  } else {
    std::array<std::uint32_t, 256> counts{};
    for (const W word : words) ++counts[word];
    std::uint64_t cost = words.size() * core::fixed_log2(words.size());
    for (const std::uint32_t count : counts) cost -= std::uint64_t{count} * core::fixed_log2(count);
    return static_cast<std::uint32_t>(cost / words.size());
  }
}

}  // namespace floe::trees
