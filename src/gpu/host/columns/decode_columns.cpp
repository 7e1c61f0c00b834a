// Decoding of columns in device memory: arguments to a kernel on a stream.
#include <algorithm>

#include "core/type.hpp"
#include "gpu/decode/decode_rooms.hpp"
#include "gpu/decode/verify_stream.hpp"
#include "gpu/entropy/stream_check.hpp"
#include "gpu/host/columns/decode_segments.hpp"
#include "gpu/unpack/unpack_limits.hpp"

namespace floe::gpu {
namespace {

static_assert(sizeof(DecodeCounters) <= fixed_workspace_bytes);
static_assert(max_opened_entries(cuda::max_segment_words) <= 0xFFFF, "UnpackChain::first_entry has 16 bits");

/// Fills in one column, and the segments that its rows overlap.
Status describe(const cuda::ColumnDecode& from, std::uint32_t first_ticket, DecodeColumn& to) {
  const cuda::EncodedColumn& column = from.column;
  const DType type = word_type(column.type);
  if (size_of(type) == 0) return invalid("a column of text");
  if (column.segment_words == 0 || column.segment_words > cuda::max_segment_words)
    return invalid("the length of a column's segments");
  if (column.word_count > max_column_words) return invalid("more words than any device holds");
  if (reinterpret_cast<std::uintptr_t>(column.data) % 16 != 0)
    return invalid("an encoded column does not begin at a multiple of 16");
  const std::uint64_t word_bytes = size_of(type);
  if (reinterpret_cast<std::uintptr_t>(from.out) % word_bytes != 0)
    return invalid("a column's output is not aligned for its words");
  if (from.result == nullptr) return invalid("a column has no result");
  const std::uint64_t rows = from.rows.count == ~std::uint64_t{0}
                                 ? column.word_count - std::min(column.word_count, from.rows.first)
                                 : from.rows.count;
  if (from.rows.first > column.word_count || rows > column.word_count - from.rows.first)
    return invalid("rows beyond a column");
  if (rows * word_bytes > from.out_bytes)
    return {ErrorCode::output_too_small, 0, "a column has more rows than its output has room for"};
  if (rows > 0 && (column.data == nullptr || column.segments == nullptr || from.out == nullptr))
    return invalid("a column without memory");
  to.data = static_cast<const std::uint8_t*>(column.data);
  to.data_bytes = column.data_bytes;
  to.segments = column.segments;
  to.word_count = column.word_count;
  to.first_row = from.rows.first;
  to.end_row = from.rows.first + rows;
  to.out = static_cast<std::uint8_t*>(from.out);
  to.result = from.result;
  to.codes = from.codes;
  to.segment_words = column.segment_words;
  to.type = type;
  to.first_segment = static_cast<std::uint32_t>(to.first_row / column.segment_words);
  const std::uint64_t segments =
      rows == 0 ? 0 : (to.end_row - 1) / column.segment_words + 1 - to.first_segment;
  to.end_ticket = first_ticket + static_cast<std::uint32_t>(segments);
  return {};
}

/// Divides the segments that are opened ahead into shares for so many warps.
void share_out(DecodeColumnsJob& job, std::uint32_t warps) {
  const auto opened_of = [&](std::uint32_t c) {
    const std::uint32_t first = c == 0 ? 0 : job.column[c - 1].end_ticket;
    return std::min(job.column[c].end_ticket, job.opened_count) - std::min(first, job.opened_count);
  };
  std::uint64_t vectors = 0;
  for (std::uint32_t c = 0; c < job.column_count; ++c)
    vectors += std::uint64_t{opened_of(c)} * segment_vectors(job.column[c]);
  const auto plan = SharePlan::of(vectors, job.opened_count, warps);
  job.first_fine = plan.first_fine;
  for (std::uint32_t c = 0; c < job.column_count; ++c) {
    DecodeColumn& column = job.column[c];
    const std::uint32_t opened = opened_of(c), first = c == 0 ? 0 : job.column[c - 1].end_ticket;
    const std::uint32_t coarse = std::min(opened, job.first_fine - std::min(first, job.first_fine));
    if (opened > 0) {
      column.coarse = ShareSizes::of(segment_vectors(column), plan.coarse);
      column.fine = ShareSizes::of(segment_vectors(column), plan.fine);
    }
    job.share_count = column.end_share =
        job.share_count + coarse * column.coarse.shares + (opened - coarse) * column.fine.shares;
  }
}

/// How blocks of the kernel for leaves of entropy share the last of a frame's segments: each of them has
/// about one share.
void share_last_entries(DecodeColumnsJob& job, const DeviceShape& device) {
  if (job.streams == nullptr) return;
  job.shares = size_of(job.column[0].type) == 8 ? 4 : 2;
  job.shared_entries = entropy_kernel().blocks_per_multiprocessor * device.multiprocessors / job.shares;
}

/// Takes memory for sums of columns of checksums from the end of that of blocks, where it is much less.
void take_sums(DecodeColumnsJob& job) {
  if (job.streams == nullptr || job.opened_count == 0) return;
  const DecodeColumn& column = job.column[0];
  job.max_checksums = StreamSums::checksums(std::uint64_t{column.segment_words} * size_of(column.type)) + 1;
  const std::uint64_t bytes = std::uint64_t{4} * StreamSums::words(job.max_checksums) * job.opened_count,
                      all = job.block_count * job.scratch_bytes;
  if (bytes > all / 8) return;
  job.sums = reinterpret_cast<std::uint32_t*>(job.scratch + (all - bytes) / room_unit * room_unit);
}

/// `shares`: of a segment at most.
void launch_entropy(CudaCalls& calls, const EntropyKernel& kernel, const DecodeColumnsJob& job,
                    std::uint32_t shares, const DeviceShape& device, cudaStream_t stream) {
  launch(calls, kernel.unpack,
         {std::min(job.opened_count * shares, kernel.blocks_per_multiprocessor * device.multiprocessors),
          kernel.threads, kernel.shared_bytes, device.overlaps_kernels, 1, 100},
         job, stream);
}

/// Whether some column has words of a size for which is_wanted(bytes).
template <class IsWanted>
bool has_words(const DecodeColumnsJob& job, const IsWanted& is_wanted) {
  return std::any_of(job.column, job.column + job.column_count,
                     [&](const DecodeColumn& column) { return is_wanted(size_of(column.type)); });
}

/// Kernels for leaves of entropy.
void launch_entropies(CudaCalls& calls, DecodeColumnsJob& job, const DeviceShape& device,
                      cudaStream_t stream) {
  const bool checks = job.sums != nullptr;
  job.is_beside = has_words(job, [](std::uint64_t bytes) { return bytes >= 4; });
  if (job.is_beside)
    launch_entropy(calls, checks ? checked_two_block_kernel() : two_block_kernel(), job, 1, device, stream);
  launch_entropy(calls, checks ? checked_entropy_kernel() : entropy_kernel(), job, job.shares, device,
                 stream);
  if (has_words(job, [](std::uint64_t bytes) { return bytes == 2; }))
    launch_entropy(calls, short_entropy_kernel(), job, 1, device, stream);
}

}  // namespace

SegmentRooms SegmentRooms::of(std::uint64_t segment_words, unsigned word_bytes) {
  return {decode_scratch_bytes(segment_words, word_bytes),
          OpenedRecord::bytes(static_cast<std::uint32_t>(segment_words))};
}

void begin_decoding(CudaCalls& calls, cuda::Workspace workspace, cudaStream_t stream) {
  calls.check(cudaMemsetAsync(workspace.data, 0, sizeof(DecodeCounters), stream));
}

Status decode_segments(DecodeColumnsJob& job, const SegmentRooms& sizes, cuda::Workspace workspace,
                       std::uint32_t max_shared_bytes, cudaStream_t stream) {
  const std::uint64_t needed = fixed_workspace_bytes + (job.segment_count > 0 ? sizes.scratch_bytes : 0);
  if (const Status status = check_workspace(workspace, needed); !status.ok()) return status;
  CudaCalls calls;
  const DeviceShape device = DeviceShape::of_current(calls);
  if (!calls.ok()) return calls.status();
  const std::uint64_t useful_blocks = std::min<std::uint64_t>(
      {job.segment_count, max_decode_blocks, 3 * std::uint64_t{device.multiprocessors}});
  job.counters = static_cast<DecodeCounters*>(workspace.data);
  job.opened = static_cast<std::uint8_t*>(workspace.data) + fixed_workspace_bytes;
  job.opened_bytes = sizes.opened_bytes;
  const ColumnKernels kernels = column_kernels();
  const UnpackShape shape = unpack_shape(std::min(device.shared_bytes, max_shared_bytes));
  // What is opened ahead may be left to warps without blocks. Where blocks have too little shared memory for
  // those, blocks open what they decode.
  const bool is_opened_ahead = sizes.opened_bytes > 0 && shape.groups > 0;
  const DecodeRooms rooms =
      decode_rooms(workspace.bytes - fixed_workspace_bytes, job.segment_count, useful_blocks,
                   sizes.scratch_bytes, is_opened_ahead ? sizes.opened_bytes : 0);
  job.opened_count = rooms.opened_count;
  job.block_count = rooms.block_count;
  job.scratch = job.opened + rooms.opened_bytes;
  job.scratch_bytes = rooms.block_bytes;
  job.small_table_bytes = shape.small_table_bytes;
  job.table_bytes = shape.table_bytes;
  if (job.opened_count > 0) share_out(job, shape.groups * group_warps * device.multiprocessors);
  share_last_entries(job, device);
  if (job.share_count > 0) take_sums(job);
  if (job.streams == nullptr) begin_decoding(calls, workspace, stream);
  const std::uint32_t openers = kernels.open_threads / warp_lanes;
  launch(calls, kernels.open,
         {std::max(1u, (job.opened_count + openers - 1) / openers), kernels.open_threads,
          kernels.open_shared_bytes, device.overlaps_kernels && job.streams != nullptr},
         job, stream);
  if (job.streams != nullptr) {
    const std::uint32_t blocks = verify_blocks_per_multiprocessor * device.multiprocessors;
    launch(calls, kernels.verify,
           {std::min(job.segment_count, blocks), verify_threads, kernels.verify_shared_bytes,
            device.overlaps_kernels},
           job, stream);
  }
  if (job.share_count > 0) {
    launch_entropies(calls, job, device, stream);
    // Behind blocks of entropy, which make the entries of dictionaries.
    launch(calls, unpack_kernel(),
           {std::min(job.share_count, device.multiprocessors), shape.groups * group_threads,
            shape.shared_bytes, device.overlaps_kernels},
           job, stream);
  }
  if (job.block_count > 0) {
    launch(calls, kernels.decode,
           {job.block_count, column_threads, kernels.decode_shared_bytes, device.overlaps_kernels}, job,
           stream);
  }
  return calls.status();
}

Status decode_columns_within(std::span<const cuda::ColumnDecode> columns, cuda::Workspace workspace,
                             std::uint32_t max_shared_bytes, cudaStream_t stream) {
  if (columns.size() > cuda::max_columns) return invalid("too many columns at once");
  DecodeColumnsJob job;
  SegmentRooms rooms;
  for (const cuda::ColumnDecode& column : columns) {
    if (const Status status = describe(column, job.segment_count, job.column[job.column_count]); !status.ok())
      return status;
    job.segment_count = job.column[job.column_count].end_ticket;
    const auto words = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(column.column.segment_words, column.column.word_count));
    const auto own = SegmentRooms::of(words, word_bytes(job.column[job.column_count].type));
    rooms.scratch_bytes = std::max(rooms.scratch_bytes, own.scratch_bytes);
    rooms.opened_bytes = std::max(rooms.opened_bytes, own.opened_bytes);
    ++job.column_count;
  }
  if (job.column_count == 0) return {};
  return decode_segments(job, rooms, workspace, max_shared_bytes, stream);
}

}  // namespace floe::gpu

namespace floe::cuda {

Result<std::uint64_t> decode_workspace_size(std::uint32_t segment_words, std::uint32_t word_bytes,
                                            std::uint64_t segment_count) {
  if (segment_words == 0 || segment_words > max_segment_words || word_bytes == 0 || word_bytes > 8)
    return gpu::invalid("the length of a column's segments");
  return gpu::fixed_workspace_bytes + gpu::decode_room(segment_count,
                                                       gpu::decode_scratch_bytes(segment_words, word_bytes),
                                                       gpu::OpenedRecord::bytes(segment_words));
}

Status decode_columns_async(std::span<const ColumnDecode> columns, Workspace workspace, cudaStream_t stream) {
  return gpu::decode_columns_within(columns, workspace, ~0u, stream);
}

}  // namespace floe::cuda
