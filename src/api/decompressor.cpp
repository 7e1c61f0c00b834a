// Decompression of a frame that arrives in pieces.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "api/frame_index.hpp"
#include "api/guard.hpp"
#include "api/segment_decoder.hpp"
#include "floe/floe.hpp"

namespace floe {

/// Collects the bytes of one part of the frame after the other. A part's length becomes known as its first bytes arrive.
struct Decompressor::State {
  enum class Part { header, segment_or_footer, segment_head, payloads, footer, done };

  State(Sink to, const DecodeOptions& decode_options) : sink(std::move(to)), options(decode_options) {
    if (!sink) failure = {ErrorCode::invalid_argument, 0, "there is no sink"};
  }

  Sink sink;
  DecodeOptions options;
  bool with_prefix = false;
  Status failure;

  Part part = Part::header;
  std::vector<std::uint8_t> pending;                     ///< Of the part that is arriving.
  std::uint64_t needed = format::smallest_header_bytes;  ///< Bytes of the part that must be there before anything can be said.
  std::uint64_t part_offset = 0;                         ///< Of the part in the frame.

  std::optional<api::FramePlan> plan;
  std::optional<api::SegmentDecoder> decoder;
  FrameInfo info;
  format::SegmentHead head;
  std::vector<std::uint8_t> head_bytes;  ///< Of the segment whose payloads arrive.
  std::uint64_t segment_offset = 0;
  api::ChunkRange piece;  ///< Chunks whose payloads are waited for, to be decoded together.
  format::Footer seen;    ///< What the footer must say.
  format::Digest digest;
  std::uint64_t content_bytes = 0;
  api::Buffer output;

  Status corrupt(std::uint64_t offset, const char* detail) const { return {ErrorCode::corrupt_frame, part_offset + offset, detail}; }

  void begin(Part next, std::uint64_t used_bytes, std::uint64_t first_needed) {
    part_offset += used_bytes;
    pending.clear();
    part = next;
    needed = first_needed;
  }

  Status take(std::span<const std::uint8_t> bytes) {
    while (true) {
      if (part == Part::done) return bytes.empty() ? Status{} : corrupt(0, "bytes follow the end of the frame");
      if (part == Part::payloads && pending.empty() && bytes.size() >= needed) {  // straight from the caller's memory
        const auto payloads = bytes.first(needed);
        bytes = bytes.subspan(needed);
        if (const Status status = use_payloads(payloads); !status.ok()) return status;
        continue;
      }
      const auto missing = bytes.first(std::min<std::uint64_t>(bytes.size(), needed - pending.size()));
      pending.insert(pending.end(), missing.begin(), missing.end());
      bytes = bytes.subspan(missing.size());
      if (pending.size() < needed) return {};
      if (const Status status = advance(); !status.ok()) return status;
    }
  }

  /// Called when `needed` bytes of a part have arrived: says what more is needed, or uses the part and begins the next.
  Status advance() {
    switch (part) {
      case Part::header:
        return advance_header();
      case Part::segment_or_footer:
        return tell_part();
      case Part::segment_head:
        return use_segment_head();
      case Part::payloads:
        return use_payloads(pending);
      case Part::footer:
        return use_footer();
      case Part::done:
        break;
    }
    return {};
  }

  Status advance_header() {
    const auto length = format::header_length(pending);
    if (!length) return length.status();
    if (needed != *length) {
      needed = *length;
      if (pending.size() < needed) return {};
    }
    auto header = format::parse_header(pending);
    if (!header) return header.status();
    auto decoding = api::plan_decoding(std::move(*header), pending);
    if (!decoding) return decoding.status();
    plan = std::move(*decoding);
    decoder.emplace(*plan, options);
    info = api::make_info(*plan, seen, 0);
    if (with_prefix && !info.prefix.empty()) {
      if (const Status status = sink(info.prefix); !status.ok()) return status;
    }
    begin(Part::segment_or_footer, pending.size(), format::fixed_segment_head_bytes);
    return {};
  }

