// Segments of columns, or of frames, that were described: decoded by kernels on a stream.
#pragma once

#include "gpu/decode/job.hpp"
#include "gpu/host/launch.hpp"

namespace floe::gpu {

/// Memory for the longest segment.
struct SegmentRooms {
  std::uint64_t scratch_bytes = 0, opened_bytes = 0;

  static SegmentRooms of(std::uint64_t segment_words, unsigned word_bytes);
};

/// Of frames, before the kernels that read them: decode_segments does it for columns.
void begin_decoding(CudaCalls& calls, cuda::Workspace workspace, cudaStream_t stream);

/// The job says which segments. Blocks have up to `max_shared_bytes` of shared memory where less than that of
/// the device would do.
Status decode_segments(DecodeColumnsJob& job, const SegmentRooms& sizes, cuda::Workspace workspace,
                       std::uint32_t max_shared_bytes, cudaStream_t stream);
/// cuda::decode_columns_async, likewise.
Status decode_columns_within(std::span<const cuda::ColumnDecode> columns, cuda::Workspace workspace,
                             std::uint32_t max_shared_bytes, cudaStream_t stream);

}  // namespace floe::gpu
