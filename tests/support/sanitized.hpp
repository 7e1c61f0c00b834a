// Do sanitizers watch the library, or does a build count what runs of it?
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
[[gnu::weak]] extern int __llvm_profile_runtime;
}

namespace floe::test {

// The linker knows: the same objects of tests are linked with several builds of the library.
inline const bool address_sanitizer = __asan_init != nullptr;
inline const bool counted = &__llvm_profile_runtime != nullptr;

/// Up to ten times slower: the largest loops then take samples.
inline const bool sanitized = address_sanitizer || __tsan_init != nullptr || counted;

/// Of the columns that loops over all trees and lengths take, one in so many at a time.
inline const std::size_t columns_per_sample = counted ? 12 : sanitized ? 8 : 1;

}  // namespace floe::test
