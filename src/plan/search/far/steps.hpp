// Which differences, of which strides, leave least of a stream of integers.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "encodings/scratch.hpp"

namespace floe::trees {

/// Strides of differences that are taken one of the other. Twice the same makes differences of second order.
using Steps = std::vector<std::uint32_t>;

inline std::uint64_t reach_of(const Steps& steps) {
  return std::accumulate(steps.begin(), steps.end(), std::uint64_t{0});
}

/// Writes so many integers from word `first` on.
using Integers = std::function<void(std::uint64_t first, std::size_t count, void* to)>;

/// Steps, and about what the stream costs with them and entropy coding.
struct StepChoice {
  Steps steps;
  std::uint64_t cost = 0;  ///< In 1/256 bit.
  std::uint64_t first_cost =
      0;  ///< The part of it that is owed to the first words, which have none before them.
};

/// Those with strides above 1 that are clearly better than all without, by samples: at most `max_count`, best
/// first. The integers have `word_bytes` bytes. Throws std::bad_alloc.
std::vector<StepChoice> best_steps(const Integers& integers, std::size_t word_bytes, std::uint64_t count,
                                   std::span<const std::uint32_t> strides, std::size_t max_count,
                                   Scratch& scratch);

}  // namespace floe::trees
