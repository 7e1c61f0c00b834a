#include "gpu/host/patch_segment_headers.hpp"

#include "container/layout.hpp"
#include "gpu/host/calls.hpp"

namespace floe::gpu {
namespace {

constexpr unsigned block_threads = 128;

// Places in the header of an array's segment, and in a footer: docs/format/container.md
constexpr unsigned index_at = 8, first_at = 16, header_crc_at = 40, digest_at = 112;
constexpr unsigned crc_at = container::array_segment_header_bytes - 4;
constexpr unsigned segments_at = 48;

template <class Number>
__device__ Number& at(std::uint8_t* bytes) {
  return *reinterpret_cast<Number*>(bytes);
}

/// The header of a segment where the part's footer says; null if that is impossible.
__device__ std::uint8_t* find_header(const PatchJob& job, std::uint32_t segment, std::uint64_t& offset) {
  const std::uint64_t frame_bytes = job.result != nullptr ? job.result->bytes : job.frame_bytes;
  const std::uint64_t footer_offset = frame_bytes - container::footer_bytes(job.segment_count);
  offset =
      at<std::uint64_t>(job.frame + footer_offset + segments_at + container::index_entry_bytes * segment);
  const bool is_possible = offset % container::alignment == 0 && offset <= footer_offset &&
                           footer_offset - offset >= container::array_segment_header_bytes;
  return is_possible ? job.frame + offset : nullptr;
}

/// What a CRC-32C changes by when a number in front of `bytes_behind` bytes changes by an XOR: CRCs are
/// linear.
template <class Number>
__device__ std::uint32_t crc_change(Number change, unsigned bytes_behind) {
  std::uint32_t crc = 0;
  for (unsigned i = 0; i < sizeof(Number) + bytes_behind; ++i) {
    if (i < sizeof(Number)) crc ^= static_cast<std::uint8_t>(change >> 8 * i);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
  }
  return crc;
}

/// Adds to a number of a header, and to its CRC what follows.
__device__ void add(std::uint8_t* header, unsigned place, std::uint64_t step) {
  auto& number = at<std::uint64_t>(header + place);
  const std::uint64_t change = number ^ (number + step);
  number += step;
  at<std::uint32_t>(header + crc_at) ^= crc_change(change, crc_at - place - 8);
}

__global__ void __launch_bounds__(block_threads) patch(const __grid_constant__ PatchJob job) {
  const std::uint32_t segment = blockIdx.x * block_threads + threadIdx.x;
  if (segment >= job.segment_count || (job.result != nullptr && job.result->code != 0)) return;
  std::uint64_t offset = 0;
  std::uint8_t* const header = find_header(job, segment, offset);
  if (header == nullptr) return;
  if (job.facts != nullptr) job.facts[segment] = {offset, at<std::uint64_t>(header + digest_at)};
  add(header, index_at, job.index_step);
  add(header, first_at, job.first_step);
  at<std::uint32_t>(header + header_crc_at) ^= job.header_crc_change;
  at<std::uint32_t>(header + crc_at) ^= crc_change(job.header_crc_change, crc_at - header_crc_at - 4);
}

}  // namespace

Status patch_segment_headers(const PatchJob& job, cudaStream_t stream) {
  if (job.segment_count == 0) return {};
  const std::uint32_t blocks = (job.segment_count + block_threads - 1) / block_threads;
  patch<<<blocks, block_threads, 0, stream>>>(job);
  return to_status(cudaGetLastError());
}

}  // namespace floe::gpu
