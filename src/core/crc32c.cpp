// Eight bytes per step: with the instruction of SSE4.2 where there is one, else with eight tables.
#include "core/crc32c.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include <array>

#include "core/word.hpp"

namespace floe::core {
namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

consteval Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? crc32c_polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t t = 1; t < 8; ++t) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[t - 1][byte];
      tables[t][byte] = (before >> 8) ^ tables[0][before & 255];
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32c_by_tables(std::span<const std::uint8_t> bytes) noexcept {
  std::uint32_t crc = ~std::uint32_t{0};
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const std::uint64_t word = core::load<std::uint64_t>(bytes.data() + i) ^ crc;
    crc = 0;
    for (unsigned b = 0; b < 8; ++b) crc ^= tables[7 - b][(word >> (8 * b)) & 255];
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8) ^ tables[0][(crc ^ bytes[i]) & 255];
  return ~crc;
}

#if defined(__x86_64__)
namespace {

[[gnu::target("sse4.2")]] std::uint32_t crc_by_instruction(std::span<const std::uint8_t> bytes) noexcept {
  std::uint64_t crc = ~std::uint32_t{0};
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) crc = _mm_crc32_u64(crc, core::load<std::uint64_t>(bytes.data() + i));
  auto rest = static_cast<std::uint32_t>(crc);
  for (; i < bytes.size(); ++i) rest = _mm_crc32_u8(rest, bytes[i]);
  return ~rest;
}

}  // namespace
#endif

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) noexcept {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return crc_by_instruction(bytes);
#endif
  return crc32c_by_tables(bytes);
}

}  // namespace floe::core
