// Decoding of columns as on a device whose blocks have less shared memory: for tests.
#pragma once

#include "floe/cuda.hpp"

namespace floe::cuda {

/// decode_columns_async, with blocks of up to `max_shared_bytes` of shared memory where less of it would do.
Status decode_columns_within(std::span<const ColumnDecode> columns, Workspace workspace,
                             std::uint32_t max_shared_bytes, cudaStream_t stream);

}  // namespace floe::cuda
