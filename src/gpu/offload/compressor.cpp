// Compression of a stream whose length is not known, through devices.
#include <algorithm>
#include <cstring>

#include "core/buffer.hpp"
#include "core/guard.hpp"
#include "floe/cuda_host.hpp"
#include "gpu/offload/lease.hpp"
#include "gpu/offload/portion_encoder.hpp"

namespace floe::cuda {

struct Compressor::State {
  State(offload::Lease use, Sink sink, api::FramePlan frame_plan, const Options& options, std::uint64_t row)
      : lease(std::move(use)),
        plan(std::move(frame_plan)),
        output(std::move(sink)),
        encoder(lease.pool(), plan, output, options.threads),
        threads(options.threads),
        row_bytes(row) {}

  offload::Lease lease;
  api::FramePlan plan;
  offload::SinkOutput output;
  offload::PortionEncoder encoder;
  std::uint32_t threads;
  std::uint64_t row_bytes;          ///< Bytes of one outermost entry.
  std::uint64_t content_bytes = 0;  ///< So far.
  bool header_written = false;
  Status failure;  ///< The first one; later calls return it.

  Status write_header() {
    if (header_written) return {};
    header_written = true;
    return output.append(plan.header_bytes);
  }

  Status take(std::span<const std::uint8_t> bytes) {
    if (const Status status = write_header(); !status.ok()) return status;
    while (!bytes.empty()) {
      const auto room = encoder.room();
      if (!room) return room.status();
      const auto part = bytes.first(std::min(bytes.size(), room->size()));
      offload::copy_bytes(room->first(part.size()), part, threads);
      content_bytes += part.size();
      bytes = bytes.subspan(part.size());
      if (const Status status = encoder.fill(part.size()); !status.ok()) return status;
    }
    return {};
  }

  Status end() {
    if (row_bytes == 0 ? content_bytes != 0 : content_bytes % row_bytes != 0)
      return {ErrorCode::invalid_argument, 0, "the stream is no whole number of outermost entries"};
    if (const Status status = write_header(); !status.ok()) return status;
    if (const Status status = encoder.finish(); !status.ok()) return status;
    return output.append(encoder.tail().footer(row_bytes == 0 ? 0 : content_bytes / row_bytes));
  }
};

Compressor::Compressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;
Compressor::~Compressor() = default;

Result<Compressor> Compressor::create(const Devices& devices, Sink sink, DType dtype,
                                      std::span<const std::uint64_t> inner_extent, const Options& options) {
  return core::guarded([&]() -> Result<Compressor> {
    if (!sink) return Status{ErrorCode::invalid_argument, 0, "there is no sink"};
    auto planned = api::plan_stream(dtype, inner_extent, options);
    if (!planned) return planned.status();
    if (!devices.supports(dtype, options))
      return Status{ErrorCode::unsupported_codec, 0, "the devices do not have this codec"};
    auto lease = offload::Lease::take(devices.state());
    if (!lease) return lease.status();
    return Compressor(std::make_unique<State>(std::move(*lease), std::move(sink), std::move(planned->frame),
                                              options, planned->row_bytes));
  });
}

Status Compressor::write(std::span<const std::byte> bytes) {
  return core::run_until_failure(state_->failure, [&] { return state_->take(core::as_u8(bytes)); });
}

Status Compressor::finish() {
  const Status status = core::run_until_failure(state_->failure, [&] { return state_->end(); });
  if (status.ok()) state_->failure = {ErrorCode::invalid_argument, 0, "the stream was finished already"};
  return status;
}

}  // namespace floe::cuda
