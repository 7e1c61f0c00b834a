// For every set of the 8 lanes of a vector, where what they read and write goes.
#pragma once

#include <cstdint>

namespace floe::trees {

struct EntropyLaneTables {
  alignas(64) std::uint8_t expand[256][8];    ///< Lane to the index of the number that it takes.
  alignas(64) std::uint8_t compress[256][8];  ///< The lanes of the set, at the upper end.
};

inline constexpr EntropyLaneTables lane_tables = [] {
  EntropyLaneTables tables{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned taken = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1) != 0) tables.expand[set][lane] = static_cast<std::uint8_t>(taken++);
    }
    unsigned to = 8 - taken;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1) != 0) tables.compress[set][to++] = static_cast<std::uint8_t>(lane);
    }
  }
  return tables;
}();

}  // namespace floe::trees
