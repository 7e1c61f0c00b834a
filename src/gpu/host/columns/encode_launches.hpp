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

/// Where the parts of the memory of encoded columns begin. What is zero in the beginning comes first:
/// counters, the states of segments, arrivals at those that are packed, goals of tiles, and tiles.
struct EncodeLayout {
  std::uint64_t states = 0, arrivals = 0, goals = 0, tiles = 0, zero_bytes = 0, divisors = 0, trees = 0,
                scratch = 0;

  EncodeLayout() = default;
  EncodeLayout(std::uint64_t counter_bytes, std::uint64_t segments, std::uint64_t packed_segments,
               std::uint64_t tile_count, std::uint64_t divided_segments, std::uint64_t tree_count)
      : states(core::align_up(counter_bytes, 8)),
        arrivals(states + 8 * segments),
        goals(arrivals + core::align_up(4 * packed_segments, 8)),
        tiles(core::align_up(goals + 8 * tile_count, 16)),
        zero_bytes(tiles + sizeof(PackTile) * tile_count),
        divisors(core::align_up(zero_bytes, 256)),
        trees(divisors + core::align_up(sizeof(SegmentDivisor) * divided_segments, 256)),
        scratch(trees + core::align_up(sizeof(EncodeTrees) * tree_count, 256)) {}
};

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

/// With as much shared memory as is of use, as far as as many blocks share a multiprocessor.
inline void launch_encoding(CudaCalls& calls, const DeviceShape& device, const EncodeKernel& kernel,
                            std::uint64_t blocks, const EncodeColumnsJob& job, cudaStream_t stream) {
  const std::uint32_t share = (device.shared_bytes + 1024) / kernel.blocks_per_multiprocessor - 1024,
                      shared_bytes =
                          std::clamp(share, kernel.shared_bytes, kernel.shared_bytes + kernel.spare_bytes);
  launch(calls, kernel.function, {static_cast<std::uint32_t>(blocks), kernel.threads, shared_bytes}, job,
         stream);
}

/// Encodes a column of which somebody asks for facts, as cuda::encode_columns_async does. Its entries are
/// those of `job`, as are the facts.
Status encode_column_async(const CompressJob& job, const cuda::ColumnEncode& column, std::string_view tree,
                           cuda::Workspace workspace, cudaStream_t stream);

/// Encodes the arrays of a job by blocks, with one tree. `like` says the type, the length of segments, the
/// room before each, the directory, and as its length the segments of all arrays at most.
Status encode_items_async(const CompressJob& job, const cuda::ColumnEncode& like, std::string_view tree,
                          cuda::Workspace workspace, cudaStream_t stream);
/// Bytes of workspace with which that is fastest.
Result<std::uint64_t> encode_items_workspace_size(const cuda::ColumnEncode& like, std::string_view tree);

}  // namespace floe::gpu
