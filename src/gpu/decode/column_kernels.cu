#include "gpu/decode/decode_columns.cuh"

namespace floe::gpu {

static_assert(decode_blocks_per_multiprocessor * (sizeof(DecodeMemory) + 1024) <= 228 << 10);

ColumnKernels column_kernels() {
  return {open_columns, decode_columns, opening_threads, opening_threads / warp_lanes * sizeof(OpeningMemory),
          sizeof(DecodeMemory)};
}

}  // namespace floe::gpu
