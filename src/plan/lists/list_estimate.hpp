// About how many different words a stream has, and what a list of them needs: words of a large set that come
// again a few times each hardly do so in samples of windows.
#pragma once

#include <optional>

#include "encodings/stream.hpp"

namespace floe::trees {

/// Of all different words, ascending. Costs are in 1/256 bit.
struct ListEstimate {
  std::uint64_t words = 0, cost = 0;
  std::uint64_t position_cost =
      0;  ///< Of each word of the stream, if positions are differences; of words only.
};
/// Of the words as they are, and, of floats, without their signs.
struct ListEstimates {
  ListEstimate words, magnitudes;
};
/// About one of 2^part_bits different words is looked at, chosen by its bits alone, so that all its positions
/// are.
inline constexpr unsigned many_chosen_bits = 5, few_chosen_bits = 7;
/// Nothing if too few words show what the others are like.
std::optional<ListEstimates> estimate_lists(const ColumnView& stream, unsigned part_bits = many_chosen_bits);

/// Whether a 16th of the words seems to be there before, by an eighth of the stream: in a tenth of the time.
/// Not if words are there more than `max_occurrences` times on average in that eighth alone.
bool words_seem_to_repeat(const ColumnView& stream, std::uint64_t max_occurrences);

/// Whether a 16th of so many words, or more, are there before.
constexpr bool words_repeat(const ListEstimate& list, std::uint64_t count) noexcept {
  return list.words * 16 <= count * 15;
}

}  // namespace floe::trees
