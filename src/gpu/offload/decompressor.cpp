// Decompression of a frame that arrives in pieces, through devices.
#include <algorithm>
#include <optional>

#include "container/frame_parts.hpp"
#include "core/buffer.hpp"
#include "core/guard.hpp"
#include "floe/cuda_host.hpp"
#include "gpu/offload/lease.hpp"
#include "gpu/offload/portion_decoder.hpp"

namespace floe::cuda {

/// Payloads go straight to where the devices read them; FrameParts takes what lies between them.
struct Decompressor::State {
  State(offload::Lease use, Sink to, const DecodeOptions& decode_options)
      : lease(std::move(use)), output(to), options(decode_options), on_cpu(std::move(to), decode_options) {}

  offload::Lease lease;
  offload::SinkOutput output;
  DecodeOptions options;
  floe::Decompressor on_cpu;  ///< Does it all if the devices do not have the codec.
  bool cpu_works = false;
  bool with_prefix = false;
  Status failure;

  api::FrameParts parts;
  std::optional<offload::PortionDecoder> decoder;
  bool in_payloads = false;
  std::span<std::uint8_t> room;  ///< For the payloads that are still to arrive.

  Status take(std::span<const std::uint8_t> bytes) {
    while (!cpu_works) {
      if (in_payloads) {
        const auto arrived = bytes.first(std::min(bytes.size(), room.size()));
        offload::copy_bytes(room.first(arrived.size()), arrived, options.threads);
        room = room.subspan(arrived.size());
        bytes = bytes.subspan(arrived.size());
        if (!room.empty()) return {};
        if (const Status status = use_segment(); !status.ok()) return status;
        continue;
      }
      const auto complete = parts.take(bytes);
      if (!complete) return complete.status();
      if (*complete == api::FrameParts::Complete::nothing) return {};
      if (const Status status = use_part(*complete); !status.ok()) return status;
    }
    return on_cpu.write(std::as_bytes(bytes));
  }

  Status use_part(api::FrameParts::Complete part) {
    switch (part) {
      case api::FrameParts::Complete::nothing:
        break;
      case api::FrameParts::Complete::header:
        return use_header();
      case api::FrameParts::Complete::segment_head:
        return use_head();
      case api::FrameParts::Complete::footer:
        if (const Status status = decoder->finish(); !status.ok()) return status;
        return parts.end_footer(decoder->digest());
    }
    return {};
  }

  Status use_header() {
    const api::FramePlan& plan = *parts.plan();
    Options codec;
    codec.codec = plan.codec->name;
    if (!lease.pool().supports(plan.header.dtype, codec)) {
      cpu_works = true;
      on_cpu.with_prefix(with_prefix);
      return on_cpu.write(std::as_bytes(parts.collected()));
    }
    decoder.emplace(lease.pool(), plan, output, options, false);
    parts.end_header();
    return with_prefix && !plan.header.prefix.empty() ? output.append(plan.header.prefix) : Status{};
  }

  Status use_head() {
    const auto segment = decoder->room(parts.head());
    if (!segment) return segment.status();
    const auto head_bytes = parts.collected();
    std::copy(head_bytes.begin(), head_bytes.end(), segment->begin());
    room = segment->subspan(head_bytes.size());
    in_payloads = true;
    return {};
  }

  Status use_segment() {
    const std::uint64_t offset = parts.offset();
    in_payloads = false;
    parts.end_segment();
    return decoder->fill(parts.head(), offset);
  }

  /// A fault that is found while earlier segments are still on devices comes after theirs, and after what
  /// they decode to.
  Status after_earlier_segments(const Status& fault) {
    const bool found_here = fault.code == ErrorCode::corrupt_frame ||
                            fault.code == ErrorCode::truncated_frame ||
                            fault.code == ErrorCode::unsupported_version;
    if (!found_here || !decoder || !parts.is_in_segments()) return fault;
    const Status before = decoder->finish();
    return before.ok() ? fault : before;
  }

  Status end() {
    if (cpu_works) return on_cpu.finish();
    if (parts.is_at_end()) return {};
    const std::uint64_t payload_bytes = in_payloads ? parts.head().payload_bytes - room.size() : 0;
    return after_earlier_segments(
        {ErrorCode::truncated_frame, parts.taken_bytes() + payload_bytes, "the frame ends too early"});
  }
};

Decompressor::Decompressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;
Decompressor::~Decompressor() = default;

Result<Decompressor> Decompressor::create(const Devices& devices, Sink sink, const DecodeOptions& options) {
  return core::guarded([&]() -> Result<Decompressor> {
    if (!sink) return Status{ErrorCode::invalid_argument, 0, "there is no sink"};
    auto lease = offload::Lease::take(devices.state());
    if (!lease) return lease.status();
    return Decompressor(std::make_unique<State>(std::move(*lease), std::move(sink), options));
  });
}

void Decompressor::with_prefix(bool yes) noexcept { state_->with_prefix = yes; }

const FrameInfo* Decompressor::info() const noexcept {
  if (state_->cpu_works) return state_->on_cpu.info();
  return state_->parts.info();
}

bool Decompressor::on_devices() const noexcept { return state_->decoder.has_value(); }

Status Decompressor::write(std::span<const std::byte> bytes) {
  return core::run_until_failure(state_->failure, [&]() -> Status {
    const Status status = state_->take(core::as_u8(bytes));
    return status.ok() ? status : state_->after_earlier_segments(status);
  });
}

Status Decompressor::finish() {
  return core::run_until_failure(state_->failure, [&] { return state_->end(); });
}

}  // namespace floe::cuda
