// How many words have offsets of each class? By this, models are chosen and costs of leaves are estimated.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/bits.hpp"
#include "simd/entropy/kernels.hpp"

namespace floe::trees {

/// Counts up to the last class that occurs, and zeros from there to a multiple of `unit`, which is returned.
/// Of at most `max_words` words.
template <std::uint32_t max_words, core::Word W, std::size_t room>
std::uint32_t count_classes(const EntropyModel& model, const W* words, std::uint32_t count,
                            std::uint32_t unit, std::array<std::uint16_t, room>& counts) {
  std::array<std::uint16_t, max_words> classes;
  const std::uint32_t last = entropy_kernels().of<W>().find_classes(model, words, count, classes.data());
  const auto end = static_cast<std::uint32_t>(core::align_up(last + 1, unit));
  // In two arrays, so that equal neighbours do not wait for each other.
  std::array<std::uint16_t, room> others;
  std::fill_n(counts.begin(), end, std::uint16_t{0});
  std::fill_n(others.begin(), end, std::uint16_t{0});
  std::uint32_t i = 0;
  for (; i + 2 <= count; i += 2) {
    ++counts[classes[i]];
    ++others[classes[i + 1]];
  }
  if (i < count) ++counts[classes[i]];
  for (std::uint32_t k = 0; k < end; ++k) counts[k] = static_cast<std::uint16_t>(counts[k] + others[k]);
  return end;
}

}  // namespace floe::trees
