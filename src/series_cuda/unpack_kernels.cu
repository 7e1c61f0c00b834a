#include "series_cuda/unpack_columns.cuh"

namespace floe::series_cuda {

static_assert(unpack_shared_bytes <= 227 << 10);

UnpackKernel unpack_kernel() { return {unpack_columns, unpack_threads, unpack_shared_bytes, 1}; }

}  // namespace floe::series_cuda
