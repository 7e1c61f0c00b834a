// Which model a section of an entropy-coded leaf has, and what it would take.
#pragma once

#include <cstdint>

#include "encodings/stream.hpp"
#include "simd/entropy_code.hpp"

namespace floe::trees {

struct ModelChoice {
  EntropyModel model;
  std::uint64_t sample_cost = 0;  ///< Of the words of the sample, in 1/256 bits, without tables.
  std::uint32_t sampled = 0;      ///< Words of the sample.
  std::uint32_t symbols = 0;      ///< That occur in the sample.
};

/// Of the words of a section: from 1 to section_words. `flip` makes them unsigned numbers in the order of
/// their type; floats have the mode of floats.
template <core::Word W>
ModelChoice choose_model(const W* words, std::uint32_t count, W flip, bool is_float);

/// What a leaf would take.
struct EntropyEstimate {
  std::uint64_t sample_bits = 0;  ///< Symbols and extra bits of the sample.
  std::uint64_t other_bits = 0;   ///< Of the leaf: tables, headers, states, padding.
};
/// From a sample of a stream, of any length but 0, for a leaf of so many words.
EntropyEstimate estimate_entropy(const ColumnView& sample, std::uint64_t leaf_words);

}  // namespace floe::trees
