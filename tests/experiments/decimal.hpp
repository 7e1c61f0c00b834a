// Doubles that were decimal numbers become integers; those that do not come back bit by bit are exceptions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "chunks/stages/zigzag.hpp"
#include "core/bits.hpp"
#include "tests/experiments/shapes.hpp"

namespace floe::experiments {

/// 10^k and 10^-k, rounded to nearest.
inline constexpr std::array<double, 19> powers_of_ten = {0x1p+0,
                                                         0x1.4p+3,
                                                         0x1.9p+6,
                                                         0x1.f4p+9,
                                                         0x1.388p+13,
                                                         0x1.86ap+16,
                                                         0x1.e848p+19,
                                                         0x1.312dp+23,
                                                         0x1.7d784p+26,
                                                         0x1.dcd65p+29,
                                                         0x1.2a05f2p+33,
                                                         0x1.74876e8p+36,
                                                         0x1.d1a94a2p+39,
                                                         0x1.2309ce54p+43,
                                                         0x1.6bcc41e9p+46,
                                                         0x1.c6bf52634p+49,
                                                         0x1.1c37937e08p+53,
                                                         0x1.6345785d8ap+56,
                                                         0x1.bc16d674ec8p+59};
inline constexpr std::array<double, 19> inverse_powers_of_ten = {0x1p+0,
                                                                 0x1.999999999999ap-4,
                                                                 0x1.47ae147ae147bp-7,
                                                                 0x1.0624dd2f1a9fcp-10,
                                                                 0x1.a36e2eb1c432dp-14,
                                                                 0x1.4f8b588e368f1p-17,
                                                                 0x1.0c6f7a0b5ed8dp-20,
                                                                 0x1.ad7f29abcaf48p-24,
                                                                 0x1.5798ee2308c3ap-27,
                                                                 0x1.12e0be826d695p-30,
                                                                 0x1.b7cdfd9d7bdbbp-34,
                                                                 0x1.5fd7fe1796495p-37,
                                                                 0x1.19799812dea11p-40,
                                                                 0x1.c25c268497682p-44,
                                                                 0x1.6849b86a12b9bp-47,
                                                                 0x1.203af9ee75616p-50,
                                                                 0x1.cd2b297d889bcp-54,
                                                                 0x1.70ef54646d497p-57,
                                                                 0x1.2725dd1d243acp-60};

/// A value is `integer * 10^factor * 10^-exponent`, multiplied in this order. Afroozeh, Kuffo, Boncz, "ALP:
/// Adaptive Lossless floating-Point Compression", SIGMOD 2024. Only + - *, comparisons and conversions of
/// binary64, rounded to nearest, not contracted: the same on every machine.
struct DecimalScale {
  std::uint8_t exponent = 0, factor = 0;

  [[nodiscard]] bool is_valid() const { return exponent < powers_of_ten.size() && factor <= exponent; }

  [[nodiscard]] double restore(std::int64_t integer) const {
    return static_cast<double>(integer) * powers_of_ten[factor] * inverse_powers_of_ten[exponent];
  }

  /// The integer that restores the bits of `value`; none for exceptions, which infinities, NaNs, -0 and
  /// denormals always are.
  [[nodiscard]] std::optional<std::int64_t> integer_of(double value) const {
    constexpr double limit = 0x1p51, round_to_integer = 0x1.8p52, smallest_normal = 0x1p-1022;
    const double scaled = value * powers_of_ten[exponent] * inverse_powers_of_ten[factor];
    if (!(scaled > -limit && scaled < limit)) return std::nullopt;
    if (value > -smallest_normal && value < smallest_normal && std::bit_cast<std::uint64_t>(value) != 0)
      return std::nullopt;
    const auto integer = static_cast<std::int64_t>((scaled + round_to_integer) - round_to_integer);
    if (std::bit_cast<std::uint64_t>(restore(integer)) != std::bit_cast<std::uint64_t>(value))
      return std::nullopt;
    return integer;
  }
};

/// Streams: integers (64 bits; an exception repeats the integer before it), positions of exceptions (16
/// bits), their words (64 bits) and the bytes after the last word. Parameters: exponent, factor.
struct Decimal {
  template <core::Word W>
  using PartsOf = Parts<2, 3>;

