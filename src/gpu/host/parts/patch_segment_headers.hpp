// The header of a segment between a part's own frame and that of the whole array. On devices and hosts.
#pragma once

#include <cstdint>

#include "container/layout.hpp"
#include "core/crc32c.hpp"
#include "core/word.hpp"
#include "floe/cuda.hpp"

namespace floe::gpu {

/// What the host must know of a segment to write the frame around it.
struct SegmentFacts {
  std::uint64_t offset = 0;  ///< In the part's own frame.
  std::uint64_t digest = 0;  ///< Of its stream.
};

struct PatchJob {
  std::uint8_t* frame = nullptr;             ///< The part's own frame: header, segments, footer.
  const cuda::ItemResult* result = nullptr;  ///< Of compressing it; null if `frame_bytes` is known.
  std::uint64_t frame_bytes = 0;
  std::uint32_t segment_count = 0;
  std::uint64_t index_step = 0, first_step = 0;  ///< Added to both numbers of every segment, modulo 2^64.
  /// The CRC of the header that segments belong to, XOR that of the other one.
  std::uint32_t header_crc_change = 0;
  SegmentFacts* facts = nullptr;  ///< In device memory: of each segment; null if they are not wanted.
};

/// Offset in the header of an array's segment.
inline constexpr std::size_t crc_at = container::array_segment_header_bytes - 4;

template <class Number>
FLOE_HD Number& number_at(std::uint8_t* bytes) {
  return *reinterpret_cast<Number*>(bytes);
}

/// What the CRC-32C of bytes changes by with a number before the last `bytes_behind`: CRCs are linear.
template <class Number>
FLOE_HD std::uint32_t crc_change(Number change, std::size_t bytes_behind) {
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < sizeof(Number) + bytes_behind; ++i) {
    if (i < sizeof(Number)) crc ^= static_cast<std::uint8_t>(change >> 8 * i);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? core::crc32c_polynomial : 0u);
  }
  return crc;
}

/// Adds to a number of a header, and changes the header's CRC accordingly.
FLOE_HD inline void add_to_number(std::uint8_t* header, std::size_t offset, std::uint64_t step) {
  auto& number = number_at<std::uint64_t>(header + offset);
  const std::uint64_t change = number ^ (number + step);
  number += step;
  number_at<std::uint32_t>(header + crc_at) ^= crc_change(change, crc_at - offset - 8);
}

/// A header whose CRC is wrong keeps a wrong one, and the opposite change brings all bytes back.
FLOE_HD inline void patch_segment(const PatchJob& job, std::uint32_t segment) {
  const std::uint64_t frame_bytes = job.result != nullptr ? job.result->bytes : job.frame_bytes;
  const std::uint64_t footer_offset = frame_bytes - container::footer_bytes(job.segment_count);
  const auto offset = number_at<std::uint64_t>(job.frame + footer_offset + container::footer_at::index +
                                               container::index_entry_bytes * segment);
  if (offset % container::alignment != 0 || offset > footer_offset ||
      footer_offset - offset < container::array_segment_header_bytes)
    return;  // a footer that is damaged
  std::uint8_t* const header = job.frame + offset;
  if (job.facts != nullptr)
    job.facts[segment] = {
        offset, number_at<std::uint64_t>(header + container::array_stream_at + container::stream_at::digest)};
  add_to_number(header, container::segment_at::index, job.index_step);
  add_to_number(header, container::segment_at::first, job.first_step);
  number_at<std::uint32_t>(header + container::segment_at::header_crc) ^= job.header_crc_change;
  number_at<std::uint32_t>(header + crc_at) ^=
      crc_change(job.header_crc_change, crc_at - container::segment_at::header_crc - 4);
}

/// Patches all segments on a device, if the part could be compressed. Errors: device_error.
Status patch_segment_headers(const PatchJob& job, cudaStream_t stream);

}  // namespace floe::gpu
