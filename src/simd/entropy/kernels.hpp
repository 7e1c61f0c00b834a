// The inner loops of entropy coding, compiled once per instruction set and chosen when the program runs.
// Results do not depend on the choice.
#pragma once

#include <array>

#include "chunks/cpu/isa.hpp"
#include "simd/entropy/code.hpp"

namespace floe::trees {

/// Kernels may read so many bytes behind a block, and write as many behind what they write.
inline constexpr std::size_t entropy_slack_bytes = 1024;

/// A section's model and shape.
struct EntropyShape {
  EntropyModel model;
  unsigned lanes = max_entropy_lanes;  ///< A power of two.
  unsigned frequency_bits = long_frequency_bits;
};

/// An entry of a decoder's table: frequency << 20 | symbol << 12 | slot - first slot of the symbol.
FLOE_HD constexpr std::uint32_t decoder_entry(std::uint32_t frequency, std::uint32_t offset,
                                              std::uint32_t symbol) noexcept {
  return frequency << 20 | symbol << 12 | offset;
}

FLOE_HD constexpr std::uint32_t symbol_of_entry(std::uint32_t entry) noexcept { return entry >> 12 & 0xFF; }

/// A block that is being decoded.
struct EntropyDecoder {
  EntropyShape shape;
  unsigned max_extra_bits = 0;           ///< Of a symbol with a frequency.
  const std::uint32_t* table = nullptr;  ///< An entry per slot, of which there are 2^frequency_bits.
  /// Which of several tables, one behind the other, the next runs of words have, with those that fill the
  /// last group; null if there is one table. The lanes are 32 then.
  const std::uint8_t* choices = nullptr;
  std::uint32_t* states = nullptr;      ///< One per lane, aligned to 64 bytes.
  const std::uint8_t* words = nullptr;  ///< The next number of 16 bits.
  const std::uint8_t* words_end = nullptr;
  const std::uint8_t* extra = nullptr;  ///< Of the block.
  std::uint64_t extra_bit = 0;          ///< The next one.
  std::uint64_t extra_end = 0;          ///< In bits.
};

/// What encoders know of a symbol: frequency and first slot, and the inverse of the frequency.
struct EncoderEntry {
  std::uint32_t inverse = 0;  ///< 2^32 / frequency, rounded down; 2^32 - 1 for a frequency of 1.
  std::uint16_t first = 0, frequency = 0;
};
constexpr EncoderEntry encoder_entry(std::uint32_t frequency, std::uint32_t first) noexcept {
  return {frequency > 1 ? static_cast<std::uint32_t>((std::uint64_t{1} << 32) / frequency) : ~0U,
          static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(frequency)};
}

/// What a symbol costs in each of some tables.
struct alignas(32) SymbolCosts {
  std::array<std::int16_t, 2 * max_entropy_tables> in_table;
};

template <core::Word W>
struct EntropyKernels {
  /// Decodes the next `count` words of a block: whole groups, but for the last ones of a block. False if the
  /// block ends before.
  bool (*decode)(EntropyDecoder& decoder, W* words, std::size_t count);
  /// The same of two blocks of one section with all lanes, in whole groups: while one waits, the other goes
  /// on. Null where that is not faster.
  bool (*decode_two)(EntropyDecoder* const (&decoders)[2], W* const (&words)[2], std::size_t count);
  /// Writes the symbols of words, and their extra bits from a new byte on. Returns how many bits those are.
  std::uint64_t (*split)(const EntropyModel& model, const W* words, std::size_t count, std::uint8_t* symbols,
                         std::uint8_t* extra);
  /// Encodes the symbols of a block's whole groups, from the last to the first, and writes numbers of 16 bits
  /// towards smaller addresses. Changes the states, one per lane, and returns where the first number is.
  /// `choices` says for each run of words which of several tables it has; null if there is one.
  std::uint8_t* (*encode)(const EntropyShape& shape, const EncoderEntry* table, std::uint32_t* states,
                          const std::uint8_t* symbols, const std::uint8_t* choices, std::size_t count,
                          std::uint8_t* end);
  /// All words ORed together.
  W (*unite)(const W* words, std::size_t count);
  /// Their sum, modulo 2^W.
  W (*sum)(const W* words, std::size_t count);
  /// The symbols of words if no bits are raw, though they may be more than 256, and the largest one.
  std::uint32_t (*find_classes)(const EntropyModel& model, const W* words, std::size_t count,
                                std::uint16_t* classes);
};

struct AllEntropyKernels {
  EntropyKernels<std::uint8_t> u8;
  EntropyKernels<std::uint16_t> u16;
  EntropyKernels<std::uint32_t> u32;
  EntropyKernels<std::uint64_t> u64;
  void (*count_symbols)(const std::uint8_t* symbols, std::size_t count, std::uint32_t* counts);
  /// Sums of counts: of each of so many pairs, to other memory, and of all.
  void (*add_pairs)(const std::uint16_t* counts, std::size_t pairs, std::uint16_t* sums);
  std::uint32_t (*add_all)(const std::uint16_t* counts, std::size_t count);
  /// What symbols cost, given the costs of each of the 256.
  void (*add_costs)(const std::uint8_t* symbols, std::size_t count, const SymbolCosts* costs,
                    SymbolCosts& sums);

  template <core::Word W>
  [[nodiscard]] const EntropyKernels<W>& of() const {
    return core::of_word<W>(u8, u16, u32, u64);
  }
};

const AllEntropyKernels& entropy_kernels_of(cpu::Isa isa) noexcept;
/// Those of cpu::active_isa().
inline const AllEntropyKernels& entropy_kernels() noexcept {
  static const AllEntropyKernels& active = entropy_kernels_of(cpu::active_isa());
  return active;
}

}  // namespace floe::trees
