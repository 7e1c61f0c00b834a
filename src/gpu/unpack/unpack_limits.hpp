// How warps that need no block share the shared memory of one, by what the device has. Pure arithmetic.
#pragma once

#include <cstdint>

#include "gpu/unpack/unpack_memory.hpp"
#include "gpu/unpack/unpack_tile.hpp"

namespace floe::gpu {

/// The warps of a group share some segments. A multiprocessor has one block of as many groups as fit.
inline constexpr unsigned group_warps = 8, group_threads = group_warps * warp_lanes, max_unpack_groups = 3;

/// What a group of warps has in shared memory.
struct UnpackGroup {
  std::uint64_t sums[2][max_unpack_stride];  ///< After the last turns, by turns.
  std::uint32_t published[2];                ///< How many turns those are.
  UnpackMemory warp[group_warps];
};

struct UnpackShape {
  unsigned groups = 0;  ///< 0: not even one fits.
  std::uint32_t shared_bytes = 0;
  std::uint32_t small_table_bytes = 0, table_bytes = 0;  ///< Of dictionaries for a group, and the block.
};

/// Of blocks that can have `max_shared_bytes`.
constexpr UnpackShape unpack_shape(std::uint32_t max_shared_bytes) {
  for (unsigned groups = max_unpack_groups; groups > 0; --groups) {
    constexpr std::uint32_t group_bytes = sizeof(UnpackGroup),
                            codes_bytes = group_warps * sizeof(CodesMemory);
    static_assert(codes_bytes < group_bytes);
    if (max_shared_bytes / groups < group_bytes) continue;
    const std::uint32_t table_bytes = (max_shared_bytes / groups - codes_bytes) / 16 * 16;
    return {groups, groups * (codes_bytes + table_bytes), table_bytes, groups * table_bytes};
  }
  return {};
}

}  // namespace floe::gpu
