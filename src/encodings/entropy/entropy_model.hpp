// How the entropy leaf turns words into symbols, and how frequent each is: for the leaf, and for estimates of
// its size.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/bits.hpp"
#include "core/byte_stream.hpp"
#include "encodings/stream.hpp"

namespace floe::trees {

inline constexpr std::size_t symbol_count = 256;
inline constexpr unsigned frequency_bits = 12;
inline constexpr unsigned max_mantissa_bits = 7;
using SymbolCounts = std::array<std::uint32_t, symbol_count>;

/// Offsets are written like floating-point numbers: small ones are their own symbols; of larger ones, a
/// symbol says the length and the first `mantissa_bits` bits behind the leading one, and the others follow as
/// extra bits.
constexpr std::uint64_t symbol_of(std::uint64_t offset, unsigned mantissa_bits) noexcept {
  // Without branches: which case it is is as good as random.
  const unsigned length = core::bit_length(offset),
                 extra = length > mantissa_bits + 1 ? length - mantissa_bits - 1 : 0;
  return (std::uint64_t{extra} << mantissa_bits) + (offset >> extra);
}
constexpr unsigned extra_bits_of(std::uint64_t symbol, unsigned mantissa_bits) noexcept {
  const auto exponent = static_cast<unsigned>(symbol >> mantissa_bits);
  return exponent > 1 ? exponent - 1 : 0;
}
/// The smallest offset of a symbol. Only for symbols that some offset has; otherwise the upper bits are lost.
constexpr std::uint64_t min_offset(std::uint64_t symbol, unsigned mantissa_bits) noexcept {
  const unsigned extra = extra_bits_of(symbol, mantissa_bits);
  return extra >= 64 ? 0 : (symbol - (std::uint64_t{extra} << mantissa_bits)) << extra;
}

/// How words become offsets.
struct EntropyModel {
  bool is_zigzag = false;  ///< Offsets of either sign, folded; otherwise offsets upwards.
  unsigned mantissa_bits = 0;
  std::uint64_t base = 0;

  template <core::Word W>
  [[nodiscard]] W offset_of(W word) const {
    const W difference = static_cast<W>(word - static_cast<W>(base));
    return is_zigzag ? core::zigzag(difference) : difference;
  }
  template <core::Word W>
  [[nodiscard]] W word_of(W offset) const {
    return static_cast<W>(static_cast<W>(base) + (is_zigzag ? core::unzigzag(offset) : offset));
  }
};

struct EntropyEstimate {
  EntropyModel model;
  std::uint64_t coded_bits = 0;  ///< Of symbols and extra bits.
  std::uint64_t table_bits = 0;
  [[nodiscard]] std::uint64_t bits() const { return coded_bits + table_bits; }
};

/// The best model for a stream of an integer type, from all of its words. Precondition: at least one word.
EntropyEstimate choose_entropy_model(const ColumnView& column);

/// Offsets of either sign from the middle of a stream.
EntropyModel folded_model(const ColumnView& column);

SymbolCounts count_symbols(std::span<const std::uint8_t> symbols);

/// Frequencies that sum to 2^12; every symbol that occurs has at least 1.
class FrequencyTable {
 public:
  FrequencyTable() = default;
  /// `counts` are not all 0.
  explicit FrequencyTable(const SymbolCounts& counts);
  void write(core::ByteWriter& out) const;
  /// False if the bytes are no table.
  bool read(core::ByteReader& in);
  [[nodiscard]] std::uint32_t frequency(std::size_t symbol) const { return frequencies_[symbol]; }

 private:
  SymbolCounts frequencies_{};
};

}  // namespace floe::trees
