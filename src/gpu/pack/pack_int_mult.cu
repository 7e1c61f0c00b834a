#include "gpu/pack/pack_kernels.cuh"

namespace floe::gpu {
namespace {

/// Finds divisors of the segments of a job, a warp for each.
template <core::Word W>
__global__ void __launch_bounds__(pack_threads) guess_divisors(const __grid_constant__ PackJob job) {
  TileOfSegment<MapIntMult<W>> at;
  if (!find_tile(job, (blockIdx.x * pack_threads + threadIdx.x) / warp_lanes, 0, at)) return;
  DeviceWarp warp;
  const SegmentDivisor scale =
      guess_divisor<W>(warp, at.segment_start(), at.words, flip_of<W>(at.column->type));
  if (warp.lane() == 0) at.column->divisors[at.segment] = scale;
}

template <core::Word W>
PackKernels kernels_of() {
  PackKernels kernels = pack_kernels_of<MapIntMult<W>>();
  kernels.before = {guess_divisors<W>, 0, 0};
  return kernels;
}

}  // namespace

PackKernels pack_int_mult_kernels(PackKind kind) {
  return kind == PackKind::int_mult32 ? kernels_of<std::uint32_t>() : kernels_of<std::uint64_t>();
}

}  // namespace floe::gpu
