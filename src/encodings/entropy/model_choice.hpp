// Which model a section of an entropy-coded leaf has.
#pragma once

#include <cstdint>

#include "simd/entropy/code.hpp"

namespace floe::trees {

struct ModelChoice {
  EntropyModel model;
  std::uint64_t sample_cost = 0;  ///< Of the words of the sample, in 1/256 bits, without tables.
  std::uint32_t sampled = 0;      ///< Words of the sample.
};

/// Of the words of a section: from 1 to section_words. `flip` makes them unsigned numbers in the order of
/// their type; floats have the mode of floats.
template <core::Word W>
ModelChoice choose_model(const W* words, std::uint32_t count, W flip, bool is_float);

}  // namespace floe::trees
