#include "gpu/unpack/unpack_columns.cuh"

namespace floe::gpu {

void (*unpack_kernel())(DecodeColumnsJob) { return unpack_columns; }

}  // namespace floe::gpu
