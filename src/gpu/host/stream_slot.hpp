// Where is a batch of streams of tables while a GPU decodes it?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "floe/cuda.hpp"
#include "gpu/host/memory.hpp"

namespace floe::gpu {

/// Memory for one batch, and a stream for its copies and kernels. Streams of words of the same type and
/// length become the segments of one column, so that the GPU decodes them at the same time.
class StreamSlot {
 public:
  explicit StreamSlot(int device) : device_(device) {}
  StreamSlot(const StreamSlot&) = delete;
  StreamSlot& operator=(const StreamSlot&) = delete;
  ~StreamSlot();

  /// Errors: device_error.
  Status open();
  /// Enqueues copies and kernels. Errors: device_error, out_of_memory.
  Status begin(std::span<tables::EncodedStream> streams);
  /// Waits, and hands out what was decoded. Errors: device_error.
  Status finish();

 private:
  /// A stream of words, and where they will lie in out_.
  struct Item {
    tables::EncodedStream* stream = nullptr;
    std::uint64_t words_at = 0;
  };
  /// Items that are the segments of a column.
  struct Group {
    std::size_t first = 0, count = 0;
  };

  void lay_out(std::span<tables::EncodedStream> streams);
  Status copy_in();
  Status decode();
  Status copy_out();

  int device_;
  cudaStream_t work_ = nullptr;
  std::vector<Item> items_;  ///< Group by group.
  std::vector<Group> groups_;
  std::uint64_t in_bytes_ = 0;     ///< Of encoded bytes. The directory lies behind them.
  std::uint64_t words_bytes_ = 0;  ///< Of words. An ErrorCode for each stream lies behind them.
  Memory<Place::host> staging_, results_;
  Memory<Place::device> in_, out_, workspace_, outcomes_;
};

}  // namespace floe::gpu
