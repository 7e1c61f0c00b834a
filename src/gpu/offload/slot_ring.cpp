#include "gpu/offload/slot_ring.hpp"

#include <algorithm>
#include <utility>

namespace floe::offload {

SlotRing::SlotRing(std::span<const std::unique_ptr<Slot>> slots, std::uint32_t device_count, Step collect,
                   Step deliver)
    : slots_(slots),
      uncollected_(std::min(2 * std::uint64_t{device_count},
                            std::max<std::uint64_t>(device_count, slots.size() - device_count))),
      collect_(std::move(collect)),
      deliver_(std::move(deliver)) {}

SlotRing::~SlotRing() {
  for (const auto& slot : slots_) slot->settle();
}

Result<Slot*> SlotRing::next_slot() {
  if (started_ >= slots_.size()) {
    if (const Status status = advance(collected_, started_ - slots_.size() + 1); !status.ok()) return status;
  }
  return slots_[started_ % slots_.size()].get();
}

Status SlotRing::add(Portion portion) {
  portions_.push_back(std::move(portion));
  ++started_;
  return started_ > uncollected_ ? advance(started_ - uncollected_, delivered_) : Status{};
}

Status SlotRing::finish() { return advance(started_, started_); }

Status SlotRing::advance(std::uint64_t collected, std::uint64_t delivered) {
  if (!failure_.ok()) return failure_;
  failure_ = collect_upto(std::max(collected, delivered));
  if (failure_.ok()) failure_ = deliver_upto(delivered);
  return failure_;
}

Status SlotRing::collect_upto(std::uint64_t count) {
  for (; collected_ < count; ++collected_) {
    const Status status = collect_(portions_[collected_ - delivered_]);
    if (status.ok()) continue;
    const Status before =
        deliver_upto(collected_);  // what is good comes out, as if portions were done one by one
    return before.ok() ? status : before;
  }
  return {};
}

Status SlotRing::deliver_upto(std::uint64_t count) {
  for (; delivered_ < count; ++delivered_) {
    if (const Status status = deliver_(portions_.front()); !status.ok()) return status;
    portions_.pop_front();
  }
  return {};
}

}  // namespace floe::offload
