// About how many different words a stream has, from a sample of words that are spread all over it, or from
// all.
#pragma once

#include <cstdint>

#include "encodings/stream.hpp"

namespace floe::trees {

/// How many different words a stream has; 0 is unknown.
struct DistinctCount {
  std::uint64_t words = 0;
  bool is_exact = false;  ///< But for a percent.
};

/// Unknown if hardly a word of the sample occurs twice. Throws std::bad_alloc.
DistinctCount estimate_distinct_words(const ColumnView& sample, Scratch& scratch);

/// From all words. Throws std::bad_alloc.
DistinctCount count_distinct_words(const ColumnView& stream, Scratch& scratch);

}  // namespace floe::trees
