// Segments of a frame in the host's memory to their content, through devices.
#pragma once

#include <cstdint>
#include <span>

#include "container/digest.hpp"
#include "container/frame_plan.hpp"
#include "container/segment_head.hpp"
#include "gpu/offload/output.hpp"
#include "gpu/offload/portion_rules.hpp"
#include "gpu/offload/slot_ring.hpp"

namespace floe::offload {

/// Decodes the segments of one frame in order. For one thread; `plan`, `pool` and `output` outlive it.
/// Segments come with heads that format::check_segment_head has checked. Errors of all calls: corrupt_frame,
/// device_error, out_of_memory, those of the output; after an error nothing may be called. The first fault of
/// the frame is what a decoder on the CPU reports. Throws std::bad_alloc.
class PortionDecoder {
 public:
  /// `direct`: segments that are added lie in memory that the devices can read.
  PortionDecoder(const DevicePool& pool, const api::FramePlan& plan, Output& output,
                 const DecodeOptions& options, bool direct);

  /// Decodes the next segment. It stays as it is until finish().
  Status add(const format::SegmentHead& head, std::span<const std::uint8_t> segment,
             std::uint64_t frame_offset);

  /// Instead of add(), in two steps: room for the next segment, and that it lies there now.
  Result<std::span<std::uint8_t>> room(const format::SegmentHead& head);
  Status fill(const format::SegmentHead& head, std::uint64_t frame_offset);

  /// Decodes what was added and waits until the output has everything.
  Status finish();

  /// Of all chunks that were added.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_.value(); }

 private:
  [[nodiscard]] std::uint64_t staged_bytes(const format::SegmentHead& head) const {
    return direct_ ? head.head_bytes : head.head_bytes + head.payload_bytes;
  }
  /// Staging memory for the bytes of a segment that are staged.
  Result<std::span<std::uint8_t>> stage(const format::SegmentHead& head);
  Status add_part(const SegmentPart& part);
  Status start();
  Status collect(Portion& portion);
  Status deliver(const Portion& portion);
  Status explain(const Portion& portion) const;

  const api::FramePlan& plan_;
  PortionRules rules_;
  Output& output_;
  DecodeOptions options_;
  bool direct_;
  std::uint32_t slot_count_;
  SlotRing ring_;
  format::Digest digest_;

  // The portion that is being filled
  Portion filling_;
  std::span<std::uint8_t>
      memory_;  ///< Header and footer of its frame, then the staged bytes of its segments.
  std::uint64_t used_bytes_ = 0;
};

}  // namespace floe::offload
