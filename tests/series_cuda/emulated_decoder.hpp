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

/// Segments that were left to the block so far, as the digest that came out of the rings was another one:
/// only damaged ones, of whose bytes not all are read.
std::size_t missed_digests();

/// Whether a segment of so many words is decoded by a few warps, without a block for its tree.
bool needs_no_block_emulated(std::span<const std::uint8_t> bytes, DType type, std::uint32_t count);

/// Decodes the segments of frames that were read, by a block for each.
void decode_streams_emulated(const gpu::DecodeJob& job);

}  // namespace floe::test
