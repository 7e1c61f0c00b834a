// Compression of a stream whose length is not known.
#include <algorithm>
#include <cstring>
#include <vector>

#include "api/frame_encoder.hpp"
#include "api/guard.hpp"
#include "core/checked_math.hpp"
#include "floe/floe.hpp"

namespace floe {

struct Compressor::State {
  State(Sink to, api::FramePlan plan, std::uint32_t threads, std::uint64_t row)
      : sink(std::move(to)), encoder(std::move(plan), threads), row_bytes(row) {}

  Sink sink;
  api::FrameEncoder encoder;
  std::uint64_t row_bytes;            ///< Bytes of one outermost entry.
  std::vector<std::uint8_t> content;  ///< Of the segment that is being filled.
  bool header_written = false;
  Status failure;  ///< The first one; later calls return it.

  Status emit(std::span<const std::uint8_t> bytes) { return sink(std::as_bytes(bytes)); }

  Status write_header() {
    if (header_written) return {};
    header_written = true;
    return emit(encoder.header());
  }

  Status write_segment(std::span<const std::uint8_t> bytes) {
    if (const Status status = write_header(); !status.ok()) return status;
    return emit(encoder.segment(bytes));
  }

  Status take(std::span<const std::uint8_t> bytes) {
    const std::uint64_t segment_bytes = encoder.plan().header.segment_bytes();
    while (!bytes.empty()) {
      if (content.empty() && bytes.size() >= segment_bytes) {  // straight from the caller's memory
        if (const Status status = write_segment(bytes.first(segment_bytes)); !status.ok()) return status;
        bytes = bytes.subspan(segment_bytes);
        continue;
      }
      const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), segment_bytes - content.size()));
      content.insert(content.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (content.size() < segment_bytes) continue;
      if (const Status status = write_segment(content); !status.ok()) return status;
      content.clear();
    }
    return {};
  }

  Status end() {
    const std::uint64_t all = encoder.content_bytes() + content.size();
    if (row_bytes == 0 ? all != 0 : all % row_bytes != 0)
      return {ErrorCode::invalid_argument, 0, "the stream is no whole number of outermost entries"};
    if (!content.empty()) {
      if (const Status status = write_segment(content); !status.ok()) return status;
    }
    if (const Status status = write_header(); !status.ok()) return status;
    return emit(encoder.footer(row_bytes == 0 ? 0 : all / row_bytes));
  }

  template <class Step>
  Status run(Step&& step) {
    return api::run_until_failure(failure, std::forward<Step>(step));
  }
};

Compressor::Compressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;
Compressor::~Compressor() = default;

Result<Compressor> Compressor::create(Sink sink, DType dtype, std::span<const std::uint64_t> inner_extent, const Options& options) {
  return api::guarded([&]() -> Result<Compressor> {
    if (!sink) return Status{ErrorCode::invalid_argument, 0, "there is no sink"};
    auto plan =
        api::plan_frame(dtype, static_cast<std::uint32_t>(std::min<std::size_t>(inner_extent.size(), max_rank)) + 1, inner_extent, options);
    if (!plan) return plan.status();
    Extent row;
    row.rank = static_cast<std::uint32_t>(inner_extent.size());
    std::copy(inner_extent.begin(), inner_extent.end(), row.size.begin());
    const auto elements = row.element_count();
    const auto row_bytes = elements ? core::checked_multiply(*elements, size_of(dtype)) : std::nullopt;
    if (!row_bytes) return Status{ErrorCode::invalid_argument, 0, "an outermost entry is larger than 2^64 bytes"};
    return Compressor(std::make_unique<State>(std::move(sink), std::move(*plan), options.threads, *row_bytes));
  });
}

Status Compressor::write(std::span<const std::byte> bytes) {
  return state_->run([&] { return state_->take(api::as_u8(bytes)); });
}

Status Compressor::finish() {
  const Status status = state_->run([&] { return state_->end(); });
  if (status.ok()) state_->failure = {ErrorCode::invalid_argument, 0, "the stream was finished already"};
  return status;
}

}  // namespace floe
