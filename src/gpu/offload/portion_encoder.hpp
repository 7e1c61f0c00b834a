// Content of the host to the segments of a frame, through devices.
#pragma once

#include <cstdint>
#include <span>

#include "container/frame_plan.hpp"
#include "gpu/offload/frame_tail.hpp"
#include "gpu/offload/output.hpp"
#include "gpu/offload/portion_rules.hpp"
#include "gpu/offload/slot_ring.hpp"

namespace floe::offload {

/// Encodes the segments of one frame in order. For one thread; `plan`, `pool` and `output` outlive it. Errors
/// of all calls: device_error, out_of_memory, those of the output. After an error nothing may be called.
/// Throws std::bad_alloc.
class PortionEncoder {
 public:
  PortionEncoder(const DevicePool& pool, const api::FramePlan& plan, Output& output, std::uint32_t threads);

  /// Encodes the next portion, of rules().content_bytes() bytes unless it is the last. `content` stays as it
  /// is until finish().
  Status add(std::span<const std::uint8_t> content);

  /// Instead of add(): room for the rest of the portion that is being filled, and how much of it was filled.
  Result<std::span<std::uint8_t>> room();
  Status fill(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t waiting_bytes() const noexcept { return waiting_bytes_; }

  /// Encodes what was filled in and waits until the output has everything.
  Status finish();

  [[nodiscard]] const PortionRules& rules() const noexcept { return rules_; }
  [[nodiscard]] FrameTail& tail() noexcept { return tail_; }

 private:
  Status start(Slot& slot, std::span<const std::uint8_t> content);
  Status collect(Portion& portion);
  Status deliver(const Portion& portion);

  const DevicePool& pool_;
  PortionRules rules_;
  FrameTail tail_;
  Output& output_;
  std::uint32_t threads_;
  SlotRing ring_;
  Slot* filling_ = nullptr;
  std::span<std::uint8_t> memory_;  ///< Of the portion that is being filled.
  std::uint64_t waiting_bytes_ = 0;
};

}  // namespace floe::offload
