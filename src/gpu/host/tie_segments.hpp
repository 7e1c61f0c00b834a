// On a device: segments of a part's own frame become segments of the whole array's frame, and back.
#pragma once

#include <cstdint>

#include "floe/cuda.hpp"

namespace floe::gpu {

/// What the host must know of a part to write the frame around it.
struct PartFacts {
  cuda::ItemResult result;
  unsigned long long digest = 0;  ///< Of its chunks, numbered through the whole frame.
  unsigned long long chunks = 0;  ///< Of its segments.
};

struct TieJob {
  std::uint8_t* frame = nullptr;             ///< The part's own frame: header, segments, footer.
  const cuda::ItemResult* result = nullptr;  ///< Of compressing it; null if `frame_bytes` is known.
  std::uint64_t frame_bytes = 0;
  std::uint64_t content_bytes = 0;
  std::uint32_t segment_count = 0;
  std::uint32_t chunks_per_segment = 0;
  bool checksums = true;
  std::uint64_t index_step = 0;  ///< Added to the number of every segment, modulo 2^64.
  std::uint32_t from_header_crc =
      0;  ///< That heads have; those that do not, or whose own CRC is wrong, stay as they are.
  std::uint32_t to_header_crc = 0;
  bool history = false;           ///< Segments may be of kind 1.
  std::uint64_t first_chunk = 0;  ///< Of the part in the whole array.
  PartFacts* facts = nullptr;     ///< In device memory, zeroed before; null if it is not wanted.
  std::uint64_t* offsets =
      nullptr;  ///< In device memory: gets the offsets of the segments in `frame`; may be null.
};

/// Exchanges numbers and CRCs. Also tells the facts; not the digest with `history`. Errors: device_error.
Status tie_segments(const TieJob& job, cudaStream_t stream);

/// With `history`, the number of a part's first chunk depends on the parts before: tells the digest, after
/// tie_segments. Errors: device_error.
Status add_up_digest(const TieJob& job, cudaStream_t stream);

}  // namespace floe::gpu
