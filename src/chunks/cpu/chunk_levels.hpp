// The bitmap of kept bytes of a full chunk and its shortened levels, as kernels hold them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/chunk.hpp"

namespace floe::cpu {

inline constexpr std::size_t level_bytes[4] = {core::chunk_bytes / 8, core::chunk_bytes / 64,
                                               core::chunk_bytes / 512, core::chunk_bytes / 4096};

/// Level 0 is the bitmap. Each level has a zero byte before it, the predecessor of its first byte.
struct Levels {
  alignas(64) std::uint8_t memory[4][64 + core::chunk_bytes / 8 + 64];
  Levels() {
    for (auto& level : memory) level[63] = 0;
  }
  std::uint8_t* operator[](unsigned level) { return memory[level] + 64; }
};

/// The ones of `count` bytes, a multiple of 4. Inlined, it counts with the instruction set of its caller.
[[gnu::always_inline]] inline std::size_t popcount_of(const std::uint8_t* bytes, std::size_t count) {
  std::size_t ones = 0, i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    ones += static_cast<unsigned>(std::popcount(word));
  }
  if (i < count) {
    std::uint32_t word;
    std::memcpy(&word, bytes + i, 4);
    ones += static_cast<unsigned>(std::popcount(word));
  }
  return ones;
}

}  // namespace floe::cpu
