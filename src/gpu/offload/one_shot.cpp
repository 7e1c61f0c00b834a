// Whole arrays and frames in memory, through devices.
#include <algorithm>

#include "api/array_checks.hpp"
#include "container/frame_index.hpp"
#include "core/buffer.hpp"
#include "core/guard.hpp"
#include "floe/cuda_host.hpp"
#include "gpu/offload/lease.hpp"
#include "gpu/offload/portion_decoder.hpp"
#include "gpu/offload/portion_encoder.hpp"

namespace floe::cuda {
namespace {

Status add_segment(offload::PortionDecoder& decoder, const api::FrameIndex& index,
                   std::span<const std::uint8_t> frame, std::uint64_t number) {
  const std::uint64_t begin = index.segment_offset(number);
  const auto segment = frame.subspan(begin, index.segment_offset(number + 1) - begin);
  const format::ExpectedSegment expected{index.plan.header, index.plan.header_crc(), number, begin,
                                         index.plan.codec->has_history};
  const auto head = format::parse_fixed_segment_head(segment, expected);
  if (!head) return head.status();
  if (head->content_bytes != index.content_bytes_of(number))
    return {ErrorCode::corrupt_frame, begin + 16, "a segment's content has the wrong length"};
  if (head->head_bytes + head->payload_bytes != segment.size())
    return {ErrorCode::corrupt_frame, begin + 24, "a segment does not end where the next one begins"};
  if (const Status status = format::check_segment_head(segment.first(head->head_bytes), *head, expected);
      !status.ok())
    return status;
  return decoder.add(*head, segment, begin);
}

}  // namespace

std::uint32_t Devices::count() const noexcept { return state_->pool->device_count(); }

bool Devices::supports(DType dtype, const Options& options) const {
  return state_->pool->supports(dtype, options);
}

Result<std::size_t> Devices::compress_into(std::span<std::byte> out, std::span<const std::byte> in,
                                           DType dtype, const Extent& extent, const Options& options) {
  return core::guarded([&]() -> Result<std::size_t> {
    auto plan = api::plan_frame(dtype, extent, options);
    if (!plan) return plan.status();
    if (const Status status = api::check_input(in, dtype, extent); !status.ok()) return status;
    if (api::overlap(in, out)) return Status{ErrorCode::invalid_argument, 0, "input and output overlap"};
    if (!supports(dtype, options))
      return Status{ErrorCode::unsupported_codec, 0, "the devices do not have this codec"};
    const auto lease = offload::Lease::take(state_);
    if (!lease) return lease.status();

    const offload::DevicePool& pool = lease->pool();
    offload::MemoryOutput output(core::as_u8(out), pool.reaches(core::as_u8(out)), options.threads);
    if (const Status status = output.append(plan->header_bytes); !status.ok()) return status;
    offload::PortionEncoder encoder(pool, *plan, output, options.threads);
    for (auto rest = core::as_u8(in); !rest.empty();) {
      const auto content = rest.first(std::min<std::uint64_t>(rest.size(), encoder.rules().content_bytes()));
      if (const Status status = encoder.add(content); !status.ok()) return status;
      rest = rest.subspan(content.size());
    }
    if (const Status status = encoder.finish(); !status.ok()) return status;
    const auto footer = encoder.tail().footer(extent.rank == 0 ? 1 : extent.size[0]);
    if (const Status status = output.append(footer); !status.ok()) return status;
    return output.placed_bytes();
  });
}

Status Devices::decompress(std::span<std::byte> out, std::span<const std::byte> frame,
                           const DecodeOptions& options) {
  return core::guarded([&]() -> Status {
    api::MemorySource source(core::as_u8(frame));
    const auto index = api::read_frame_index(source, frame.size());
    if (!index) return index.status();
    if (out.size() != index->info.array_bytes())
      return {ErrorCode::invalid_argument, 0, "the output's size is not that of the array"};
    Options codec;
    codec.codec = index->plan.codec->name;
    if (!supports(index->info.dtype, codec))
      return {ErrorCode::unsupported_codec, 0, "the devices do not have this codec"};
    const auto lease = offload::Lease::take(state_);
    if (!lease) return lease.status();

    const offload::DevicePool& pool = lease->pool();
    offload::MemoryOutput output(core::as_u8(out), pool.reaches(core::as_u8(out)), options.threads);
    offload::PortionDecoder decoder(pool, index->plan, output, options, pool.reaches(core::as_u8(frame)));
    for (std::uint64_t i = 0; i < index->footer.segment_offsets.size(); ++i) {
      const Status status = add_segment(decoder, *index, core::as_u8(frame), i);
      if (status.ok()) continue;
      const Status before = decoder.finish();  // an earlier segment may be damaged, too
      return before.ok() ? status : before;
    }
    if (const Status status = decoder.finish(); !status.ok()) return status;
    if (decoder.digest() != index->footer.digest)
      return {ErrorCode::corrupt_frame, index->footer_offset + 24,
              "the frame's digest does not match its chunks"};
    return {};
  });
}

}  // namespace floe::cuda
