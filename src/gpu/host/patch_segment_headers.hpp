// On a device: segments of a part's own frame become segments of the whole array's frame, and back.
#pragma once

#include <cstdint>

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
  std::uint32_t header_crc_change = 0;  ///< The CRC of the header that segments belong to, XOR that of the
                                        ///< other one.
  SegmentFacts* facts = nullptr;        ///< In device memory: of each segment; null if they are not wanted.
};

/// Changes numbers and CRCs in the headers of segments. What is damaged remains so, and the opposite change
/// brings all bytes back. Errors: device_error.
Status patch_segment_headers(const PatchJob& job, cudaStream_t stream);

}  // namespace floe::gpu
