// What kernels do, done by the CPU.
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "gpu/host/calls.hpp"
#include "gpu/host/launch.hpp"
#include "gpu/host/parts/part_jobs.hpp"
#include "tests/gpu/fake_cuda.hpp"
#include "tests/support/streams_by_cpu.hpp"

namespace floe {
namespace {

using test::enqueue;

/// Work that enqueueing cannot have memory for.
template <class Work>
Status enqueue_work(cudaStream_t stream, Work work) {
  try {
    return gpu::to_status(enqueue(stream, std::move(work)));
  } catch (const std::bad_alloc&) {
    return {ErrorCode::out_of_memory, 0, "no memory"};
  }
}

/// A device has its memory: what fails for want of it is done again.
template <class Work>
auto with_memory(const Work& work) {
  auto result = work();
  return result.status().code == ErrorCode::out_of_memory ? work() : result;
}

std::span<const std::byte> view_of(const void* memory, std::uint64_t bytes) {
  return {static_cast<const std::byte*>(memory), bytes};
}
std::span<std::byte> room_of(void* memory, std::uint64_t bytes) {
  return {static_cast<std::byte*>(memory), bytes};
}

}  // namespace

namespace gpu {

Status patch_segment_headers(const PatchJob& job, cudaStream_t stream) {
  return enqueue_work(stream, [job] {
    if (job.result != nullptr && job.result->code != 0) return;
    for (std::uint32_t segment = 0; segment < job.segment_count; ++segment) patch_segment(job, segment);
  });
}

Status publish(const std::uint8_t* from, std::uint8_t* to, std::uint64_t bytes, cudaStream_t stream) {
  return enqueue_work(stream, [=] { std::memcpy(to, from, bytes); });
}

}  // namespace gpu

namespace cuda {

bool supports(DType, const Options&) noexcept { return true; }

Result<std::uint64_t> compress_workspace_size(std::uint64_t, std::uint64_t, DType, const Options&) {
  return std::uint64_t{256};
}
Result<std::uint64_t> decompress_workspace_size(std::uint64_t, std::uint64_t, const FrameKind&) {
  return std::uint64_t{256};
}

namespace {

void compress(const BatchItem& item, DType dtype, const Extent& extent, const Options& options,
              ItemResult& result) {
  const auto bytes = with_memory([&] {
    return compress_into(room_of(item.out, item.out_bytes), view_of(item.in, item.in_bytes), dtype, extent,
                         options);
  });
  result = {bytes ? *bytes : 0, ~std::uint64_t{0}, static_cast<std::uint32_t>(bytes.status().code), 0};
}

void decompress(const BatchItem& item, ItemResult& result) {
  const auto bytes = with_memory([&]() -> Result<std::uint64_t> {
    const auto frame = Reader::open(view_of(item.in, item.in_bytes));
    if (!frame) return frame.status();
    DecodeOptions options;
    options.threads = 1;
    const Status status = frame->decompress(room_of(item.out, item.out_bytes), options);
    return status.ok() ? Result<std::uint64_t>(item.out_bytes) : status;
  });
  const Status& status = bytes.status();
  result = {bytes ? *bytes : 0, status.byte_offset, static_cast<std::uint32_t>(status.code), 0};
}

}  // namespace

Status compress_async(const BatchItem& item, DType dtype, const Extent& extent, const Options& options,
                      ItemResult* result, Workspace, cudaStream_t stream, const std::uint64_t*) {
  return enqueue_work(stream, [=] { compress(item, dtype, extent, options, *result); });
}

Status decompress_async(const BatchItem& item, const FrameKind&, ItemResult* result, Workspace,
                        cudaStream_t stream, const std::uint64_t*) {
  if (item.out == nullptr && item.out_bytes != 0)
    return {ErrorCode::invalid_argument, 0, "there is no output"};
  return enqueue_work(stream, [=] { decompress(item, *result); });
}

Status compress_batch_async(const BatchItem* items, std::uint64_t count, std::uint64_t, DType dtype,
                            const Options& options, ItemResult* results, Workspace, cudaStream_t stream) {
  return enqueue_work(stream, [=] {
    for (std::uint64_t i = 0; i < count; ++i)
      compress(items[i], dtype, Extent::linear(items[i].in_bytes / size_of(dtype)), options, results[i]);
  });
}

Status decompress_batch_async(const BatchItem* items, std::uint64_t count, std::uint64_t, const FrameKind&,
                              ItemResult* results, Workspace, cudaStream_t stream) {
  return enqueue_work(stream, [=] {
    for (std::uint64_t i = 0; i < count; ++i) decompress(items[i], results[i]);
  });
}

Result<std::uint64_t> encode_workspace_size(std::span<const ColumnEncode>,
                                            std::span<const std::string_view>) {
  return std::uint64_t{512};
}
Result<std::uint64_t> min_encode_workspace_size(std::span<const ColumnEncode>,
                                                std::span<const std::string_view>) {
  return std::uint64_t{256};
}
Result<std::uint64_t> decode_workspace_size(std::uint32_t, std::uint32_t, std::uint64_t) {
  return std::uint64_t{256};
}

namespace {

void encode_column(const ColumnEncode& column, const std::string& tree) {
  const std::uint64_t segment_bytes = column.segment_words * size_of(column.type);
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < column.word_count / column.segment_words; ++i) {
    StreamToEncode stream{static_cast<const std::uint8_t*>(column.words) + i * segment_bytes, column.type,
                          column.segment_words, tree};
    const auto bytes = test::encode_by_cpu(stream);
    std::memcpy(static_cast<std::uint8_t*>(column.out) + end, bytes.data(), bytes.size());
    column.segments[i] = {end, static_cast<std::uint32_t>(bytes.size()), column.segment_words};
    end = core::align_up(end + bytes.size(), 16);
  }
  *column.result = {end, ~std::uint64_t{0}, 0, 0};
}

void decode_column(const ColumnDecode& call) {
  const EncodedColumn& column = call.column;
  const std::uint64_t segment_bytes = column.segment_words * size_of(column.type);
  for (std::uint64_t i = 0; i < column.word_count / column.segment_words; ++i) {
    const SegmentEntry& entry = column.segments[i];
    StreamToDecode stream;
    stream.bytes = {static_cast<const std::byte*>(column.data) + entry.offset, entry.bytes};
    stream.type = column.type;
    stream.count = entry.words;
    stream.words = static_cast<std::uint8_t*>(call.out) + i * segment_bytes;
    call.codes[i] = test::decode_by_cpu(stream) ? 0 : static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  }
  *call.result = {call.out_bytes, ~std::uint64_t{0}, 0, 0};
}

}  // namespace

Status encode_columns_async(std::span<const ColumnEncode> columns, std::span<const std::string_view> trees,
                            Workspace, cudaStream_t stream) {
  std::vector<ColumnEncode> own(columns.begin(), columns.end());
  std::vector<std::string> own_trees(trees.begin(), trees.end());
  return enqueue_work(stream, [own, own_trees] {
    for (const ColumnEncode& column : own) encode_column(column, own_trees[column.tree]);
  });
}

Status decode_columns_async(std::span<const ColumnDecode> columns, Workspace, cudaStream_t stream) {
  std::vector<ColumnDecode> own(columns.begin(), columns.end());
  return enqueue_work(stream, [own] {
    for (const ColumnDecode& column : own) decode_column(column);
  });
}

}  // namespace cuda
}  // namespace floe
