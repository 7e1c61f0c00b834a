// Elements of an array's frame: what a slice needs is read, and decoded side by side.
#pragma once

#include <cstdint>
#include <span>

#include "container/frame_index.hpp"
#include "core/workers.hpp"

namespace floe::pipeline {

/// Decodes a slice; out.size() must be that of its elements. Errors: invalid_argument, corrupt_frame,
/// out_of_memory, those of the source. Throws std::bad_alloc.
Status decode_slice(const container::ByteSource& source, const container::FrameIndex& index,
                    std::span<std::uint8_t> out, Slice slice, const DecodeOptions& options);

}  // namespace floe::pipeline
