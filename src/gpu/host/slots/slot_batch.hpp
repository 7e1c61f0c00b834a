// A batch of streams in a slot: what batches of both directions have in common.
#pragma once

#include <span>
#include <vector>

#include "gpu/host/slots/slot_copies.hpp"
#include "gpu/host/slots/slots.hpp"

namespace floe::gpu {

/// Of what belongs together in a slot's memory.
inline constexpr std::uint64_t slot_alignment = 256;

template <class Stream>
std::uint64_t words_bytes(const Stream& stream) {
  return stream.count * size_of(stream.type);
}

/// `Stream` is StreamToEncode or StreamToDecode.
template <class Stream>
class SlotBatch : public Accelerator::Batch {
 public:
  SlotBatch(Slots::Lease lease, std::span<Stream> streams, const Executor& executor)
      : lease_(std::move(lease)),
        slot_(lease_.slot()),
        streams_(streams),
        executor_(executor),
        output_(slot_) {}
  SlotBatch(const SlotBatch&) = delete;
  SlotBatch& operator=(const SlotBatch&) = delete;
  ~SlotBatch() override {
    if (!is_idle_) slot_.settle();
  }

 protected:
  Status start(InputCopies& input) {
    is_idle_ = false;
    return input.start(task_, executor_);
  }

  Slots::Lease lease_;
  Slot& slot_;
  std::span<Stream> streams_;
  const Executor& executor_;
  Task task_;
  std::vector<Stream*> given_;  ///< To the device, in the order of its results.
  OutputCopies output_;
  bool is_idle_ = true;  ///< The slot has nothing to do for the batch.
};

}  // namespace floe::gpu
