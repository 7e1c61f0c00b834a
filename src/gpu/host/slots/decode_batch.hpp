// A batch of streams that a device decodes. Streams that are codecs are frames of their own there, the others
// segments of columns.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chunks/leaf.hpp"
#include "gpu/host/slots/leaf_frame.hpp"
#include "gpu/host/slots/slot_copies.hpp"
#include "gpu/host/slots/slots.hpp"

namespace floe::gpu {

class DecodeBatch final : public Accelerator::Batch {
 public:
  DecodeBatch(Slots::Lease lease, std::span<StreamToDecode> streams, const Executor& executor)
      : lease_(std::move(lease)),
        slot_(lease_.slot()),
        streams_(streams),
        executor_(executor),
        output_(slot_) {}
  DecodeBatch(const DecodeBatch&) = delete;
  DecodeBatch& operator=(const DecodeBatch&) = delete;
  ~DecodeBatch() override;

  /// Starts the task; false if the device takes none of the streams. Errors: those of the slot.
  Result<bool> begin();
  Status finish() override;

 private:
  void add_frames(InputCopies& input);
  void add_columns(InputCopies& input);
  void give(StreamToDecode& stream, Range words);

  Slots::Lease lease_;
  Slot& slot_;
  std::span<StreamToDecode> streams_;
  const Executor& executor_;
  Task task_;
  std::string tree_;                    ///< That frame_options of the task name.
  std::vector<LeafFrame> around_;       ///< Of the frames.
  std::vector<StreamToDecode*> given_;  ///< To the device, in the order of its results.
  OutputCopies output_;
  bool is_idle_ = true;
};

/// Bytes of the host's memory that decoding a batch takes besides that of the streams.
std::uint64_t staging_bytes(const Slot& slot, std::span<const StreamToDecode> streams);

}  // namespace floe::gpu
