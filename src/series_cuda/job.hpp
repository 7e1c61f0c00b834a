// What do the host and the kernels of columns agree on?
#pragma once

#include "floe/series_cuda.hpp"
#include "series_cuda/node.hpp"

namespace floe::series_cuda {

/// One column that is being decoded: the segments that its rows overlap.
struct DecodeColumn {
  const std::uint8_t* data = nullptr;
  std::uint64_t data_bytes = 0;
  const cuda::SegmentEntry* segments = nullptr;
  std::uint64_t word_count = 0;
  std::uint64_t first_row = 0, end_row = 0;
  std::uint8_t* out = nullptr;
  cuda::ItemResult* result = nullptr;
  std::uint32_t* codes = nullptr;  ///< Of the segments from first_segment on; or null.
  std::uint32_t segment_words = 0;
  std::uint32_t first_segment = 0;
  std::uint32_t end_ticket = 0;  ///< Segments of this column and of those before it.
  Type type{};
};

struct DecodeColumnsJob {
  DecodeColumn column[cuda::most_columns];
  std::uint32_t column_count = 0;
  std::uint32_t segment_count = 0;
  std::uint32_t* ticket = nullptr;  ///< The next segment that no team has taken.
  std::uint8_t* scratch = nullptr;
  std::uint64_t scratch_bytes = 0;  ///< Per team.
  std::uint8_t* opened = nullptr;   ///< What warps have found out of the first segments.
  std::uint64_t opened_bytes = 0;   ///< Per segment.
  std::uint32_t opened_count = 0;   ///< Segments.
};
static_assert(sizeof(DecodeColumnsJob) <= 4096, "kernels take 4 KiB of parameters");

/// Kernels, threads of a block that opens segments, a warp each, and the shared memory of blocks.
struct ColumnKernels {
  void (*open)(DecodeColumnsJob) = nullptr;
  void (*decode)(DecodeColumnsJob) = nullptr;
  std::uint32_t open_threads = 0, open_shared_bytes = 0, decode_shared_bytes = 0;
};
ColumnKernels column_kernels();

}  // namespace floe::series_cuda
