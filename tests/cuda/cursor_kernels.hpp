// Kernels as users write them: they read packed columns through cursors.
#pragma once

#include <cuda_runtime.h>

#include "floe/cursor.hpp"

namespace floe::test {

/// The words of all segments, each of which has `segment_words` positions of `word_bytes` bytes in `out`.
void read_all_words(const cuda::Cursor* cursors, unsigned segments, std::uint64_t segment_words,
                    unsigned word_bytes, std::uint8_t* out);
/// Adds to `total` how many values of f64 columns are greater than `limit`.
void count_all_above(const cuda::Cursor* cursors, unsigned segments, double limit, unsigned long long* total);

}  // namespace floe::test
