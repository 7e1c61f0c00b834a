// Words of columns to segments: the kernel. Blocks take one segment after the other.

#include "gpu/encode/encode_target.hpp"
#include "gpu/encode/encode_tickets.cuh"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

inline constexpr unsigned encode_blocks_per_multiprocessor = 2;

using EncodeBlock = DeviceBlock<EncodeMemory, column_threads>;

/// Resets what blocks share, and puts the trees where they find them.
__global__ void set_up_encoding(const __grid_constant__ EncodeSetUpJob job) {
  if (job.wanted != nullptr && *job.wanted == 0) return;
  const std::uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x, size = gridDim.x * blockDim.x;
  for (std::uint32_t i = rank; job.trees_to != nullptr && i < sizeof(EncodeTrees); i += size)
    reinterpret_cast<std::uint8_t*>(job.trees_to)[i] = reinterpret_cast<const std::uint8_t*>(&job.trees)[i];
  for (std::uint64_t i = rank; i < job.zero_words; i += size) job.zeros[i] = 0;
  if (rank >= job.column_count) return;
  cuda::ItemResult& result = *job.result[rank];
  if (job.refused == nullptr) {
    result = {0, ~std::uint64_t{0}, 0, 0};
  } else {
    // What is encoded once more is judged once more.
    result.failed_chunks -= job.refused[rank];
    if (result.failed_chunks == 0) result.code = 0;
  }
}

// A multiprocessor has 228 KiB of shared memory, of which 1 KiB per block is taken.
static_assert(encode_blocks_per_multiprocessor * (sizeof(EncodeMemory) + 1024) <= 228 << 10);

__global__ void __launch_bounds__(column_threads, encode_blocks_per_multiprocessor)
    encode_columns(const __grid_constant__ EncodeColumnsJob job) {
  if (job.wanted != nullptr && *job.wanted == 0) return;
  EncodeBlock block;
  block.memory().plan_bytes = nullptr;
  encode_by_tickets(block, job, [&](std::uint32_t ticket, std::uint8_t* scratch, const auto& take_next) {
    encode_ticket(block, job, ticket, scratch, take_next);
  });
}

EncodeKernel encode_kernel() {
  return {encode_columns, column_threads, sizeof(EncodeMemory), encode_blocks_per_multiprocessor};
}
void (*set_up_kernel())(EncodeSetUpJob) { return set_up_encoding; }

}  // namespace floe::gpu
