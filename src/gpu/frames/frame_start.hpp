// What does the host decide of a frame? Its header, which no content changes.
#pragma once

#include <vector>

#include "core/word.hpp"
#include "floe/floe.hpp"
#include "gpu/frames/job.hpp"

namespace floe::cuda {

struct FrameStart {
  CodecInfo codec;
  std::vector<std::uint8_t> header;
  FrameRules rules;
};

/// Checks the options. The header is that of a frame of the same shape without entries, or with the one
/// element of a scalar.
inline Result<FrameStart> start_frame(DType dtype, const Extent& extent, const Options& options) {
  if (!options.prefix.empty())
    return Status{ErrorCode::invalid_argument, 0, "frames made on a device have no prefix"};
  const auto codec = choose_codec(dtype, options);
  if (!codec) return codec.status();
  Extent shape = extent;
  if (shape.rank > 0) shape.size[0] = 0;
  const std::vector<std::byte> element(extent.rank == 0 ? size_of(dtype) : 0);
  Options of_header = options;
  of_header.threads = 1;
  const auto frame = compress(element, dtype, shape, of_header);
  if (!frame) return frame.status();
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(frame->data());
  FrameStart start{*codec, {}, {}};
  start.rules.header_bytes = core::load<std::uint32_t>(bytes + 20);
  start.rules.chunks_per_segment = core::load<std::uint32_t>(bytes + 16);
  start.rules.checksums = options.checksum;
  start.header.assign(bytes, bytes + start.rules.header_bytes);
  return start;
}

}  // namespace floe::cuda
