// Frames that are not in memory.
#include "container/frame_index.hpp"
#include "core/guard.hpp"
#include "floe/floe.hpp"

namespace floe {

struct FrameReader::State {
  api::CallbackSource source;
  api::FrameIndex index;
};

FrameReader::FrameReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
FrameReader::FrameReader(FrameReader&&) noexcept = default;
FrameReader& FrameReader::operator=(FrameReader&&) noexcept = default;
FrameReader::~FrameReader() = default;

Result<FrameReader> FrameReader::open(ReadAt read_at, std::uint64_t frame_bytes, std::uint64_t memory_limit_bytes) {
  return api::guarded([&]() -> Result<FrameReader> {
    if (!read_at) return Status{ErrorCode::invalid_argument, 0, "there is no function to read with"};
    api::CallbackSource source(std::move(read_at));
    auto index = api::read_frame_index(source, frame_bytes, memory_limit_bytes);
    if (!index) return index.status();
    return FrameReader(std::make_unique<State>(State{std::move(source), std::move(*index)}));
  });
}

const FrameInfo& FrameReader::info() const noexcept { return state_->index.info; }

Result<ChunkCounts> FrameReader::count_chunks() {
  return api::guarded([&] { return api::count_chunks(state_->source, state_->index); });
}

Status FrameReader::decompress_slice(std::span<std::byte> out, Slice slice, const DecodeOptions& options) {
  return api::guarded([&] { return api::decode_slice(state_->source, state_->index, api::as_u8(out), slice, options); });
}

}  // namespace floe
