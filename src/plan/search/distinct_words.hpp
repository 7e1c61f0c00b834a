// About how many different words a stream has, from a sample of words that are spread all over it.
#pragma once

#include <cstdint>

#include "encodings/stream.hpp"

namespace floe::trees {

/// 0 if hardly a word of the sample occurs twice. Throws std::bad_alloc.
std::uint64_t estimate_distinct_words(const ColumnView& sample, Scratch& scratch);

}  // namespace floe::trees
