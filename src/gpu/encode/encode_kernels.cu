#include "gpu/encode/encode_columns.cuh"

namespace floe::series_cuda {

EncodeKernels encode_kernels() { return {set_up_encoding, encode_columns, sizeof(EncodeMemory)}; }

}  // namespace floe::series_cuda
