// Decompression of a frame that arrives in pieces, through devices.
#include <algorithm>
#include <optional>
#include <vector>

#include "api/buffer.hpp"
#include "api/frame_index.hpp"
#include "api/guard.hpp"
#include "floe/cuda_host.hpp"
#include "offload/lease.hpp"
#include "offload/portion_decoder.hpp"

namespace floe::cuda {

/// Collects the bytes of one part of the frame after the other. Headers, heads and footers wait in memory of this object; payloads go
/// straight to where the devices read them.
struct Decompressor::State {
  enum class Part { header, head_or_footer, head, payloads, footer, done };

  State(offload::Lease use, Sink to, const DecodeOptions& decode_options)
      : lease(std::move(use)), output(to), options(decode_options), on_cpu(std::move(to), decode_options) {}

  offload::Lease lease;
  offload::SinkOutput output;
  DecodeOptions options;
  floe::Decompressor on_cpu;  ///< Does it all if the devices do not have the codec.
  bool cpu_works = false;
  bool with_prefix = false;
  Status failure;

  Part part = Part::header;
  std::vector<std::uint8_t> pending;                     ///< Of a header, head or footer that is arriving.
  std::uint64_t needed = format::smallest_header_bytes;  ///< Bytes of it that must be there before anything can be said.
  std::span<std::uint8_t> room;                          ///< For the payloads that are still to arrive.
  std::uint64_t part_offset = 0;                         ///< Of the segment, header or footer in the frame.

  std::optional<api::FramePlan> plan;
  std::optional<offload::PortionDecoder> decoder;
  FrameInfo info;
  format::SegmentHead head;
  format::Footer seen;  ///< What the footer must say.
  std::uint64_t content_bytes = 0;

  [[nodiscard]] Status corrupt(std::uint64_t offset, const char* detail) const {
    return {ErrorCode::corrupt_frame, part_offset + offset, detail};
  }

  void begin(Part next, std::uint64_t first_needed, std::uint64_t past_bytes) {
    part_offset += past_bytes;
    pending.clear();
    part = next;
    needed = first_needed;
  }

  Status take(std::span<const std::uint8_t> bytes) {
    while (!cpu_works) {
      if (part == Part::done) return bytes.empty() ? Status{} : corrupt(0, "bytes follow the end of the frame");
      if (part == Part::payloads) {
        const auto arrived = bytes.first(std::min(bytes.size(), room.size()));
        offload::copy_bytes(room.first(arrived.size()), arrived, options.threads);
        room = room.subspan(arrived.size());
        bytes = bytes.subspan(arrived.size());
        if (!room.empty()) return {};
      } else {
        const auto missing = bytes.first(std::min<std::uint64_t>(bytes.size(), needed - pending.size()));
        pending.insert(pending.end(), missing.begin(), missing.end());
        bytes = bytes.subspan(missing.size());
        if (pending.size() < needed) return {};
      }
      if (const Status status = advance(); !status.ok()) return status;
    }
    return on_cpu.write(std::as_bytes(bytes));
  }

  /// Called when what a part needs has arrived: says what more is needed, or uses the part and begins the next.
  Status advance() {
    switch (part) {
      case Part::header:
        return advance_header();
      case Part::head_or_footer:
        return tell_part();
      case Part::head:
        return use_head();
      case Part::payloads:
        return use_segment();
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
    Options codec;
    codec.codec = plan->codec->name;
    if (!lease.pool().supports(plan->header.dtype, codec)) {
      cpu_works = true;
      on_cpu.with_prefix(with_prefix);
      return on_cpu.write(std::as_bytes(std::span(pending)));
    }
    info = api::make_info(*plan, seen, 0);
    decoder.emplace(lease.pool(), *plan, output, options, false);
    begin(Part::head_or_footer, format::fixed_segment_head_bytes, pending.size());
    return with_prefix && !plan->header.prefix.empty() ? output.append(plan->header.prefix) : Status{};
  }

  [[nodiscard]] format::ExpectedSegment expected() const {
    return {plan->header, plan->header_crc(), seen.segment_offsets.size(), part_offset, plan->codec->has_history};
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
    part = Part::head;
    needed = head.head_bytes;
    return {};
  }

  Status use_head() {
    if (const Status status = format::check_segment_head(pending, head, expected()); !status.ok()) return status;
    const auto segment = decoder->room(head);
    if (!segment) return segment.status();
    std::copy(pending.begin(), pending.end(), segment->begin());
    room = segment->subspan(pending.size());
    part = Part::payloads;
    return {};
  }

  Status use_segment() {
    const std::uint64_t offset = part_offset;
    seen.segment_offsets.push_back(offset);
    content_bytes += head.content_bytes;
    begin(Part::head_or_footer, format::fixed_segment_head_bytes, head.head_bytes + head.payload_bytes);
    return decoder->fill(head, offset);
  }

  Status use_footer() {
    if (const Status status = decoder->finish(); !status.ok()) return status;
    const auto footer = format::parse_footer(pending, part_offset, plan->header);
    if (!footer) return footer.status();
    if (footer->element_count * size_of(plan->header.dtype) != content_bytes)
      return corrupt(16, "the number of elements does not match the segments");
    if (footer->segment_offsets != seen.segment_offsets) return corrupt(40, "the footer's segment offsets are wrong");
    if (footer->digest != decoder->digest()) return corrupt(24, "the frame's digest does not match its chunks");
    info = api::make_info(*plan, *footer, part_offset + pending.size());
    begin(Part::done, 0, pending.size());
    return {};
  }

  /// A fault that is found while earlier segments are still on devices comes after theirs, and after what they decode to.
  Status after_earlier_segments(const Status& fault) {
    const bool found_here =
        fault.code == ErrorCode::corrupt_frame || fault.code == ErrorCode::truncated_frame || fault.code == ErrorCode::unsupported_version;
    if (!found_here || !decoder || part == Part::footer || part == Part::done) return fault;
    const Status before = decoder->finish();
    return before.ok() ? fault : before;
  }

  Status end() {
    if (cpu_works) return on_cpu.finish();
    if (part == Part::done) return {};
    const std::uint64_t arrived = part == Part::payloads ? head.head_bytes + head.payload_bytes - room.size() : pending.size();
    return after_earlier_segments({ErrorCode::truncated_frame, part_offset + arrived, "the frame ends too early"});
  }
};

Decompressor::Decompressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;
Decompressor::~Decompressor() = default;

Result<Decompressor> Decompressor::create(const Devices& devices, Sink sink, const DecodeOptions& options) {
  return api::guarded([&]() -> Result<Decompressor> {
    if (!sink) return Status{ErrorCode::invalid_argument, 0, "there is no sink"};
    auto lease = offload::Lease::take(devices.state());
    if (!lease) return lease.status();
    return Decompressor(std::make_unique<State>(std::move(*lease), std::move(sink), options));
  });
}

void Decompressor::with_prefix(bool yes) noexcept { state_->with_prefix = yes; }

const FrameInfo* Decompressor::info() const noexcept {
  if (state_->cpu_works) return state_->on_cpu.info();
  return state_->plan ? &state_->info : nullptr;
}

bool Decompressor::on_devices() const noexcept { return state_->decoder.has_value(); }

Status Decompressor::write(std::span<const std::byte> bytes) {
  return api::run_until_failure(state_->failure, [&]() -> Status {
    const Status status = state_->take(api::as_u8(bytes));
    return status.ok() ? status : state_->after_earlier_segments(status);
  });
}

Status Decompressor::finish() {
  return api::run_until_failure(state_->failure, [&] { return state_->end(); });
}

}  // namespace floe::cuda
