#include "bench/yardsticks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <latch>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#define FLOE_WITH_AVX2 __attribute__((target("avx2")))
#endif

namespace floe::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t add_words(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0, word = 0;
  std::size_t at = 0;
  for (; at + sizeof word <= bytes.size(); at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum += word;
  }
  for (; at < bytes.size(); ++at) sum += static_cast<std::uint64_t>(bytes[at]);
  return sum;
}

#if defined(__x86_64__)
/// Four sums, so that no addition waits for the one before.
FLOE_WITH_AVX2 std::uint64_t add_lines_with_avx2(const std::byte* from, std::size_t lines) {
  __m256i sums[4] = {};
  for (std::size_t line = 0; line + 1 < lines; line += 2, from += 128) {
    for (std::size_t i = 0; i < 4; ++i)
      sums[i] =
          _mm256_add_epi64(sums[i], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32 * i)));
  }
  std::uint64_t words[4];
  const __m256i sum =
      _mm256_add_epi64(_mm256_add_epi64(sums[0], sums[1]), _mm256_add_epi64(sums[2], sums[3]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), sum);
  return words[0] + words[1] + words[2] + words[3];
}

FLOE_WITH_AVX2 void stream_with_avx2(std::byte* to, const std::byte* from, std::size_t lines) {
  for (; lines > 0; --lines, from += 64, to += 64) {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), first);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + 32), second);
  }
  _mm_sfence();
}
#endif

}  // namespace

double timed(std::uint32_t threads, const std::function<void(std::uint32_t)>& work) {
  std::latch ready(threads);
  std::atomic<bool> is_complete = true;
  std::vector<std::jthread> others;
  try {
    others.reserve(threads);
    for (std::uint32_t index = 1; index < threads; ++index) {
      others.emplace_back([&, index] {
        ready.arrive_and_wait();
        if (is_complete) work(index);
      });
    }
  } catch (...) {  // those that are there wait for the others
    is_complete = false;
    ready.count_down(static_cast<std::ptrdiff_t>(threads - others.size()));
    throw;
  }
  ready.arrive_and_wait();
  const Clock::time_point start = Clock::now();
  work(0);
  others.clear();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void copy(std::span<std::byte> to, std::span<const std::byte> from) {
  std::memcpy(to.data(), from.data(), from.size());
}

void copy_past_caches(std::span<std::byte> to, std::span<const std::byte> from) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    const std::size_t before =
        std::min(from.size(), (64 - reinterpret_cast<std::uintptr_t>(to.data()) % 64) % 64);
    const std::size_t lines = (from.size() - before) / 64, after = before + 64 * lines;
    std::memcpy(to.data(), from.data(), before);
    stream_with_avx2(to.data() + before, from.data() + before, lines);
    std::memcpy(to.data() + after, from.data() + after, from.size() - after);
    return;
  }
#endif
  std::memcpy(to.data(), from.data(), from.size());
}

std::uint64_t sum_of_words(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    const std::size_t lines = bytes.size() / 128 * 2;
    return add_lines_with_avx2(bytes.data(), lines) + add_words(bytes.subspan(64 * lines));
  }
#endif
  return add_words(bytes);
}

}  // namespace floe::cli
