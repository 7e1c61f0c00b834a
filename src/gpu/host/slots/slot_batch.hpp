// Batches of streams in a slot: codecs are frames of their own there, others segments of columns.
#pragma once

#include <span>
#include <vector>

#include "gpu/host/slots/leaf_frame.hpp"
#include "gpu/host/slots/slot.hpp"
#include "gpu/host/slots/slot_copies.hpp"

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
  /// Whether the stream follows the one that was given last.
  [[nodiscard]] bool follows(const Stream& stream) const {
    return stream.follows && !given_.empty() && given_.back() == &stream - 1;
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
  [[nodiscard]] Range range_of(const StreamToDecode& stream) const;

  std::string tree_;               ///< That frame_options of the task name, until it starts.
  std::vector<LeafFrame> around_;  ///< Of the frames, until they are staged.
};

/// Bytes of the host's memory that decoding a batch takes besides that of the streams.
std::uint64_t staging_bytes(const Slot& slot, std::span<const StreamToDecode> streams);

}  // namespace floe::gpu
