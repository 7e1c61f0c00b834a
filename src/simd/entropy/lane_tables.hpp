// What kernels of vectors share: for every set of the 8 lanes of a vector, where what they read and write
// goes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::trees {

/// Words whose symbols are decoded before them: both stay in the first cache.
inline constexpr std::size_t entropy_batch_words = 1024;

struct EntropyLaneTables {
  /// What lanes of 32 bits that take numbers of 16 bits are made of, for shuffles of bytes: the bytes of
  /// eight numbers, and those of the lanes, which move up where a number comes in. Other bytes become 0.
  struct Refill {
    std::uint8_t numbers[32], lanes[32];
  };
  alignas(64) Refill refill[256];
  alignas(64) std::uint8_t compress[256][8];  ///< The lanes of the set, at the upper end.
};

inline constexpr EntropyLaneTables lane_tables = [] {
  EntropyLaneTables tables{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned taken = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      const bool takes = (set >> lane & 1) != 0;
      for (unsigned byte = 0; byte < 4; ++byte) {
        const bool is_new = takes && byte < 2;
        const unsigned at = 4 * lane + byte, in_half = at % 16 - (takes ? 2 : 0);
        tables.refill[set].numbers[at] = is_new ? static_cast<std::uint8_t>(2 * taken + byte) : 0x80;
        tables.refill[set].lanes[at] = is_new ? 0x80 : static_cast<std::uint8_t>(in_half);
      }
      taken += takes ? 1 : 0;
    }
    unsigned to = 8 - taken;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1) != 0) tables.compress[set][to++] = static_cast<std::uint8_t>(lane);
    }
  }
  return tables;
}();

}  // namespace floe::trees
