// Segments that are a leaf of entropy below a short chain to words: the kernel. Blocks of a few warps take
// one after the other, so that a multiprocessor opens some while it decodes others.

#include "gpu/entropy/unpack_entropy.hpp"
#include "gpu/unpack/unpack_vectors.cuh"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

inline constexpr unsigned entropy_blocks_per_multiprocessor = 7;

using EntropyUnpackBlock = DeviceBlock<UnpackEntropyMemory, entropy_threads>;

__global__ void __launch_bounds__(entropy_threads, entropy_blocks_per_multiprocessor)
    unpack_entropy_columns(const __grid_constant__ DecodeColumnsJob job) {
  let_next_kernel_begin();
  wait_for_kernel_before();
  EntropyUnpackBlock block;
  UnpackEntropyMemory& memory = block.memory();
  const std::uint32_t listed = count_of(job, SegmentList::with_entropy);
  while (true) {
    block.sync();
    if (block.rank() == 0)
      memory.ticket = listed == 0 ? 0 : atomicAdd(&job.counters->entropy_tickets.count, 1);
    block.sync();
    if (memory.ticket >= listed) return;
    const std::uint32_t ticket = listed_ticket(job, SegmentList::with_entropy, memory.ticket);
    std::uint8_t* const record = job.opened + ticket * job.opened_bytes;
    if (block.warp_index() == 0)
      store_aligned(reinterpret_cast<std::uint8_t*>(&memory.chain) + 4 * block.warp().lane(),
                    word32(record, block.warp().lane()));
    block.sync();
    const bool good = unpack_entropy(block);
    if (block.rank() != 0) continue;
    if (good) {
      clear_code(job, ticket);
    } else {
      // A block finds the damage again and says so, or does without sums that are not those of the words.
      list_for_blocks(job, ticket);
    }
  }
}

static_assert(entropy_blocks_per_multiprocessor * (sizeof(UnpackEntropyMemory) + 1024) <= 228 << 10);

EntropyKernel entropy_kernel() {
  return {unpack_entropy_columns, entropy_threads, sizeof(UnpackEntropyMemory),
          entropy_blocks_per_multiprocessor};
}

}  // namespace floe::gpu
