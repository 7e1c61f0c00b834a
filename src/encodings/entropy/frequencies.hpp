// The frequencies of an entropy code's symbols: from counts, and in the table of a section.
#pragma once

#include <array>
#include <cstdint>

#include "core/byte_stream.hpp"
#include "simd/entropy/code.hpp"

namespace floe::trees {

using SymbolCounts = std::array<std::uint32_t, entropy_symbols>;

/// Counts as frequencies that sum to 2^bits, for symbols that occur at least 1. Rare symbols take 1 each, the
/// others their share of the rest, rounded; what that leaves or lacks is the largest one's, in parts of which
/// none takes more than a quarter of it. `total` is the sum of the counts, and not 0.
FLOE_HD constexpr void normalise(const std::uint32_t* counts, std::uint32_t total, unsigned bits,
                                 std::uint32_t* frequencies) {
  const std::uint64_t whole = std::uint64_t{1} << bits;
  std::uint64_t left = whole, common = total;
  unsigned kinds = 0;
  for (unsigned s = 0; s < entropy_symbols; ++s) {
    kinds += counts[s] != 0;
    if (counts[s] == 0 || counts[s] * whole >= total) continue;
    --left;
    common -= counts[s];
  }
  std::uint64_t sum = 0;
  for (unsigned s = 0; s < entropy_symbols; ++s) {
    const bool is_rare = counts[s] * whole < total;
    const std::uint64_t share = is_rare ? counts[s] != 0 : (counts[s] * left + common / 2) / common;
    frequencies[s] = static_cast<std::uint32_t>(share == 0 && counts[s] != 0 ? 1 : share);
    sum += frequencies[s];
  }
  while (sum != whole) {
    unsigned largest = 0;
    for (unsigned s = 1; s < entropy_symbols; ++s) {
      if (frequencies[s] > frequencies[largest]) largest = s;
    }
    if (sum < whole) {
      frequencies[largest] += static_cast<std::uint32_t>(whole - sum);
      sum = whole;
    } else {
      const std::uint32_t quarter = frequencies[largest] / 4, max_taken = quarter > 1 ? quarter : 1;
      const std::uint32_t taken =
          sum - whole < max_taken ? static_cast<std::uint32_t>(sum - whole) : max_taken;
      frequencies[largest] -= taken;
      sum -= taken;
    }
  }
  if (kinds > 1) return;
  // No frequency is 2^bits: a neighbour gets 1.
  for (unsigned s = 0; s < entropy_symbols; ++s) {
    if (counts[s] == 0) continue;
    --frequencies[s];
    frequencies[s > 0 ? s - 1 : 1] = 1;
  }
}

void write_frequencies(const SymbolCounts& frequencies, core::ByteWriter& out);
/// False if the bytes are no table whose frequencies sum to 2^bits.
bool read_frequencies(core::ByteReader& in, unsigned bits, SymbolCounts& frequencies);

}  // namespace floe::trees
