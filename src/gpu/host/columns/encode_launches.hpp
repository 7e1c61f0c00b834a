// What calls that encode columns share: the memory of a column as the caller describes it, and launches of
// kernels.
#pragma once

#include <string_view>

#include "floe/cuda.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/host/launch.hpp"
#include "gpu/pack/pack_limits.hpp"

namespace floe::gpu {

/// Memory and number of words. `Column` is EncodeColumn or PackColumn.
template <class Column>
void take_over(const cuda::ColumnEncode& from, Column& to) {
  to.words = static_cast<const std::uint8_t*>(from.words);
  to.word_count = from.word_count;
  to.out = static_cast<std::uint8_t*>(from.out);
  to.out_bytes = from.out_bytes;
  to.segments = from.segments;
  to.result = from.result;
  to.lead_bytes = static_cast<std::uint16_t>(from.lead_bytes);
}

/// Errors: invalid_argument.
inline Status check_memory(const cuda::ColumnEncode& column) {
  if (column.result == nullptr) return invalid("a column without a result");
  if (column.lead_bytes % 16 != 0 || column.lead_bytes > 0xFFFF) return invalid("the room before a segment");
  if (column.word_count == 0) return {};
  if (column.words == nullptr || reinterpret_cast<std::uintptr_t>(column.words) % size_of(column.type) != 0)
    return invalid("the address of a column");
  if (column.out == nullptr || reinterpret_cast<std::uintptr_t>(column.out) % 16 != 0)
    return invalid("the address of an encoded column");
  if (column.segments == nullptr) return invalid("a column without a directory");
  return {};
}

/// The job says everything but how far tiles are looked at ahead.
inline void launch_packing(CudaCalls& calls, const DeviceShape& device, PackJob& job, PackKind kind,
                           cudaStream_t stream) {
  const PackShape shape = plan_packing(job, kind, device.multiprocessors, device.cluster_bytes());
  if (shape.before.kernel != nullptr)
    launch(calls, shape.before.kernel, {shape.blocks_before, pack_threads, shape.before.shared_bytes}, job,
           stream);
  launch(calls, shape.kernel.kernel,
         {shape.blocks, shape.threads, shape.kernel.shared_bytes, false, shape.cluster_blocks,
          shape.kernel.shared_percent},
         job, stream);
}

/// Encodes the arrays of a job by blocks, with one tree. `like` says the type, the length of segments, the
/// room before each, the directory, and as its length the segments of all arrays at most.
Status encode_items_async(const CompressJob& job, const cuda::ColumnEncode& like, std::string_view tree,
                          cuda::Workspace workspace, cudaStream_t stream);
/// Bytes of workspace with which that is fastest.
Result<std::uint64_t> encode_items_workspace_size(const cuda::ColumnEncode& like, std::string_view tree);

}  // namespace floe::gpu
