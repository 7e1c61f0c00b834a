// Frames in memory.
#include "container/frame_index.hpp"
#include "core/guard.hpp"
#include "floe/floe.hpp"

namespace floe {

struct FrameView::Parsed {
  mutable api::MemorySource source;  // its function is not const for the sake of other sources, but changes nothing
  api::FrameIndex index;
};

Result<FrameView> FrameView::parse(std::span<const std::byte> frame) {
  return api::guarded([&]() -> Result<FrameView> {
    api::MemorySource source(api::as_u8(frame));
    auto index = api::read_frame_index(source, frame.size());
    if (!index) return index.status();
    return FrameView(std::make_shared<const Parsed>(Parsed{source, std::move(*index)}));
  });
}

const FrameInfo& FrameView::info() const noexcept { return parsed_->index.info; }

Result<ChunkCounts> FrameView::count_chunks() const {
  return api::guarded([&] { return api::count_chunks(parsed_->source, parsed_->index); });
}

Status FrameView::decompress_slice(std::span<std::byte> out, Slice slice, const DecodeOptions& options) const {
  return api::guarded([&] { return api::decode_slice(parsed_->source, parsed_->index, api::as_u8(out), slice, options); });
}

Status FrameView::decompress(std::span<std::byte> out, const DecodeOptions& options) const {
  return decompress_slice(out, {0, info().element_count}, options);
}

}  // namespace floe
