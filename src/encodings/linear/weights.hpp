// Weights for a prediction of words from those before them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "encodings/rules.hpp"
#include "encodings/stream.hpp"

namespace floe::trees {

inline constexpr unsigned weight_bits = 16;  ///< Behind the point of a weight.
inline constexpr std::size_t max_weights = LinearRules::ranges[0].max;

/// Numbers of 32 bits.
using Weights = std::array<std::int64_t, max_weights>;
/// How far before a word those are that predict it. They ascend.
using Distances = std::array<std::uint32_t, max_weights>;

/// Where nothing else is said: 1, 2, 3 and so on.
constexpr Distances near_distances() noexcept {
  Distances distances{};
  for (std::uint32_t j = 0; j < max_weights; ++j) distances[j] = j + 1;
  return distances;
}

/// Words of a stream as numbers: the signed or unsigned ones that their type says.
template <core::Word W>
struct Numbers {
  std::span<const W> words;
  bool are_signed;

  [[nodiscard]] double operator[](std::size_t i) const {
    return are_signed ? static_cast<double>(static_cast<std::make_signed_t<W>>(words[i]))
                      : static_cast<double>(words[i]);
  }
};

/// Which `count` words before predict most words of the stream well: neighbours, and those in the rows of so
/// many words, and in the planes of so many rows, before. The same on every machine. Nothing if there are
/// none.
template <core::Word W>
std::optional<Distances> find_distances(const Numbers<W>& numbers, std::size_t count, std::uint32_t row);

/// Weights of the words at the first `count` distances: they minimize about the sum of absolute errors in
/// windows of the stream. Nothing if there are none. The same on every machine.
template <core::Word W>
std::optional<Weights> find_weights(const Numbers<W>& numbers, std::size_t count,
                                    const Distances& distances = near_distances());

}  // namespace floe::trees
