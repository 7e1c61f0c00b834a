// Weights for a prediction of words from those before them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "encodings/rules.hpp"
#include "encodings/stream.hpp"

namespace floe::trees {

inline constexpr unsigned weight_bits = 16;  ///< Behind the point of a weight.
inline constexpr std::size_t max_weights = LinearRules::ranges[0].max;

/// [j] is that of the word j + 1 before.
using Weights = std::array<std::int32_t, max_weights>;

/// The first `count` weights, which predict most words of the stream well: they minimize about the sum of
/// absolute errors in windows of it. Nothing if there are none. The same on every machine.
template <core::Word W>
std::optional<Weights> find_weights(std::span<const W> words, std::size_t count);

/// What so many weights predict for the word behind `words`, of which that many are read, backwards from the
/// last one. Sums are modulo 2^64.
template <core::Word W>
inline W predict(const W* end, const Weights& weights, std::size_t count) {
  using Signed = std::make_signed_t<W>;
  std::uint64_t sum = sizeof(W) == 8 ? 0 : std::uint64_t{1} << (weight_bits - 1);
  for (std::size_t j = count; j > 0; --j) {
    // Products of words of 64 bits would not fit: their lowest bits have no say.
    const auto word = static_cast<std::int64_t>(static_cast<Signed>(*(end - j)));
    const std::int64_t factor = sizeof(W) == 8 ? word >> weight_bits : word;
    sum += static_cast<std::uint64_t>(std::int64_t{weights[j - 1]}) * static_cast<std::uint64_t>(factor);
  }
  return static_cast<W>(
      sizeof(W) == 8 ? sum : static_cast<std::uint64_t>(static_cast<std::int64_t>(sum) >> weight_bits));
}

}  // namespace floe::trees
