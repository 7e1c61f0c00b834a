#include "gpu/unpack/unpack_columns.cuh"

namespace floe::series_cuda {

void (*unpack_kernel())(DecodeColumnsJob) { return unpack_columns; }

}  // namespace floe::series_cuda
