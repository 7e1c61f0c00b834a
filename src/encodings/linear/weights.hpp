// Weights for a prediction of words from those before them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

/// Which `count` words before predict most words of the stream well: neighbours, and those in the rows of so
/// many words, and in the planes of so many rows, before. The same on every machine. Nothing if there are
/// none.
template <core::Word W>
std::optional<Distances> find_distances(std::span<const W> words, std::size_t count, std::uint32_t row);

/// Weights of the words at the first `count` distances: they minimize about the sum of absolute errors in
/// windows of the stream. Nothing if there are none. The same on every machine.
template <core::Word W>
std::optional<Weights> find_weights(std::span<const W> words, std::size_t count,
                                    const Distances& distances = near_distances());

/// A word as a factor of products: those of all bits of words of 64 bits would not fit.
template <core::Word W>
constexpr std::int64_t factor_of(W word) noexcept {
  const auto number = static_cast<std::int64_t>(static_cast<std::make_signed_t<W>>(word));
  return sizeof(W) == 8 ? number >> weight_bits : number;
}

/// What a sum of products predicts.
template <core::Word W>
constexpr W predicted(std::int64_t sum) noexcept {
  if constexpr (sizeof(W) == 8) return static_cast<W>(sum);
  constexpr std::uint64_t half = std::uint64_t{1} << (weight_bits - 1);
  return static_cast<W>(static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + half) >> weight_bits);
}

/// What weights predict for the word whose factor will be at `end`, of `count` factors before it. Sums are
/// modulo 2^64. `distance_of(j)`, from 1 on, ascends.
template <core::Word W, class Count, class DistanceOf>
inline W predict(const std::int64_t* end, const std::int64_t* weights, Count count,
                 const DistanceOf& distance_of) {
  std::uint64_t sum = 0;
  // The last word comes last: the others need not wait for it.
  for (std::size_t j = count; j > 0; --j)
    sum += static_cast<std::uint64_t>(weights[j - 1]) * static_cast<std::uint64_t>(*(end - distance_of(j)));
  return predicted<W>(static_cast<std::int64_t>(sum));
}

template <core::Word W, class Count>
inline W predict(const std::int64_t* end, const std::int64_t* weights, Count count) {
  return predict<W>(end, weights, count, [](std::size_t j) { return j; });
}

/// Calls `work` with the smallest of a few constants that is no less than `count`: weights behind those
/// are 0.
template <class Work>
decltype(auto) with_constant_count(std::size_t count, const Work& work) {
  if (count <= 4) return work(std::integral_constant<std::size_t, 4>());
  if (count <= 8) return work(std::integral_constant<std::size_t, 8>());
  if (count <= 16) return work(std::integral_constant<std::size_t, 16>());
  return work(std::integral_constant<std::size_t, max_weights>());
}

}  // namespace floe::trees
