// floe: opening packed columns in the memory of a GPU, so that kernels of the user read their values where
// they lie. What cursors can do is in floe/series_cursor.hpp. Thread-safe; the device is the current one, and
// pointers and stream must belong to it.
#pragma once

#include <cstdint>

#include "floe/cuda.hpp"
#include "floe/series.hpp"
#include "floe/series_cursor.hpp"

#pragma GCC visibility push(default)

namespace floe::cuda {

/// An encoded segment of a column, in device memory.
struct PackedSegment {
  const void* bytes = nullptr;
  std::uint64_t byte_count = 0;
  std::uint64_t word_count = 0;
};

/// A size of index that is enough for segments of `word_count` words unless they have dictionaries or many
/// exceptions: where it is not, the cursor says how much is needed.
constexpr std::uint64_t usual_index_bytes(std::uint64_t word_count) noexcept { return word_count / 2 + 4096; }

/// Enqueues the opening of `segment_count` segments of one type. `segments` and `cursors` lie in device
/// memory; the index of segment i are the `index_bytes` bytes, a multiple of 16, from index + i * index_bytes
/// on. Cursors point into both the segment and its index. What went wrong with a segment is in its cursor's
/// `error`: output_too_small, with `index_bytes` what is needed; unsupported_codec for trees without random
/// access (those with rle, split, stride_split, entropy, codec, delta of other than neighbours, dict with
/// exceptions, or several parts); corrupt_frame. Takes any bytes, but does not check what reading the whole
/// segment would show. One block works on a segment, for about a millisecond per 2^20 words. Errors:
/// invalid_argument, device_error.
Status open_cursors_async(const PackedSegment* segments, std::uint64_t segment_count, DType type,
                          SeriesCursor* cursors, void* index, std::uint64_t index_bytes, cudaStream_t stream);

}  // namespace floe::cuda

#pragma GCC visibility pop
