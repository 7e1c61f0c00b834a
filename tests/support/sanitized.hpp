// Do sanitizers watch the tests?
#pragma once

namespace floe::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;  ///< Ten times slower: the largest loops then take samples.
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace floe::test
