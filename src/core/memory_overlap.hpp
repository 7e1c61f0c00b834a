// Memory work that overlaps with the arithmetic of a kernel: bytes that will be read soon are prefetched,
// bytes that wait are streamed out.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/chunk.hpp"
#include "core/chunk_checksum.hpp"

namespace floe::core {

/// Large arrays leave the caches; then a thread waits for memory longer than it computes, unless both happen
/// at once. So whoever calls kernels for one chunk after the other says here what memory could do meanwhile,
/// and the kernels start a few lines of it now and then. For one thread.
class MemoryOverlap {
 public:
  static constexpr std::size_t line_bytes = 64;

  /// Bytes that will be read one after the other: those of the next chunk are fetched. If there are that
  /// many, its pages take turns, since the prefetcher of a CPU goes ahead in each page by itself. The
  /// addresses of the pages behind are translated meanwhile, which a fetch would have to wait for; if there
  /// are none, nothing happens.
  void expect(std::span<const std::uint8_t> bytes) noexcept {
    expected_ = bytes.data();
    expected_lines_ = std::min(bytes.size(), chunk_bytes) / line_bytes;
    fetched_ = 0;
    pages_shift_ = 0;
    if (bytes.size() < chunk_bytes) return;
    pages_shift_ = std::countr_zero(chunk_bytes / page_bytes);
    const auto behind = reinterpret_cast<std::uintptr_t>(bytes.data()) + chunk_bytes;
    for (std::size_t at = 0; at < chunk_bytes; at += page_bytes)
      __builtin_prefetch(reinterpret_cast<const void*>(behind + at), 0, 2);
  }

  /// Whether kernels that can do so should write what they make past the caches themselves, because it is in
  /// its position already.
  void write_past_caches(bool yes) noexcept { writes_past_caches_ = yes; }
  [[nodiscard]] bool writes_past_caches() const noexcept { return writes_past_caches_; }

  /// Copies `count` bytes, most of them later and past the caches. Until the next copy() or finish() they
  /// must not change, and are not yet at their position.
  void copy(const std::uint8_t* from, std::uint8_t* to, std::size_t count) noexcept {
    finish_copy();
    const std::size_t before =
        std::min(count, (line_bytes - reinterpret_cast<std::uintptr_t>(to) % line_bytes) % line_bytes);
    copy_lines_ = (count - before) / line_bytes;
    const std::size_t after = before + copy_lines_ * line_bytes;
    std::memcpy(to, from, before);
    std::memcpy(to + after, from + after, count - after);
    copy_from_ = from + before;
    copy_to_ = to + before;
    copied_ = 0;
  }

  struct Lines {
    const std::uint8_t* from;
    std::uint8_t* to;  ///< Aligned to a line.
    std::size_t count;
  };

  [[nodiscard]] bool has_lines() const noexcept {
    return fetched_ < expected_lines_ || copied_ < copy_lines_;
  }

  /// Fetches up to `lines` lines and returns as many that the caller has to copy at once.
  [[nodiscard]] Lines take(std::size_t lines) noexcept {
    const std::size_t fetched_end = std::min(fetched_ + lines, expected_lines_);
    for (; fetched_ < fetched_end; ++fetched_)
      __builtin_prefetch(line_to_fetch(fetched_), 0, 2);  // to the second level
    const std::size_t copied = std::min(lines, copy_lines_ - copied_);
    const Lines result{copy_from_ + copied_ * line_bytes, copy_to_ + copied_ * line_bytes, copied};
    copied_ += copied;
    return result;
  }

  /// Starts up to `lines` lines of both.
  void advance(std::size_t lines) noexcept {
    const Lines copies = take(lines);
    for (std::size_t i = 0; i < copies.count; ++i)
      stream_line(copies.from + i * line_bytes, copies.to + i * line_bytes);
  }

  /// Of a payload, to which kernels add rows on their way if they can.
  [[nodiscard]] RunningChecksum& checksum() noexcept { return checksum_; }

  /// Afterwards all copies are at their positions, for other threads, too.
  void finish() noexcept {
    finish_copy();
    settle();
  }

  /// Copies a line to an aligned position, past the caches.
  static void stream_line(const std::uint8_t* from, std::uint8_t* to) noexcept {
#if defined(__SSE2__)
    for (std::size_t i = 0; i < line_bytes; i += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }
#else
    std::memcpy(to, from, line_bytes);
#endif
  }

  /// Afterwards all lines of this thread are at their positions, for other threads, too.
  static void settle() noexcept {
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }

 private:
  static constexpr std::size_t page_bytes = 4096;  // the smallest, which most arrays lie in

  /// Pages take turns if there are several: so line i is in page i modulo their number.
  [[nodiscard]] const std::uint8_t* line_to_fetch(std::size_t i) const noexcept {
    const std::size_t page = i & ((std::size_t{1} << pages_shift_) - 1);
    return expected_ + page * page_bytes + (i >> pages_shift_) * line_bytes;
  }

  void finish_copy() noexcept {
    expected_lines_ = fetched_ = 0;
    advance(copy_lines_ - copied_);
  }

  // What changes with every call does not stand side by side: compilers would load it at once, which has to
  // wait until both stores before have reached the cache, behind all lines on their way out.
  std::size_t fetched_ = 0;  ///< Of the expected lines.
  const std::uint8_t* expected_ = nullptr;
  std::size_t expected_lines_ = 0;
  int pages_shift_ = 0;  ///< Logarithm of the number of pages that take turns.
  bool writes_past_caches_ = false;
  const std::uint8_t* copy_from_ = nullptr;
  std::uint8_t* copy_to_ = nullptr;
  std::size_t copy_lines_ = 0;
  std::size_t copied_ = 0;  ///< Of those lines.
  RunningChecksum checksum_;
};

}  // namespace floe::core
