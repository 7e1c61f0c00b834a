// What tests of the C ABI share.
#pragma once

#include "floe/floe.h"
#include "tests/support/tables.hpp"

namespace floe::test {

inline floe_extent c_extent(const Extent& extent) {
  floe_extent out{};
  std::copy(extent.size.begin(), extent.size.end(), out.size);
  out.rank = extent.rank;
  return out;
}

inline int append_to_bytes(void* user, const void* bytes, size_t count) {
  append(*static_cast<Bytes*>(user), {static_cast<const std::byte*>(bytes), count});
  return 0;
}
inline int refuse(void*, const void*, size_t) { return 5; }

/// Reads a frame in memory; `user` is its Bytes.
inline int read_bytes_at(void* user, uint64_t offset, void* bytes, size_t count) {
  const Bytes& frame = *static_cast<const Bytes*>(user);
  if (offset > frame.size() || count > frame.size() - offset) return 1;
  std::memcpy(bytes, frame.data() + offset, count);
  return 0;
}

}  // namespace floe::test
