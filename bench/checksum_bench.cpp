// How fast are the candidates for the checksum of a chunk? Numbers and verdict:
// docs/decisions/0002-chunk-checksum.md.
#include <benchmark/benchmark.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <vector>

#include "chunks/cpu/checksum.hpp"
#include "core/chunk.hpp"
#include "core/crc32c.hpp"
#include "core/word.hpp"

#if defined(__x86_64__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 warns of its own intrinsics
#include <immintrin.h>
#endif

namespace {

using Payload = std::vector<std::uint8_t>;

/// CRC-32C by the processor's instruction, three streams at a time to hide its latency; the streams are not
/// joined, which costs little.
#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint64_t crc32c_by_instruction(const std::uint8_t* data,
                                                                      std::size_t bytes) {
  std::uint64_t a = 0, b = 0, c = 0;
  const std::size_t third = bytes / 24 * 8;
  for (std::size_t i = 0; i < third; i += 8) {
    a = _mm_crc32_u64(a, floe::core::load<std::uint64_t>(data + i));
    b = _mm_crc32_u64(b, floe::core::load<std::uint64_t>(data + third + i));
    c = _mm_crc32_u64(c, floe::core::load<std::uint64_t>(data + 2 * third + i));
  }
  return a ^ b ^ c;
}
#endif

std::uint64_t checksum_with(floe::cpu::Isa isa, const std::uint8_t* data, std::size_t bytes) {
  floe::core::RunningChecksum checksum(data, bytes);
  return floe::cpu::finish_checksum_function(isa)(checksum);
}
std::uint64_t checksum_baseline(const std::uint8_t* data, std::size_t bytes) {
  return checksum_with(floe::cpu::Isa::generic, data, bytes);
}
std::uint64_t checksum_best(const std::uint8_t* data, std::size_t bytes) {
  return checksum_with(floe::cpu::available_isas().back(), data, bytes);
}
std::uint64_t crc32c_by_tables(const std::uint8_t* data, std::size_t bytes) {
  return floe::core::crc32c({data, bytes});
}
std::uint64_t xxh3(const std::uint8_t* data, std::size_t bytes) { return XXH3_64bits(data, bytes); }
std::uint64_t copy(const std::uint8_t* data, std::size_t bytes) {
  static thread_local Payload to(floe::core::chunk_bytes);
  std::memcpy(to.data(), data, bytes);
  benchmark::ClobberMemory();
  return 0;
}

template <std::uint64_t (*function)(const std::uint8_t*, std::size_t)>
void run(benchmark::State& state) {
  const auto total = static_cast<std::size_t>(state.range(0));
  Payload data(total);
  for (std::size_t i = 0; i < total; ++i) data[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
  for (auto _ : state) {
    for (std::size_t at = 0; at < total; at += floe::core::chunk_bytes)
      benchmark::DoNotOptimize(function(data.data() + at, floe::core::chunk_bytes));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * total));
}

}  // namespace

#define CHECKSUM_BENCH(function) \
  BENCHMARK(run<function>)->Name(#function)->Arg(16 << 10)->Arg(256 << 10)->Arg(256 << 20)
CHECKSUM_BENCH(copy);
CHECKSUM_BENCH(checksum_baseline);
CHECKSUM_BENCH(checksum_best);
CHECKSUM_BENCH(xxh3);
#if defined(__x86_64__)
CHECKSUM_BENCH(crc32c_by_instruction);
#endif
CHECKSUM_BENCH(crc32c_by_tables);
