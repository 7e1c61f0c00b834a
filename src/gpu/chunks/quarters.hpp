// What four warps share that encode one full chunk, a quarter of it each. The words stay in the registers of
// their lanes from when they are loaded until they are written as a payload; shared memory is for what lanes
// exchange, and for the payload.
//
// A coder's `Quarters` does it in steps, between which the warps wait for each other. A lane has a `State`
// from the first step to the last, and all warps see each other's `Share`. Afterwards `stored` says how large
// the payload is.
#pragma once

#include "core/chunk.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

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
/// those come last. Loops over rows so have the code of one step, but no row has an index that is not known
/// to the compiler.
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
