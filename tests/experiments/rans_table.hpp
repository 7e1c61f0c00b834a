// The frequencies of an entropy coder: how they are counted, rounded, stored and looked up.
#pragma once

#include <algorithm>

#include "core/bits.hpp"
#include "tests/experiments/shapes.hpp"

namespace floe::experiments {

/// Frequencies of the 256 bytes, which sum to 2^12, and their running sums.
struct RansTable {
  static constexpr unsigned scale_bits = 12;
  static constexpr std::uint32_t scale = 1u << scale_bits;
  /// Each byte at most a class of 4 bits and 12 bits; the number of bytes of the table before that.
  static constexpr std::size_t max_stored_bytes = 2 + 256 * 2;

  std::array<std::uint32_t, 256> frequency;
  std::array<std::uint32_t, 256> first;       ///< Sum of the frequencies of all smaller bytes.
  std::array<std::uint8_t, scale> symbol_at;  ///< The byte whose range of running sums holds an index.

  /// Rounds counts to frequencies: every byte that occurs has at least 1. What is then too much or too little
  /// is taken from or given to the most frequent byte, the smallest one of equals.
  void normalize(std::uint32_t total) {
    std::uint32_t sum = 0;
    for (std::uint32_t& f : frequency) {
      if (f != 0) f = std::max<std::uint32_t>(1, (f * scale + total / 2) / total);
      sum += f;
    }
    for (; sum > scale; --sum) --*std::max_element(frequency.begin(), frequency.end());
    *std::max_element(frequency.begin(), frequency.end()) += scale - sum;
    sum_up();
  }

  /// Classes of 4 bits: the bit length of the frequency, whose lower bits follow; for absent bytes 0, then 4
  /// bits: how many more absent bytes follow. 2 bytes in front hold the length.
  [[nodiscard]] Bytes stored() const {
    reference::BitWriter bits;
    for (unsigned s = 0; s < 256; ++s) {
      const unsigned length = core::bit_length(frequency[s]);
      bits.put(length, 4);
      if (length > 0) {
        bits.put(frequency[s] & core::low_mask<std::uint32_t>(length - 1), length - 1);
      } else {
        unsigned more = 0;
        while (more < 15 && s + 1 < 256 && frequency[s + 1] == 0) ++more, ++s;
        bits.put(more, 4);
      }
    }
    Bytes out(2 + bits.bytes().size());
    core::store(out.data(), static_cast<std::uint16_t>(bits.bytes().size()));
    std::copy(bits.bytes().begin(), bits.bytes().end(), out.begin() + 2);
    return out;
  }

  /// Reads a stored table from the front of `in`; returns its bytes, or 0 if it is none.
  std::size_t load(std::span<const std::uint8_t> in) {
    if (in.size() < 2) return 0;
    const std::size_t size = core::load<std::uint16_t>(in.data());
    if (size > max_stored_bytes - 2 || size > in.size() - 2) return 0;
    const Bytes stored_bits(in.begin() + 2, in.begin() + 2 + static_cast<std::ptrdiff_t>(size));
    reference::BitReader bits(stored_bits);
    std::uint64_t sum = 0;
    for (unsigned s = 0; s < 256; ++s) {
      const auto length = static_cast<unsigned>(bits.get(4));
      frequency[s] = length == 0 ? 0 : 1u << (length - 1) | static_cast<std::uint32_t>(bits.get(length - 1));
      sum += frequency[s];
      for (std::uint64_t more = length == 0 ? bits.get(4) : 0; more > 0; --more) {
        if (++s >= 256) return 0;
        frequency[s] = 0;
      }
    }
    if (bits.failed() || bits.bytes_used() != size || sum != scale) return 0;
    sum_up();
    return 2 + size;
  }

 private:
  void sum_up() {
    std::uint32_t sum = 0;
    for (unsigned s = 0; s < 256; ++s) {
      first[s] = sum;
      std::fill_n(symbol_at.begin() + sum, frequency[s], static_cast<std::uint8_t>(s));
      sum += frequency[s];
    }
  }
};

}  // namespace floe::experiments