  template <core::Word W>
  static std::optional<Parts<2, 3>> split(const Bytes& in) {
    static_assert(sizeof(W) == 8, "decimals are doubles");
    const std::vector<std::uint64_t> words = reference::to_words<std::uint64_t>(in);
    if (words.size() > 0x10000) return std::nullopt;
    const DecimalScale scale = choose(words);
    Parts<2, 3> parts;
    parts.parameters = {scale.exponent, scale.factor};
    auto& [integers, positions, exceptions] = parts.streams;
    std::int64_t previous = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (const auto integer = scale.integer_of(std::bit_cast<double>(words[i]))) {
        previous = *integer;
      } else {
        reference::append_word(positions, static_cast<std::uint16_t>(i));
        reference::append_word(exceptions, words[i]);
      }
      reference::append_word(integers, static_cast<std::uint64_t>(previous));
    }
    reference::append(exceptions, reference::tail_of<std::uint64_t>(in));
    return parts;
  }

  template <core::Word W>
  static MaybeBytes merge(const Parts<2, 3>& parts) {
    const DecimalScale scale{parts.parameters[0], parts.parameters[1]};
    const auto& [integers, positions, exceptions] = parts.streams;
    const std::size_t exception_count = positions.size() / 2;
    if (!scale.is_valid() || integers.size() % 8 != 0 || positions.size() % 2 != 0) return std::nullopt;
    if (exceptions.size() < 8 * exception_count || exceptions.size() - 8 * exception_count >= 8)
      return std::nullopt;

    std::vector<std::uint64_t> words = reference::to_words<std::uint64_t>(integers);
    for (std::uint64_t& word : words)
      word = std::bit_cast<std::uint64_t>(scale.restore(static_cast<std::int64_t>(word)));
    for (std::size_t e = 0; e < exception_count; ++e) {
      const std::size_t position = core::load<std::uint16_t>(positions.data() + 2 * e);
      const bool ascending = e == 0 || position > core::load<std::uint16_t>(positions.data() + 2 * (e - 1));
      if (!ascending || position >= words.size()) return std::nullopt;
      words[position] = core::load<std::uint64_t>(exceptions.data() + 8 * e);
    }
    return reference::to_bytes(
        words,
        Bytes(exceptions.begin() + static_cast<std::ptrdiff_t>(8 * exception_count), exceptions.end()));
  }

 private:
  /// Bits that the words [begin, end) take with this scale, about: differences of integers, and 80 bits for
  /// each exception.
  static std::uint64_t cost_bits(const DecimalScale& scale, std::span<const std::uint64_t> words) {
    constexpr std::uint64_t exception_bits = 80;
    std::uint64_t bits = 0;
    std::int64_t previous = 0;
    bool has_previous = false;
    for (const std::uint64_t word : words) {
      const auto integer = scale.integer_of(std::bit_cast<double>(word));
      if (!integer) {
        bits += exception_bits;
        continue;
      }
      const auto difference = static_cast<std::uint64_t>(*integer) - static_cast<std::uint64_t>(previous);
      if (has_previous) bits += core::bit_length(stages::ZigZag::forward(difference));
      previous = *integer;
      has_previous = true;
    }
    return bits;
  }

  /// All pairs on four runs of eight words, the best sixteen of them on all words. Ties: the smaller
  /// exponent, then the smaller factor.
  static DecimalScale choose(std::span<const std::uint64_t> words) {
    constexpr std::size_t run_words = 8, runs = 4, finalists = 16;
    struct Candidate {
      std::uint64_t bits;
      DecimalScale scale;
    };
    std::vector<Candidate> candidates;
    for (std::uint8_t exponent = 0; exponent < powers_of_ten.size(); ++exponent) {
      for (std::uint8_t factor = 0; factor <= exponent; ++factor) {
        Candidate candidate{0, {exponent, factor}};
        for (std::size_t r = 0; r < runs; ++r) {
          const std::span<const std::uint64_t> rest = words.subspan(words.size() * r / runs);
          candidate.bits += cost_bits(candidate.scale, rest.first(std::min(run_words, rest.size())));
        }
        candidates.push_back(candidate);
      }
    }
    const auto cheaper = [](const Candidate& a, const Candidate& b) { return a.bits < b.bits; };
    std::stable_sort(candidates.begin(), candidates.end(), cheaper);
    candidates.resize(finalists);
    for (Candidate& candidate : candidates) candidate.bits = cost_bits(candidate.scale, words);
    return std::min_element(candidates.begin(), candidates.end(), cheaper)->scale;
  }
};

}  // namespace floe::experiments
