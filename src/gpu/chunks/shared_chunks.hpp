// What two or four warps share that encode one full chunk. Two of them work in regions of their own, so
// that neither overwrites what the other has not read; the payload then lies in two pieces, which meet in
// a block of 16 bytes. A coder's `Halves` measures each half and leaves a `Share`; from both `join` makes
// the plan of the payload; then `write` writes each half's bytes. Four warps keep words in registers from
// when they are loaded until they are written; shared memory is for what lanes exchange. A coder's
// `Quarters` does it in steps. A lane has a `State` from the first step to the last; all warps see each
// other's `Share`; in the end `stored` is the payload's size. In between all warps wait for each other.
#pragma once

#include "core/chunk.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

inline constexpr std::uint32_t half_chunk_bytes = core::chunk_bytes / 2;

/// Where the second piece begins in the payload, given where the second half's bytes do.
FLOE_DEVICE std::uint32_t second_piece(std::uint32_t second_half) { return second_half / 16 * 16; }

/// Makes the second piece whole, with the first half's bytes of its first block, and zeros up to the padded
/// size. Called by the second warp when both have written; `pieces` are the regions of both.
template <class Warp>
FLOE_DEVICE void complete_second_piece(Warp& warp, const std::uint8_t* first, std::uint8_t* second,
                                       std::uint32_t second_half, std::uint32_t stored) {
  const std::uint32_t begin = second_piece(second_half), padded = (stored + 15) / 16 * 16;
  if (begin + warp.lane() < second_half) second[warp.lane()] = first[begin + warp.lane()];
  if (stored + warp.lane() < padded) second[stored - begin + warp.lane()] = 0;
  warp.sync();
}

inline constexpr unsigned quarters = 4;
inline constexpr unsigned max_groups = 8;  ///< Of four warps, in a block: with 64 registers for a thread.
inline constexpr std::uint32_t quarter_bytes = core::chunk_bytes / quarters;
inline constexpr std::uint32_t row_bytes = 16 * warp_lanes;  ///< What a warp loads at once.
inline constexpr unsigned quarter_rows = quarter_bytes / row_bytes;

/// What a warp encodes.
struct QuarterContent {
  const std::uint8_t* bytes;  ///< A multiple of 16; the quarters before lie before it.
  unsigned quarter;
};

/// A quarter in the registers of a warp. Work goes on with the first `count` rows; then all move up, and
/// those come last: loops have the code of one step, but rows have indices that the compiler knows.
template <unsigned count, class Row>
FLOE_DEVICE void rotate(Row (&row)[quarter_rows]) {
  Row first[count];
  FLOE_UNROLL
  for (unsigned i = 0; i < count; ++i) first[i] = row[i];
  FLOE_UNROLL
  for (unsigned i = 0; i + count < quarter_rows; ++i) row[i] = row[i + count];
  FLOE_UNROLL
  for (unsigned i = 0; i < count; ++i) row[quarter_rows - count + i] = first[i];
}

/// The same for a number for each two rows, of which the first one is done.
FLOE_DEVICE void rotate_pairs(std::uint32_t (&number)[quarter_rows / 2]) {
  const std::uint32_t first = number[0];
  FLOE_UNROLL
  for (unsigned i = 0; i + 1 < quarter_rows / 2; ++i) number[i] = number[i + 1];
  number[quarter_rows / 2 - 1] = first;
}

/// Rows of a quarter of a chunk in device memory, which are read once.
template <class Warp, core::Word W>
FLOE_DEVICE void load_rows(Warp& warp, const std::uint8_t* content, Vector<W> (&row)[quarter_rows]) {
  FLOE_UNROLL
  for (unsigned r = 0; r < quarter_rows; ++r)
    row[r] = load_once<Vector<W>>(content + row_bytes * r + 16 * warp.lane());
}

}  // namespace floe::gpu
