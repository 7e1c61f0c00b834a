// Parked segments to their positions: the kernel.

#include "gpu/encode/encode_target.hpp"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {
namespace {

constexpr unsigned place_threads = 256;

struct PlaceMemory {
  EncodeTarget target;
  std::uint64_t offset;
};

__global__ void __launch_bounds__(place_threads)
    place_parked_segments(const __grid_constant__ EncodeColumnsJob job) {
  DeviceBlock<PlaceMemory, place_threads> block;
  PlaceMemory& memory = block.memory();
  place_parked(block, job, job.first_ticket + blockIdx.x, memory.target, memory.offset);
}

}  // namespace

EncodeKernel place_parked_kernel() {
  return {place_parked_segments, place_threads, sizeof(PlaceMemory), 8, 0};
}

}  // namespace floe::gpu
