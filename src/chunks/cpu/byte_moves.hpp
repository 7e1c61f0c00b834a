// Where the bytes of 16 bytes of words go when their leading zero bytes are dropped or put back, for every
// combination of length codes.
#pragma once

#include <array>
#include <cstdint>

#include "chunks/stages/stages.hpp"
#include "core/word.hpp"

namespace floe::cpu {

/// A block is 16 bytes of words. Its index has the words' length codes as digits, the first word's as the
/// lowest, in this base.
template <core::Word W>
inline constexpr unsigned length_codes = sizeof(W) == 8 ? 8 : 5;
template <core::Word W>
inline constexpr unsigned block_index_count = sizeof(W) == 8 ? 8 * 8 : 5 * 5 * 5 * 5;

struct alignas(16) ByteMove {
  std::array<std::uint8_t, 16> from{};  ///< For each byte of the result its source; 0x80 gives a zero.
};

template <core::Word W>
struct ByteMoves {
  std::array<ByteMove, block_index_count<W>> drop{}, restore{};
  std::array<std::uint8_t, block_index_count<W>> stored_bytes{};
};

template <core::Word W>
inline constexpr ByteMoves<W> byte_moves = [] {
  ByteMoves<W> moves;
  for (unsigned index = 0; index < block_index_count<W>; ++index) {
    moves.drop[index].from.fill(0x80);
    moves.restore[index].from.fill(0x80);
    unsigned stored = 0;
    for (unsigned word = 0, codes = index; word < 16 / sizeof(W); ++word, codes /= length_codes<W>) {
      const unsigned bytes = stages::BytePack::payload_bytes<W>(codes % length_codes<W>);
      for (unsigned byte = 0; byte < bytes; ++byte, ++stored) {
        const unsigned position = static_cast<unsigned>(sizeof(W)) * word + byte;
        moves.drop[index].from[stored] = static_cast<std::uint8_t>(position);
        moves.restore[index].from[position] = static_cast<std::uint8_t>(stored);
      }
    }
    moves.stored_bytes[index] = static_cast<std::uint8_t>(stored);
  }
  return moves;
}();

}  // namespace floe::cpu
