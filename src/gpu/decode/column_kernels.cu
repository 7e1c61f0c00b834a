#include "gpu/decode/decode_columns.cuh"

namespace floe::series_cuda {

static_assert(teams_per_multiprocessor * (sizeof(TeamMemory) + 1024) <= 228 << 10);

ColumnKernels column_kernels() {
  return {open_columns, decode_columns, opening_threads, opening_threads / warp_lanes * sizeof(OpeningMemory),
          sizeof(TeamMemory)};
}

}  // namespace floe::series_cuda