  /// Both kinds of parts are at least as long as the fixed head of a segment.
  static_assert(format::fixed_footer_bytes >= format::fixed_segment_head_bytes);
  Status tell_part() {
    if (core::load<std::uint32_t>(pending.data()) == format::footer_magic) {
      const auto length = format::footer_length_from_start(pending, part_offset, seen.segment_offsets.size());
      if (!length) return length.status();
      part = Part::footer;
      needed = *length;
      return {};
    }
    if (content_bytes % plan->header.segment_bytes() != 0) return corrupt(0, "a segment follows one that is not full");
    const auto fixed = format::parse_fixed_segment_head(pending, expected());
    if (!fixed) return fixed.status();
    head = *fixed;
    part = Part::segment_head;
    needed = head.head_bytes;
    return {};
  }

  [[nodiscard]] format::ExpectedSegment expected() const {
    return {plan->header, plan->header_crc(), seen.segment_offsets.size(), part_offset, plan->codec->has_history};
  }

  Status use_segment_head() {
    if (const Status status = format::check_segment_head(pending, head, expected()); !status.ok()) return status;
    head_bytes.assign(pending.begin(), pending.end());
    segment_offset = part_offset;
    begin(Part::payloads, head_bytes.size(), 0);
    return wait_for_piece(0);
  }

  [[nodiscard]] api::CheckedSegment segment() const { return {head, head_bytes, segment_offset}; }

  /// A whole segment if it has a history, else as many chunks as are worth it.
  Status wait_for_piece(std::uint64_t first_chunk) {
    const bool whole = head.kind == format::kind_history;
    const std::uint64_t piece_chunks = decoder->good_piece_bytes() / core::chunk_bytes;
    piece = {first_chunk, whole ? head.chunk_count : std::min(head.chunk_count, first_chunk + piece_chunks)};
    const auto table = format::table_of(std::span<const std::uint8_t>(head_bytes), head, plan->header.checksums);
    const std::uint64_t end = piece.end == head.chunk_count ? head.payload_bytes : table.payload_offset(piece.end);
    needed = end - table.payload_offset(piece.first);
    return api::check_memory(head, head.head_bytes + needed + piece_bytes(), options);
  }

  /// Of the content that the piece decodes to.
  [[nodiscard]] std::uint64_t piece_bytes() const {
    return std::min(head.content_bytes, piece.end * core::chunk_bytes) - piece.first * core::chunk_bytes;
  }

  Status use_payloads(std::span<const std::uint8_t> payloads) {
    const auto content = output.reserve(piece_bytes());
    const Status decoded = decoder->decode(segment(), payloads, piece.first * core::chunk_bytes, content);
    if (!decoded.ok()) return decoded;
    begin(Part::payloads, payloads.size(), 0);
    content_bytes += content.size();
    if (piece.end == head.chunk_count) {
      api::add_to_digest(digest, segment(), plan->header.checksums);
      seen.segment_offsets.push_back(segment_offset);
      begin(Part::segment_or_footer, 0, format::fixed_segment_head_bytes);
    } else if (const Status status = wait_for_piece(piece.end); !status.ok()) {
      return status;
    }
    return sink(std::as_bytes(content));
  }

  Status use_footer() {
    const auto footer = format::parse_footer(pending, part_offset, plan->header);
    if (!footer) return footer.status();
    if (footer->element_count * size_of(plan->header.dtype) != content_bytes)
      return corrupt(16, "the number of elements does not match the segments");
    if (footer->segment_offsets != seen.segment_offsets) return corrupt(40, "the footer's segment offsets are wrong");
    if (footer->digest != digest.value()) return corrupt(24, "the frame's digest does not match its chunks");
    info = api::make_info(*plan, *footer, part_offset + pending.size());
    begin(Part::done, pending.size(), 0);
    return {};
  }

  template <class Step>
  Status run(Step&& step) {
    return api::run_until_failure(failure, std::forward<Step>(step));
  }
};

Decompressor::Decompressor(Sink sink, const DecodeOptions& options) : state_(std::make_unique<State>(std::move(sink), options)) {}
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;
Decompressor::~Decompressor() = default;

void Decompressor::with_prefix(bool yes) noexcept { state_->with_prefix = yes; }

const FrameInfo* Decompressor::info() const noexcept { return state_->plan ? &state_->info : nullptr; }

Status Decompressor::write(std::span<const std::byte> bytes) {
  return state_->run([&] { return state_->take(api::as_u8(bytes)); });
}

Status Decompressor::finish() {
  return state_->run([&]() -> Status {
    if (state_->part == State::Part::done) return {};
    return {ErrorCode::truncated_frame, state_->part_offset + state_->pending.size(), "the frame ends too early"};
  });
}

}  // namespace floe
