#include "series_cuda/decode_columns.cuh"

namespace floe::series_cuda {

ColumnKernels column_kernels() { return {set_up_decoding, decode_columns, sizeof(TeamMemory)}; }

}  // namespace floe::series_cuda
