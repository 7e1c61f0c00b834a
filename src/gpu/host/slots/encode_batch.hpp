// A batch of streams that a device encodes. Streams that are codecs become frames of their own there, the
// others segments of columns.
#pragma once

#include <span>
#include <vector>

#include "gpu/host/slots/slot_copies.hpp"
#include "gpu/host/slots/slots.hpp"

namespace floe::gpu {

class EncodeBatch final : public Accelerator::Batch {
 public:
  EncodeBatch(Slots::Lease lease, std::span<StreamToEncode> streams, const Executor& executor)
      : lease_(std::move(lease)),
        slot_(lease_.slot()),
        streams_(streams),
        executor_(executor),
        output_(slot_) {}
  EncodeBatch(const EncodeBatch&) = delete;
  EncodeBatch& operator=(const EncodeBatch&) = delete;
  ~EncodeBatch() override;

  /// Starts the task; false if the device takes none of the streams. Errors: those of the slot.
  Result<bool> begin();
  Status wait_for_sizes() override;
  Status fetch() override;
  Status finish() override;

 private:
  void add_frames(InputCopies& input);
  void add_columns(InputCopies& input);

  Slots::Lease lease_;
  Slot& slot_;
  std::span<StreamToEncode> streams_;
  const Executor& executor_;
  Task task_;
  std::vector<StreamToEncode*> given_;  ///< To the device, in the order of its results.
  std::vector<Range> encoded_;          ///< Where they are in the output; nothing for those not encoded.
  OutputCopies output_;
  std::vector<std::size_t> copies_;  ///< Of given_, if they were encoded.
  bool is_idle_ = true;
};

}  // namespace floe::gpu
