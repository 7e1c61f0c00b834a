// Streams of frames against their digests, but for those that are verified by whoever decodes them. What a
// damaged one became is made zeros when all are decoded, as it is on lists by then.
#pragma once

#include "gpu/decode/job.hpp"
#include "gpu/frames/segment_facts.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

struct VerifyMemory {
  std::uint64_t totals[warp_lanes];
};
/// Threads of a block that verifies streams, and such blocks of a multiprocessor.
inline constexpr unsigned verify_threads = 128, verify_blocks_per_multiprocessor = 8;

/// By all threads of a block.
template <class Block>
FLOE_DEVICE void verify_stream(Block& block, const DecodeColumnsJob& job, std::uint32_t ticket) {
  StreamTask& task = job.streams[ticket];
  if (task.data == nullptr || task.words == 0 || task.check != StreamTask::by_kernel) return;
  const std::uint64_t digest =
      stream_digest(block, block.memory().totals, task.data, task.bytes, task.checksums != 0);
  if (block.rank() != 0 || digest == task.digest) return;
  task.check = StreamTask::damaged;
  atomic_add(&job.counters->damaged.count, 1);
}

}  // namespace floe::gpu
