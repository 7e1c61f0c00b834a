// The example of docs/gpu.md: a question about a packed column, by threads that share a segment. For devices,
// and for tests without one.
#pragma once

#include "floe/cursor.hpp"

#if defined(__CUDACC__)
#define FLOE_EXAMPLE_FUNCTION __device__
#else
#define FLOE_EXAMPLE_FUNCTION inline
#endif

namespace floe::test {

/// How many of the values that thread `thread` of `threads` looks at are greater than `limit`.
FLOE_EXAMPLE_FUNCTION std::uint64_t count_above(const cuda::Cursor& column, double limit, unsigned thread,
                                                unsigned threads) {
  std::uint64_t count = 0;
  for (std::uint64_t i = thread; i < column.count; i += threads)
    count += column.value<double>(i) > limit ? 1 : 0;
  return count;
}

}  // namespace floe::test
