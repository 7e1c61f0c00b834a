// For every set of the 8 lanes of a vector, where what they read and write goes.
#pragma once

#include <cstdint>

namespace floe::trees {

struct EntropyLaneTables {
  /// Bytes of eight numbers of 16 bits, to the lanes of 32 bits that take them; other bytes become 0.
  alignas(64) std::uint8_t refill[256][32];
  alignas(64) std::uint8_t compress[256][8];  ///< The lanes of the set, at the upper end.
};

inline constexpr EntropyLaneTables lane_tables = [] {
  EntropyLaneTables tables{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned taken = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      const bool takes = (set >> lane & 1) != 0;
      for (unsigned byte = 0; byte < 4; ++byte)
        tables.refill[set][4 * lane + byte] =
            takes && byte < 2 ? static_cast<std::uint8_t>(2 * taken + byte) : 0x80;
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
