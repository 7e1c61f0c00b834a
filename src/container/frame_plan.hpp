// What is decided before the first byte of a frame is written: the codec and the header.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/chunk.hpp"
#include "floe/floe.hpp"
#include "container/header.hpp"
#include "chunks/registry/codec_entry.hpp"

namespace floe::api {

struct FramePlan {
  const registry::CodecEntry* codec = nullptr;
  format::Header header;
  std::vector<std::uint8_t> header_bytes;
  core::ChunkContext context;  ///< All of it but what differs per chunk.

  [[nodiscard]] std::uint32_t header_crc() const noexcept { return format::header_crc(header_bytes); }
};

/// Checks the options and the shape. `inner_extent` are the dimensions but the outermost; `rank` is 0, or one more than theirs.
/// Errors: invalid_argument, unsupported_codec, unsupported_version.
Result<FramePlan> plan_frame(DType dtype, std::uint32_t rank, std::span<const std::uint64_t> inner_extent, const Options& options);

/// Checks a shape and plans its frame. Errors: those of plan_frame, invalid_argument if the array is impossibly large.
Result<FramePlan> plan_frame(DType dtype, const Extent& extent, const Options& options);

struct StreamPlan {
  FramePlan frame;
  std::uint64_t row_bytes = 0;  ///< Of one outermost entry.
};
/// Plans a frame whose outermost dimension is not known yet. Errors: as above.
Result<StreamPlan> plan_stream(DType dtype, std::span<const std::uint64_t> inner_extent, const Options& options);

/// The context of a codec in a frame that is read. Errors: unsupported_codec, corrupt_frame (parameters that make no sense).
Result<FramePlan> plan_decoding(format::Header header, std::span<const std::uint8_t> header_bytes);

CodecInfo info_of(const registry::CodecEntry& entry) noexcept;

}  // namespace floe::api
