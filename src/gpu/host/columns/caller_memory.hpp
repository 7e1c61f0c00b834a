// What jobs that encode a column take over from the caller's description of it.
#pragma once

#include "floe/cuda.hpp"

namespace floe::gpu {

/// Memory and number of words. `Column` is EncodeColumn or PackColumn.
template <class Column>
void take_over(const cuda::ColumnEncode& from, Column& to) {
  to.words = static_cast<const std::uint8_t*>(from.words);
  to.word_count = from.word_count;
  to.out = static_cast<std::uint8_t*>(from.out);
  to.out_bytes = from.out_bytes;
  to.segments = from.segments;
  to.result = from.result;
}

}  // namespace floe::gpu
