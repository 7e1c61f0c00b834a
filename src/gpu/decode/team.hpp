// Who works on a segment? A team: a few warps that take tiles in turn. On a device that is a block of
// threads, in tests the lanes of one emulated warp.
//
// A Team has rank() and size() of its threads; warp(), warp_index(), warp_count(); sync() for all threads;
// wait_for() and tell(), by which a thread waits for another one; and memory(), which all threads share: a
// TeamMemory. Teams that encode share an EncodeMemory, and have any() instead of wait_for() and tell(): a
// sync that says whether something is true for some thread.
#pragma once

#include "gpu/warp/device.hpp"

// Functions that are called and not inlined: there are many, and each of them is long. Memory that teams
// share they take from the team, so that the compiler knows where it lies.
#if defined(__CUDACC__)
#define FLOE_DEVICE_CALL __device__ __noinline__
#else
#define FLOE_DEVICE_CALL inline
#endif

namespace floe::series_cuda {

using cuda::warp_lanes;

/// Warps of a block, of which a multiprocessor with 227 KiB of shared memory holds three.
inline constexpr unsigned max_workers = 8;
inline constexpr unsigned team_threads = max_workers * warp_lanes;

struct TeamScan {
  std::uint64_t before = 0, total = 0;
};

/// Sum over the threads before this one, and over all. Called by all threads; `totals` is shared memory for a
/// number per warp, which is free again after the next sync.
template <class Team>
FLOE_DEVICE TeamScan team_scan(Team& team, std::uint64_t* totals, std::uint64_t number) {
  auto& warp = team.warp();
  const std::uint64_t inclusive = cuda::inclusive_scan(warp, number);
  team.sync();
  if (warp.lane() == warp_lanes - 1) totals[team.warp_index()] = inclusive;
  team.sync();
  TeamScan scan{inclusive - number, 0};
  for (unsigned w = 0; w < team.warp_count(); ++w) {
    if (w < team.warp_index()) scan.before += totals[w];
    scan.total += totals[w];
  }
  return scan;
}

}  // namespace floe::series_cuda
