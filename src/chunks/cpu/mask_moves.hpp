// Shuffles that keep the bytes of eight that a mask names, and that put them back.
#pragma once

#include <array>
#include <cstdint>

namespace floe::cpu {

/// For every mask of eight bytes, as indexes of a shuffle.
struct MaskMoves {
  using Move = std::array<std::uint8_t, 8>;
  std::array<Move, 256> keep{};    ///< The bytes of the mask side by side.
  std::array<Move, 256> expand{};  ///< Back to their positions, zeros between them.
  std::array<Move, 256> rank{};    ///< How many bytes of the mask there are up to each position.
};

inline constexpr MaskMoves mask_moves = [] {
  MaskMoves moves;
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::uint8_t count = 0;
    for (std::uint8_t position = 0; position < 8; ++position) {
      moves.expand[mask][position] = 0x80;
      if ((mask >> position & 1) != 0) {
        moves.keep[mask][count] = position;
        moves.expand[mask][position] = count++;
      }
      moves.rank[mask][position] = count;
    }
  }
  return moves;
}();

}  // namespace floe::cpu
