// Which memory work can be done beside the arithmetic of a kernel? Bytes that will be read soon, and bytes that wait for their way out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace floe::core {

/// Large arrays leave the caches; then a thread waits for memory longer than it computes, unless both happen at once. So whoever calls
/// kernels for one chunk after the other says here what memory could do meanwhile, and the kernels start a few lines of it now and then.
/// For one thread.
class MemoryTraffic {
 public:
  static constexpr std::size_t line_bytes = 64;

  /// Bytes that will be read next.
  void expect(const std::uint8_t* bytes, std::size_t count) noexcept {
    expected_ = bytes;
    expected_lines_ = count / line_bytes;
  }

  /// Copies `count` bytes, most of them later and past the caches. Until the next copy() or finish() they must not change, and are not yet
  /// in their place.
  void copy(const std::uint8_t* from, std::uint8_t* to, std::size_t count) noexcept {
    finish_copy();
    const std::size_t before = std::min(count, (line_bytes - reinterpret_cast<std::uintptr_t>(to) % line_bytes) % line_bytes);
    copy_lines_ = (count - before) / line_bytes;
    const std::size_t after = before + copy_lines_ * line_bytes;
    std::memcpy(to, from, before);
    std::memcpy(to + after, from + after, count - after);
    copy_from_ = from + before;
    copy_to_ = to + before;
  }

  /// Starts up to `lines` lines of both. `copy_line(from, to)` copies a line to an aligned place.
  template <class CopyLine>
  void advance(std::size_t lines, const CopyLine& copy_line) noexcept {
    const std::size_t fetched = std::min(lines, expected_lines_), copied = std::min(lines, copy_lines_);
    for (std::size_t i = 0; i < fetched; ++i) __builtin_prefetch(expected_ + i * line_bytes, 0, 2);  // to the second level
    expected_ += fetched * line_bytes;
    expected_lines_ -= fetched;
    for (std::size_t i = 0; i < copied; ++i) copy_line(copy_from_ + i * line_bytes, copy_to_ + i * line_bytes);
    copy_from_ += copied * line_bytes;
    copy_to_ += copied * line_bytes;
    copy_lines_ -= copied;
  }
  void advance(std::size_t lines) noexcept { advance(lines, stream_line); }

  /// Afterwards all copies are in their places, for other threads, too.
  void finish() noexcept {
    finish_copy();
    settle();
  }

  /// Copies a line to an aligned place, past the caches.
  static void stream_line(const std::uint8_t* from, std::uint8_t* to) noexcept {
#if defined(__SSE2__)
    for (std::size_t i = 0; i < line_bytes; i += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }
#else
    std::memcpy(to, from, line_bytes);
#endif
  }

  /// Afterwards all lines of this thread are in their places, for other threads, too.
  static void settle() noexcept {
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }

 private:
  void finish_copy() noexcept {
    expected_lines_ = 0;
    advance(copy_lines_);
  }

  const std::uint8_t* expected_ = nullptr;
  std::size_t expected_lines_ = 0;
  const std::uint8_t* copy_from_ = nullptr;
  std::uint8_t* copy_to_ = nullptr;
  std::size_t copy_lines_ = 0;
};

}  // namespace floe::core
