// Shuffles that keep the bytes of eight that a mask names, and that put them back.
#pragma once

#include <array>
#include <cstdint>

namespace floe::cpu {

/// For every mask of eight bytes, as indexes of a shuffle.
struct MaskMoves {
  using Move = std::array<std::uint8_t, 8>;
  std::array<Move, 256> keep{};    ///< The bytes of the mask side by side.
  std::array<Move, 256> expand{};  ///< Back to their places, zeros between them.
  std::array<Move, 256> rank{};    ///< How many bytes of the mask there are up to each place.
};

inline constexpr MaskMoves mask_moves = [] {
  MaskMoves moves;
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::uint8_t count = 0;
    for (std::uint8_t place = 0; place < 8; ++place) {
      moves.expand[mask][place] = 0x80;
      if ((mask >> place & 1) != 0) {
        moves.keep[mask][count] = place;
        moves.expand[mask][place] = count++;
      }
      moves.rank[mask][place] = count;
    }
  }
  return moves;
}();

}  // namespace floe::cpu
