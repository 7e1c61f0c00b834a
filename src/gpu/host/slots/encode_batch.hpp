// A batch of streams that a device encodes. Streams that are codecs become frames of their own there, the
// others segments of columns.
#pragma once

#include "gpu/host/slots/slot_batch.hpp"

namespace floe::gpu {

class EncodeBatch final : public SlotBatch<StreamToEncode> {
 public:
  using SlotBatch::SlotBatch;

  /// Starts the task; false if the device takes none of the streams. Errors: those of the slot.
  Result<bool> begin();
  Status wait_for_sizes() override;
  Status fetch() override;
  Status finish() override;

 private:
  void add_frames(InputCopies& input);
  void add_columns(InputCopies& input);

  std::vector<Range> encoded_;       ///< Where given_ are in the output; nothing for those not encoded.
  std::vector<std::size_t> copies_;  ///< Of given_, if they were encoded.
};

}  // namespace floe::gpu
