// Recovery: a damaged frame, and what is intact of it.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/guard.hpp"
#include "floe/recover.hpp"
#include "pipeline/compact/compact_table.hpp"
#include "recovery/restoration.hpp"

namespace floe {

struct Recovery::State {
  RecoveryOptions options;
  mutable recovery::DamagedBytes bytes;
  recovery::DamagedFrame frame;
};

Recovery::Recovery(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recovery::Recovery(Recovery&&) noexcept = default;
Recovery& Recovery::operator=(Recovery&&) noexcept = default;
Recovery::~Recovery() = default;

namespace {

ReadAt reader_of(std::vector<std::uint8_t> frame) {
  return [frame = std::make_shared<std::vector<std::uint8_t>>(std::move(frame))](
             std::uint64_t offset, std::span<std::byte> to) -> Status {
    std::memcpy(to.data(), frame->data() + offset, to.size());
    return {};
  };
}

}  // namespace

Result<Recovery> Recovery::open(std::span<const std::byte> bytes, const RecoveryOptions& options) {
  const ReadAt read_at = [bytes](std::uint64_t offset, std::span<std::byte> to) -> Status {
    const auto from = bytes.subspan(static_cast<std::size_t>(offset), to.size());
    std::copy(from.begin(), from.end(), to.begin());
    return {};
  };
  return open(read_at, bytes.size(), options);
}

Result<Recovery> Recovery::open(ReadAt read_at, std::uint64_t byte_count, const RecoveryOptions& options) {
  if (!read_at) return Status{ErrorCode::invalid_argument, 0, "there is no function that reads"};
  return core::guarded([&]() -> Result<Recovery> {
    // A compact frame has no parts: it is intact or lost.
    auto compact = pipeline::expand_if_compact(container::CallbackSource(read_at), byte_count,
                                               options.memory_limit_bytes);
    if (compact.status().code == ErrorCode::out_of_memory) return compact.status();
    if (compact && *compact) {
      byte_count = (*compact)->frame.size();
      read_at = reader_of(std::move((*compact)->frame));
    }
    recovery::DamagedBytes bytes(std::move(read_at), byte_count);
    auto frame = recovery::find_frame(bytes, options);
    if (!frame && !bytes.failure().ok()) return bytes.failure();
    if (!frame && !compact)
      return Status{frame.status().code, 0, "a frame in one piece is damaged: nothing of it comes back"};
    if (!frame) return frame.status();
    RecoveryOptions kept = options;
    kept.similar_frame = {};  // need not live longer
    return Recovery(std::make_unique<State>(State{kept, std::move(bytes), std::move(*frame)}));
  });
}

const FrameInfo& Recovery::info() const noexcept { return state_->frame.info; }
HeaderSource Recovery::header_source() const noexcept { return state_->frame.header_source; }

Result<RecoveryMap> Recovery::restore(const Sink& sink, const DecodeOptions& options) const {
  if (!sink) return Status{ErrorCode::invalid_argument, 0, "there is no sink"};
  return core::guarded([&] {
    return recovery::Restoration(state_->bytes, state_->frame, state_->options, options, sink).run();
  });
}

}  // namespace floe
