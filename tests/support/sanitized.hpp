// Do sanitizers watch the tests, or does a build count what they run?
#pragma once

namespace floe::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(FLOE_COUNT_COVERAGE)
inline constexpr bool sanitized = true;  ///< Ten times slower: the largest loops then take samples.
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace floe::test
