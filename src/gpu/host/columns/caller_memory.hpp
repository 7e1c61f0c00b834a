// The memory of a column that is encoded, as the caller describes it: checked, and taken over by jobs.
#pragma once

#include "floe/cuda.hpp"
#include "gpu/host/calls.hpp"

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
  to.lead_bytes = static_cast<std::uint16_t>(from.lead_bytes);
}

/// Errors: invalid_argument.
inline Status check_memory(const cuda::ColumnEncode& column) {
  if (column.result == nullptr) return invalid("a column without a result");
  if (column.lead_bytes % 16 != 0 || column.lead_bytes > 0xFFFF) return invalid("the room before a segment");
  if (column.word_count == 0) return {};
  if (column.words == nullptr || reinterpret_cast<std::uintptr_t>(column.words) % size_of(column.type) != 0)
    return invalid("the address of a column");
  if (column.out == nullptr || reinterpret_cast<std::uintptr_t>(column.out) % 16 != 0)
    return invalid("the address of an encoded column");
  if (column.segments == nullptr) return invalid("a column without a directory");
  return {};
}

}  // namespace floe::gpu
