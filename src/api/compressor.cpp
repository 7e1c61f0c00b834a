// Compression of a stream whose length is not known.
#include <algorithm>
#include <cstring>

#include "core/buffer.hpp"
#include "api/frame_encoder.hpp"
#include "core/guard.hpp"
#include "floe/floe.hpp"

namespace floe {

struct Compressor::State {
  State(Sink to, api::FramePlan plan, const Options& options, std::uint64_t row)
      : sink(std::move(to)), encoder(std::move(plan), options), row_bytes(row) {
    const std::uint64_t segment_bytes = encoder.plan().header.segment_bytes();
    piece_bytes = encoder.plan().codec->has_history ? segment_bytes : std::min(segment_bytes, encoder.good_piece_bytes());
  }

  Sink sink;
  api::FrameEncoder encoder;
  std::uint64_t row_bytes;          ///< Bytes of one outermost entry.
  std::uint64_t piece_bytes;        ///< Content that is encoded at once: a whole segment for codecs with history.
  std::uint64_t encoded_bytes = 0;  ///< Content of the segment that is being filled, as far as it is encoded.
  api::Buffer memory;               ///< For the piece that is being filled.
  std::uint64_t waiting_bytes = 0;  ///< In it.
  bool header_written = false;
  Status failure;  ///< The first one; later calls return it.

  Status emit(std::span<const std::uint8_t> bytes) { return sink(std::as_bytes(bytes)); }

  Status write_header() {
    if (header_written) return {};
    header_written = true;
    return emit(encoder.header());
  }

  /// Encodes the next piece of a segment, and writes the segment if it is complete or nothing follows.
  Status encode(std::span<const std::uint8_t> piece, bool last) {
    if (const Status status = write_header(); !status.ok()) return status;
    if (encoder.plan().codec->has_history) return emit(encoder.segment(piece));
    if (encoded_bytes == 0) encoder.begin_segment();
    encoder.add_to_segment(piece);
    encoded_bytes += piece.size();
    if (!last && encoded_bytes < encoder.plan().header.segment_bytes()) return {};
    encoded_bytes = 0;
    return emit(encoder.finish_segment());
  }

  Status take(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const std::uint64_t wanted = std::min(piece_bytes, encoder.plan().header.segment_bytes() - encoded_bytes);
      if (waiting_bytes == 0 && bytes.size() >= wanted) {  // straight from the caller's memory
        if (const Status status = encode(bytes.first(wanted), false); !status.ok()) return status;
        bytes = bytes.subspan(wanted);
        continue;
      }
      const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), wanted - waiting_bytes));
      const auto piece = memory.reserve(piece_bytes).first(wanted);
      std::memcpy(piece.data() + waiting_bytes, part.data(), part.size());
      waiting_bytes += part.size();
      bytes = bytes.subspan(part.size());
      if (waiting_bytes < wanted) continue;
      waiting_bytes = 0;
      if (const Status status = encode(piece, false); !status.ok()) return status;
    }
    return {};
  }

  Status end() {
    const std::uint64_t all = encoder.content_bytes() + encoded_bytes + waiting_bytes;
    if (row_bytes == 0 ? all != 0 : all % row_bytes != 0)
      return {ErrorCode::invalid_argument, 0, "the stream is no whole number of outermost entries"};
    if (encoded_bytes + waiting_bytes != 0) {
      if (const Status status = encode(memory.reserve(piece_bytes).first(waiting_bytes), true); !status.ok()) return status;
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
    auto planned = api::plan_stream(dtype, inner_extent, options);
    if (!planned) return planned.status();
    return Compressor(std::make_unique<State>(std::move(sink), std::move(planned->frame), options, planned->row_bytes));
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
