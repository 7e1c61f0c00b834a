// Do sanitizers watch the tests, or does a build count what they run?
#pragma once

#include <cstddef>

namespace floe::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(FLOE_COUNT_COVERAGE)
inline constexpr bool sanitized = true;  ///< Ten times slower: the largest loops then take samples.
#else
inline constexpr bool sanitized = false;
#endif

/// Of the columns that loops over all trees and lengths take, one in so many at a time. Where every branch is
/// counted, with locks, they would take half an hour.
#if defined(FLOE_COUNT_COVERAGE)
inline constexpr std::size_t columns_per_sample = 12;
#else
inline constexpr std::size_t columns_per_sample = sanitized ? 3 : 1;
#endif

}  // namespace floe::test
