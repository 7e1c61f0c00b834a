// What a few hundred words of a stream show about integers that stand for them: multiples of a divisor, and
// decimals.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/search/facts/facts.hpp"

namespace floe::trees {

/// A divisor of which many neighbouring words are multiples or have the same remainder.
struct DivisorFacts {
  Parameters parameters;             ///< Of `divide`.
  std::uint64_t saved_bits = 0;      ///< Of the sampled words.
  std::uint64_t remainder_bits = 0;  ///< That remainders need which are not the usual one.
  std::uint64_t sampled = 0;         ///< Words, at most 512.
};
/// Nothing if there is none that saves bits.
std::optional<DivisorFacts> find_divisor(const ColumnView& stream);

/// The digits after the point with which most of some values come back.
struct DecimalFacts {
  std::uint64_t sampled = 0;
  std::uint32_t digits = 0;
  std::uint32_t integer_bytes = 4;
  std::uint64_t exceptions = 0;  ///< Of the sampled ones.
};
/// Precondition: a stream of floats. Those of 16 bits have none.
DecimalFacts find_decimals(const ColumnView& stream);
/// The same, and, where doubles have other digits elsewhere, as sorted ones do, those of words from the first
/// to the last one. Exceptions among these count for both.
std::vector<DecimalFacts> find_decimals_of_parts(const ColumnView& stream);
/// The coarse facts of the integers that stand for the values, whose differences tell more than those of
/// floats.
StreamFacts find_coarse_facts_of_decimals(const ColumnView& stream, const DecimalFacts& decimals,
                                          std::size_t max_stride = 2);

}  // namespace floe::trees
