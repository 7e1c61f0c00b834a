#include "series_cuda/unpack_columns.cuh"

namespace floe::series_cuda {

static_assert(unpack_blocks * (sizeof(UnpackBlock) + 1024) <= 228 << 10);

UnpackKernel unpack_kernel() { return {unpack_columns, unpack_threads, sizeof(UnpackBlock), unpack_blocks}; }

}  // namespace floe::series_cuda
