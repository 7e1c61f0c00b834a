// What does the planner on the host get of the segments of a column? Per segment a record of statistics and
// windows of words, one behind the other in device memory, to be copied at once.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/bits.hpp"
#include "floe/error.hpp"
#include "plan/search/windows.hpp"
#include "plan/statistics/statistics.hpp"

namespace floe::series_cuda {

/// A column in device memory, aligned for its words, cut into segments of `segment_words`, the last one
/// shorter.
struct SegmentedColumn {
  DType type = DType::u8;
  const void* values = nullptr;
  std::uint64_t count = 0;
  std::uint64_t segment_words = 0;  ///< At least 1.

  [[nodiscard]] std::uint64_t segments() const { return core::divide_up(count, segment_words); }
  [[nodiscard]] std::uint64_t segment_count(std::uint64_t segment) const {
    return std::min(segment_words, count - segment * segment_words);
  }
};

/// Where the samples of a segment lie.
struct SampleLayout {
  static constexpr std::uint64_t record_bytes = core::align_up(sizeof(trees::Statistics), 16);
  std::uint64_t stride = 0;  ///< From segment to segment.

  explicit SampleLayout(const SegmentedColumn& column)
      : stride(record_bytes +
               core::align_up(
                   std::min(column.segment_words, trees::planning_windows * trees::planning_window_words) *
                       size_of(column.type),
                   16)) {}
};

/// Bytes of the samples of all segments of a column; a multiple of 16.
inline std::uint64_t sample_bytes(const SegmentedColumn& column) {
  return column.segments() * SampleLayout(column).stride;
}
/// Device memory that sample_async works in.
std::uint64_t sample_workspace_bytes(std::span<const SegmentedColumn> columns);

/// Enqueues statistics and windows of all segments: column by column, sample_bytes() each, to `samples`,
/// which is aligned to 16 as is the workspace. Reads every word once. No allocation, no waiting. Errors:
/// device_error.
Status sample_async(std::span<const SegmentedColumn> columns, std::uint8_t* samples, std::uint8_t* workspace,
                    cudaStream_t stream);

}  // namespace floe::series_cuda
