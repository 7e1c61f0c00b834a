// A batch of streams that a device decodes. Streams that are codecs are frames of their own there, the others
// segments of columns.
#pragma once

#include "gpu/host/slots/leaf_frame.hpp"
#include "gpu/host/slots/slot_batch.hpp"

namespace floe::gpu {

class DecodeBatch final : public SlotBatch<StreamToDecode> {
 public:
  using SlotBatch::SlotBatch;

  /// Starts the task; false if the device takes none of the streams. Errors: those of the slot.
  Result<bool> begin();
  Status finish() override;

 private:
  void add_frames(InputCopies& input);
  void add_columns(InputCopies& input);
  void give(StreamToDecode& stream, Range words);

  std::string tree_;               ///< That frame_options of the task name, until it starts.
  std::vector<LeafFrame> around_;  ///< Of the frames, until they are staged.
};

/// Bytes of the host's memory that decoding a batch takes besides that of the streams.
std::uint64_t staging_bytes(const Slot& slot, std::span<const StreamToDecode> streams);

}  // namespace floe::gpu
