// Decompression of a frame that arrives in pieces.
#include <algorithm>
#include <optional>
#include <vector>

#include "container/frame_parts.hpp"
#include "core/guard.hpp"
#include "chunks/segment_decoder.hpp"
#include "floe/floe.hpp"

namespace floe {

/// Takes payloads a few chunks at a time; FrameParts takes what lies between them.
struct Decompressor::State {
  State(Sink to, const DecodeOptions& decode_options) : sink(std::move(to)), options(decode_options) {
    if (!sink) failure = {ErrorCode::invalid_argument, 0, "there is no sink"};
  }

  Sink sink;
  DecodeOptions options;
  bool with_prefix = false;
  Status failure;

  api::FrameParts parts;
  std::optional<api::SegmentDecoder> decoder;
  bool in_payloads = false;
  api::ChunkRange piece;                 ///< Chunks whose payloads are waited for, to be decoded together.
  std::vector<std::uint8_t> pending;     ///< What arrived of these payloads, unless all came at once.
  std::uint64_t needed = 0;              ///< Bytes of these payloads.
  std::uint64_t used_payload_bytes = 0;  ///< Of the segment.
  format::Digest digest;
  api::Buffer output;

  Status take(std::span<const std::uint8_t> bytes) {
    for (;;) {
      if (in_payloads) {
        const bool is_here = pending.empty() && bytes.size() >= needed;  // straight from the caller's memory
        const auto missing = bytes.first(std::min<std::uint64_t>(bytes.size(), needed - pending.size()));
        if (!is_here) pending.insert(pending.end(), missing.begin(), missing.end());
        bytes = bytes.subspan(missing.size());
        if (!is_here && pending.size() < needed) return {};
        if (const Status status = use_payloads(is_here ? missing : pending); !status.ok()) return status;
        continue;
      }
      const auto complete = parts.take(bytes);
      if (!complete) return complete.status();
      if (*complete == api::FrameParts::Complete::nothing) return {};
      if (const Status status = use_part(*complete); !status.ok()) return status;
    }
  }

  Status use_part(api::FrameParts::Complete part) {
    switch (part) {
      case api::FrameParts::Complete::nothing:
        break;
      case api::FrameParts::Complete::header:
        return use_header();
      case api::FrameParts::Complete::segment_head:
        in_payloads = true;
        used_payload_bytes = 0;
        return wait_for_piece(0);
      case api::FrameParts::Complete::footer:
        return parts.end_footer(digest.value());
    }
    return {};
  }

  Status use_header() {
    decoder.emplace(*parts.plan(), options);
    parts.end_header();
    const auto prefix = parts.info()->prefix;
    return with_prefix && !prefix.empty() ? sink(prefix) : Status{};
  }

  [[nodiscard]] const format::SegmentHead& head() const { return parts.head(); }
  [[nodiscard]] api::CheckedSegment segment() const { return {head(), parts.collected(), parts.offset()}; }

  /// A whole segment if it has a history, else as many chunks as are worth it.
  Status wait_for_piece(std::uint64_t first_chunk) {
    const bool whole = head().kind == format::kind_history;
    const std::uint64_t piece_chunks = decoder->good_piece_bytes() / core::chunk_bytes;
    piece = {first_chunk, whole ? head().chunk_count : std::min(head().chunk_count, first_chunk + piece_chunks)};
    const auto table = format::table_of(parts.collected(), head(), parts.plan()->header.checksums);
    const std::uint64_t end = piece.end == head().chunk_count ? head().payload_bytes : table.payload_offset(piece.end);
    needed = end - table.payload_offset(piece.first);
    return api::check_memory(head(), head().head_bytes + needed + piece_bytes(), options);
  }

  /// Of the content that the piece decodes to.
  [[nodiscard]] std::uint64_t piece_bytes() const {
    return std::min(head().content_bytes, piece.end * core::chunk_bytes) - piece.first * core::chunk_bytes;
  }

  Status use_payloads(std::span<const std::uint8_t> payloads) {
    const auto content = output.reserve(piece_bytes());
    const Status decoded = decoder->decode(segment(), payloads, piece.first * core::chunk_bytes, content);
    if (!decoded.ok()) return decoded;
    used_payload_bytes += payloads.size();
    pending.clear();
    if (piece.end == head().chunk_count) {
      api::add_to_digest(digest, segment(), parts.plan()->header.checksums);
      in_payloads = false;
      parts.end_segment();
    } else if (const Status status = wait_for_piece(piece.end); !status.ok()) {
      return status;
    }
    return sink(std::as_bytes(content));
  }

  Status end() const {
    if (parts.is_at_end()) return {};
    const std::uint64_t payload_bytes = in_payloads ? used_payload_bytes + pending.size() : 0;
    return {ErrorCode::truncated_frame, parts.taken_bytes() + payload_bytes, "the frame ends too early"};
  }
};

Decompressor::Decompressor(Sink sink, const DecodeOptions& options) : state_(std::make_unique<State>(std::move(sink), options)) {}
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;
Decompressor::~Decompressor() = default;

void Decompressor::with_prefix(bool yes) noexcept { state_->with_prefix = yes; }

const FrameInfo* Decompressor::info() const noexcept { return state_->parts.info(); }

Status Decompressor::write(std::span<const std::byte> bytes) {
  return api::run_until_failure(state_->failure, [&] { return state_->take(api::as_u8(bytes)); });
}

Status Decompressor::finish() {
  return api::run_until_failure(state_->failure, [&] { return state_->end(); });
}

}  // namespace floe
