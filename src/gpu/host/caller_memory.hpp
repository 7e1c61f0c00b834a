// What of the caller's description of a column do the jobs take over that encode it, by teams or by packing?
#pragma once

#include "floe/cuda.hpp"

namespace floe::series_cuda {

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

}  // namespace floe::series_cuda
