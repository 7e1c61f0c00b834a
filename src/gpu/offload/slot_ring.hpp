// In which order do portions go through the slots of all devices?
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "container/segment_head.hpp"
#include "gpu/offload/slot.hpp"

namespace floe::offload {

/// One segment of a frame that is decoded.
struct SegmentPart {
  format::SegmentHead head;
  std::span<const std::uint8_t> head_bytes;  ///< As it stands in the frame but for what ties it to its frame.
  std::span<const std::uint8_t> payloads;
  std::uint64_t frame_offset = 0;  ///< For error messages.
};

/// Consecutive segments that a device works on at once.
struct Portion {
  Slot* slot = nullptr;
  std::uint64_t content_bytes = 0;
  std::vector<SegmentPart> segments;  ///< Only for decoding.
  std::span<std::uint8_t> fetched;    ///< Where the result is copied to,
  std::span<std::uint8_t> target;     ///< and where it belongs; empty if it goes to a sink.
};

/// Portions take the slots in turn, so that the devices get the same share. A result is collected when its
/// device has the next two portions already: with one, other devices would be out of work while the host
/// waits for this one. With fewer than three slots for each device it is collected when the device has the
/// next one, so that its fetch begins before its slot is wanted. Results are delivered in the order of the
/// portions. After a step has failed, all calls return its failure. For one thread.
class SlotRing {
 public:
  using Step = std::function<Status(Portion&)>;

  /// `collect` waits for the result of a portion's task and starts its fetch; `deliver` waits for the fetch
  /// and passes the result on. `slots`: as those of a DevicePool with `device_count` devices, one for each of
  /// them at least.
  SlotRing(std::span<const std::unique_ptr<Slot>> slots, std::uint32_t device_count, Step collect,
           Step deliver);
  /// Waits until no device works any more.
  ~SlotRing();
  SlotRing(const SlotRing&) = delete;
  SlotRing& operator=(const SlotRing&) = delete;

  /// The slot of the next portion; the portion that was in it is delivered.
  Result<Slot*> next_slot();
  /// Call after the task of a portion in next_slot() was started.
  Status add(Portion portion);
  /// Collects and delivers all.
  Status finish();

 private:
  Status advance(std::uint64_t collected, std::uint64_t delivered);
  Status collect_upto(std::uint64_t count);
  Status deliver_upto(std::uint64_t count);

  std::span<const std::unique_ptr<Slot>> slots_;
  std::uint64_t uncollected_;  ///< The most portions whose results wait after add().
  Step collect_;
  Step deliver_;
  std::deque<Portion> portions_;  ///< Not yet delivered.
  std::uint64_t started_ = 0, collected_ = 0, delivered_ = 0;
  Status failure_;
};

}  // namespace floe::offload
