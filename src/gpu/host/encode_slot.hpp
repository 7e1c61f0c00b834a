// Where is a batch of streams of tables while a GPU encodes it?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/workers.hpp"
#include "floe/cuda.hpp"
#include "gpu/host/memory.hpp"

namespace floe::gpu {

/// Memory for one batch, and a stream for its copies and kernels. Streams of words of the same type, length
/// and tree become the segments of one column, so that the GPU encodes them at the same time.
class EncodeSlot {
 public:
  explicit EncodeSlot(int device) : device_(device) {}
  EncodeSlot(const EncodeSlot&) = delete;
  EncodeSlot& operator=(const EncodeSlot&) = delete;
  ~EncodeSlot();

  /// Errors: device_error.
  Status open();
  /// Copies words to pinned memory, and enqueues their copies and kernels. Errors: device_error,
  /// out_of_memory.
  Status begin(std::span<tables::StreamWords> streams);
  /// Waits, and hands out what was encoded. Errors: device_error, out_of_memory.
  Status finish();

 private:
  /// Streams that are the segments of a column.
  struct Group {
    std::size_t first = 0, count = 0;  ///< Among items_.
    std::uint64_t words_at = 0;        ///< In staging_ and in_,
    std::uint64_t out_at = 0;          ///< and in out_.
    std::uint64_t out_bytes = 0;       ///< The most that can come out.
  };

  void lay_out(std::span<tables::StreamWords> streams);
  Status copy_in();
  Status encode();
  Status encode_groups(std::span<const Group> groups);
  [[nodiscard]] cuda::ColumnEncode column_of(const Group& group) const;
  Status fetch();

  int device_;
  cudaStream_t work_ = nullptr;
  std::vector<tables::StreamWords*> items_;  ///< Group by group.
  std::vector<Group> groups_;
  std::uint64_t words_bytes_ = 0, out_bytes_ = 0;
  core::Workers workers_{4, nullptr};  ///< As many fill the link to the device.
  Memory<Place::host> staging_, told_, results_;
  Memory<Place::device> in_, out_, workspace_,
      outcomes_;  ///< `outcomes_`: results of groups, then the directory of all items.
};

}  // namespace floe::gpu
