// What a program allocates that links floe_counted_new: counted, and failing when a test says so.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "core/spare_memory.hpp"

namespace floe::test {

/// What goes through operator new, in all threads; without what the library keeps for later calls.
class Allocations {
 public:
  static std::int64_t live_bytes() {
    core::free_spare_memory();
    return live_bytes_;
  }
  static std::int64_t live_count() {
    core::free_spare_memory();
    return live_count_;
  }

  /// The highest value of live_bytes() above that of now, from here on.
  static void begin_peak() {
    base_bytes_ = live_bytes();
    peak_bytes_ = base_bytes_.load();
  }
  static std::int64_t peak_bytes() { return peak_bytes_ - base_bytes_; }

  /// Allocation number n from now, counted from 1, throws std::bad_alloc; those after it, too, if
  /// `from_then_on`. 0: none does.
  static void fail_at(std::int64_t n, bool from_then_on = false) {
    keep_failing_ = from_then_on;
    failures_ = 0;
    until_failure_ = n;
  }
  static std::int64_t failures() { return failures_; }

  static void* allocate(std::size_t bytes, std::size_t alignment) {
    if (must_fail()) throw std::bad_alloc();
    void* const memory = alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
                             ? std::malloc(bytes == 0 ? 1 : bytes)
                             : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    ++live_count_;
    const std::int64_t live = live_bytes_ += static_cast<std::int64_t>(malloc_usable_size(memory));
    for (std::int64_t peak = peak_bytes_; peak < live && !peak_bytes_.compare_exchange_weak(peak, live);) {
    }
    return memory;
  }
  /// Null if it fails.
  static void* try_allocate(std::size_t bytes) noexcept {
    try {
      return allocate(bytes, 1);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  static void release(void* memory) noexcept {
    if (memory == nullptr) return;
    --live_count_;
    live_bytes_ -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
  }

 private:
  static bool must_fail() {
    if (until_failure_ <= 0) return false;
    if (--until_failure_ != 0) return false;
    if (keep_failing_) until_failure_ = 1;
    ++failures_;
    return true;
  }

  static inline std::atomic<std::int64_t> live_bytes_, live_count_, base_bytes_, peak_bytes_, until_failure_,
      failures_;
  static inline std::atomic<bool> keep_failing_;
};

}  // namespace floe::test
