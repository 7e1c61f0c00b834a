// How do the samples of a column get to the host? In memory of their own, with one copy, so that a planner
// there can work while the device goes on.
#pragma once

#include "gpu/host/owned_memory.hpp"
#include "gpu/stats/samples.hpp"
#include "plan/search/segment_windows.hpp"

namespace floe::series_cuda {

/// Not thread-safe. Used with the device that was current when it was created.
class ColumnSampler {
 public:
  /// For columns of up to `words` words of a type, cut into segments of `segment_words`. Errors:
  /// out_of_memory, device_error.
  static Result<ColumnSampler> create(DType type, std::uint64_t words, std::uint64_t segment_words);

  /// Enqueues the pass over a column of the type, and the copy of its samples. The column has at least one
  /// word and may be changed when the stream is through with this. Errors: invalid_argument, device_error.
  Status begin(const void* values, std::uint64_t count, cudaStream_t stream);
  /// Waits for the samples. Errors: device_error.
  Status wait();

  [[nodiscard]] std::uint64_t segments() const { return column_.segments(); }
  /// After wait(). Valid until the next begin().
  [[nodiscard]] const trees::Statistics& statistics(std::uint64_t segment) const;
  [[nodiscard]] trees::SegmentWindows windows(std::uint64_t segment) const;

 private:
  SegmentedColumn column_;
  std::uint64_t max_words_ = 0;
  DeviceMemory device_;  ///< Samples, then workspace.
  PinnedMemory host_;
  Event copied_;
};

}  // namespace floe::series_cuda
