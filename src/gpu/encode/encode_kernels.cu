#include "gpu/encode/encode_columns.cuh"

namespace floe::gpu {

EncodeKernels encode_kernels() { return {set_up_encoding, encode_columns, sizeof(EncodeMemory)}; }

}  // namespace floe::gpu
