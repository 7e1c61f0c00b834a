// What kernels do to parts, done by the CPU.
#include <cstring>
#include <new>

#include "container/digest.hpp"
#include "container/footer.hpp"
#include "container/segment_head.hpp"
#include "core/bits.hpp"
#include "core/crc32c.hpp"
#include "core/word.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/host/tie_segments.hpp"
#include "tests/gpu/fake_cuda.hpp"

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

std::span<const std::byte> size_of(const void* memory, std::uint64_t bytes) {
  return {static_cast<const std::byte*>(memory), bytes};
}
std::span<std::byte> room_of(void* memory, std::uint64_t bytes) {
  return {static_cast<std::byte*>(memory), bytes};
}

/// The head of a segment as the part's footer places it.
struct Head {
  std::span<std::uint8_t> bytes;
  format::SegmentHead numbers;
};

std::uint64_t frame_bytes_of(const gpu::TieJob& job) {
  return job.result != nullptr ? job.result->bytes : job.frame_bytes;
}

std::uint64_t offset_of(const gpu::TieJob& job, std::uint32_t segment) {
  const std::uint64_t footer_bytes = format::footer_bytes(job.segment_count);
  return core::load<std::uint64_t>(job.frame + frame_bytes_of(job) - footer_bytes + 40 +
                                   8 * std::uint64_t{segment});
}

Head head_of(const gpu::TieJob& job, std::uint32_t segment) {
  std::uint8_t* const at = job.frame + offset_of(job, segment);
  Head head;
  head.numbers.head_bytes = core::load<std::uint32_t>(at + 4);
  head.numbers.chunk_count = core::load<std::uint32_t>(at + 32);
  head.bytes = {at, head.numbers.head_bytes};
  return head;
}

std::uint64_t digest_of(const gpu::TieJob& job, const Head& head, std::uint64_t first_chunk) {
  const format::ChunkTable<std::uint8_t> table(head.bytes, head.numbers.chunk_count, job.checksums);
  std::uint64_t digest = 0;
  for (std::uint64_t chunk = 0; chunk < head.numbers.chunk_count; ++chunk) {
    const format::ChunkEntry entry = table.entry(chunk);
    digest += format::digest_term(first_chunk + chunk, entry.checksum, entry.stored_bytes, entry.mode);
  }
  return digest;
}

void tie(const gpu::TieJob& job) {
  if (job.facts != nullptr && job.result != nullptr) job.facts->result = *job.result;
  if (job.result != nullptr && job.result->code != 0) return;
  for (std::uint32_t segment = 0; segment < job.segment_count; ++segment) {
    if (job.offsets != nullptr) job.offsets[segment] = offset_of(job, segment);
    const Head head = head_of(job, segment);
    if (core::load<std::uint32_t>(head.bytes.data() + 40) != job.from_header_crc) continue;
    if (job.facts != nullptr) {
      const std::uint64_t first_chunk = job.first_chunk + std::uint64_t{segment} * job.chunks_per_segment;
      if (job.checksums && !job.history) job.facts->digest += digest_of(job, head, first_chunk);
      job.facts->chunks += head.numbers.chunk_count;
    }
    core::store(head.bytes.data() + 8, core::load<std::uint64_t>(head.bytes.data() + 8) + job.index_step);
    core::store(head.bytes.data() + 40, job.to_header_crc);
    core::store(head.bytes.data() + head.bytes.size() - 4,
                core::crc32c(head.bytes.first(head.bytes.size() - 4)));
  }
}

}  // namespace

namespace gpu {

Status tie_segments(const TieJob& job, cudaStream_t stream) {
  return enqueue_work(stream, [job] { tie(job); });
}

Status add_up_digest(const TieJob& job, cudaStream_t stream) {
  return enqueue_work(stream, [job] {
    std::uint64_t first_chunk = job.first_chunk;
    for (std::uint32_t segment = 0; segment < job.segment_count; ++segment) {
      const Head head = head_of(job, segment);
      job.facts->digest += digest_of(job, head, first_chunk);
      first_chunk += head.numbers.chunk_count;
    }
  });
}

}  // namespace gpu

namespace cuda {

Result<std::uint64_t> compress_workspace_size(std::uint64_t, std::uint64_t, DType, const Options&) {
  return std::uint64_t{256};
}
Result<std::uint64_t> decompress_workspace_size(std::uint64_t, std::uint64_t, const FrameKind&) {
  return std::uint64_t{256};
}

Status compress_async(const BatchItem& item, DType dtype, const Extent& extent, const Options& options,
                      ItemResult* result, Workspace, cudaStream_t stream, const std::uint64_t*) {
  return enqueue_work(stream, [=] {
    const auto bytes = with_memory([&] {
      return compress_into(room_of(item.out, item.out_bytes), size_of(item.in, item.in_bytes), dtype, extent,
                           options);
    });
    *result = {bytes ? *bytes : 0, ~std::uint64_t{0}, static_cast<std::uint32_t>(bytes.status().code), 0};
  });
}

Status decompress_async(const BatchItem& item, const FrameKind&, ItemResult* result, Workspace,
                        cudaStream_t stream, const std::uint64_t*) {
  if (item.out == nullptr && item.out_bytes != 0)
    return {ErrorCode::invalid_argument, 0, "there is no output"};
  return enqueue_work(stream, [=] {
    const auto bytes = with_memory([&]() -> Result<std::uint64_t> {
      const auto frame = FrameView::parse(size_of(item.in, item.in_bytes));
      if (!frame) return frame.status();
      const Status status = frame->decompress(room_of(item.out, item.out_bytes), {1});
      return status.ok() ? Result<std::uint64_t>(item.out_bytes) : status;
    });
    const Status& status = bytes.status();
    *result = {bytes ? *bytes : 0, status.byte_offset, static_cast<std::uint32_t>(status.code), 0};
  });
}

}  // namespace cuda
}  // namespace floe
