// The decoder of devices, run by emulated lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/frames/job.hpp"
#include "tests/series/columns.hpp"

namespace floe::test {

/// Decodes a segment to `out`, which knows its type and words; `is_opened`: with a warp that opens it for the
/// block. Each of the two has `scratch_bytes` of memory for streams.
ErrorCode decode_emulated(std::span<const std::uint8_t> bytes, Column& out, std::size_t scratch_bytes,
                          bool is_opened);

/// Decodes the segments of frames that were read, by a block for each.
void decode_streams_emulated(const gpu::DecodeJob& job);

}  // namespace floe::test
