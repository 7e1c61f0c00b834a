// What an entropy code is: words become offsets by a mode, and offsets symbols and extra bits. Formulas for
// every backend.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bits.hpp"
#include "core/word.hpp"

namespace floe::trees {

inline constexpr unsigned entropy_symbols = 256;
inline constexpr unsigned max_mantissa_bits = 7;
inline constexpr unsigned max_entropy_lane_bits = 5;
inline constexpr unsigned max_entropy_lanes = 1 << max_entropy_lane_bits;
inline constexpr unsigned short_frequency_bits = 8, long_frequency_bits = 12;
/// States are less than 2^32, and not less than this.
inline constexpr std::uint32_t min_entropy_state = 1 << 16;

/// How words become offsets.
enum class EntropyMode : std::uint8_t {
  upwards = 0,  ///< From the base, modulo 2^W.
  folded = 1,   ///< From the base, zig-zag.
  rotated = 2   ///< For floats: the sign comes behind the other bits.
};
inline constexpr unsigned entropy_mode_count = 3;

/// A section may have several tables of frequencies: runs of so many words choose one each.
inline constexpr unsigned entropy_run_bits = 6;
inline constexpr unsigned entropy_run_words = 1 << entropy_run_bits;
inline constexpr unsigned max_entropy_table_bits = 3;
inline constexpr unsigned max_entropy_tables = 1 << max_entropy_table_bits;

/// The model of a section: everything but frequencies.
struct EntropyModel {
  EntropyMode mode = EntropyMode::upwards;
  unsigned mantissa_bits = 0;
  unsigned raw_bits = 0;  ///< The lowest bits of each offset, which are in no symbol.
  std::uint64_t base = 0;
};

/// The consecutive words that a lane has of each group, and so the steps of a group.
template <core::Word W>
inline constexpr unsigned entropy_steps = sizeof(W) == 8   ? 2
                                          : sizeof(W) == 4 ? 4
                                                           : 8;

template <core::Word W>
FLOE_HD constexpr W offset_of(W word, EntropyMode mode, W base) noexcept {
  if (mode == EntropyMode::rotated)
    return static_cast<W>(static_cast<W>(word << 1) | static_cast<W>(word >> (core::word_bits<W> - 1)));
  const W difference = static_cast<W>(word - base);
  return mode == EntropyMode::folded ? core::zigzag(difference) : difference;
}
template <core::Word W>
FLOE_HD constexpr W word_of(W offset, EntropyMode mode, W base) noexcept {
  if (mode == EntropyMode::rotated)
    return static_cast<W>(static_cast<W>(offset >> 1) | static_cast<W>(offset << (core::word_bits<W> - 1)));
  return static_cast<W>((mode == EntropyMode::folded ? core::unzigzag(offset) : offset) + base);
}

/// Of an offset without its raw bits. Small ones are their own symbols; of larger ones, a symbol has the
/// length and the first `mantissa_bits` bits behind the leading one.
FLOE_HD constexpr unsigned dropped_bits(std::uint64_t offset, unsigned mantissa_bits) noexcept {
  const unsigned length = core::bit_length(offset);
  return length > mantissa_bits + 1 ? length - mantissa_bits - 1 : 0;
}
FLOE_HD constexpr std::uint64_t symbol_of(std::uint64_t offset, unsigned mantissa_bits) noexcept {
  const unsigned dropped = dropped_bits(offset, mantissa_bits);
  return (std::uint64_t{dropped} << mantissa_bits) + (offset >> dropped);
}
/// The inverse: how many bits are dropped, and what is left of the offset.
FLOE_HD constexpr unsigned dropped_bits_of_symbol(std::uint64_t symbol, unsigned mantissa_bits) noexcept {
  const auto exponent = static_cast<unsigned>(symbol >> mantissa_bits);
  return exponent > 1 ? exponent - 1 : 0;
}
FLOE_HD constexpr std::uint64_t top_of_symbol(std::uint64_t symbol, unsigned mantissa_bits) noexcept {
  return symbol - (std::uint64_t{dropped_bits_of_symbol(symbol, mantissa_bits)} << mantissa_bits);
}

/// Whether all offsets of a symbol have no more than `word_bits` bits.
FLOE_HD constexpr bool is_symbol_of_words(unsigned symbol, unsigned mantissa_bits, unsigned raw_bits,
                                          unsigned word_bits) noexcept {
  return dropped_bits_of_symbol(symbol, mantissa_bits) +
             core::bit_length(top_of_symbol(symbol, mantissa_bits)) + raw_bits <=
         word_bits;
}

}  // namespace floe::trees
