// Columns of time series on NVIDIA GPUs: encoded and decoded in device memory, with the bytes of the CPU's
// engine. Link floe::cuda.
//
// Calls whose name ends with _async only enqueue work on a stream: they allocate nothing, wait for nothing
// and read nothing from the device, so they can be captured into a CUDA graph and replayed. Errors of
// arguments are returned before any work; errors of data appear in device memory, in ItemResult, whose
// failed_chunks count segments. The device is the current one; pointers and stream must belong to it.
// Thread-safe, no global state.
#pragma once

#include <cstdint>
#include <span>

#include "floe/cuda.hpp"
#include "floe/series.hpp"

#pragma GCC visibility push(default)

namespace floe::cuda {

/// The longest segment of a column on a device, in words. Segments of 2^16 words are the best choice: one
/// team of threads works on a segment, so there should be several hundred of them.
inline constexpr std::uint32_t max_segment_words = 1u << 24;
inline constexpr std::uint32_t usual_segment_words = 1u << 16;

/// Where an encoded segment of a column lies, and how many words it has: an entry of a directory in device
/// memory.
struct SegmentEntry {
  std::uint64_t offset = 0;  ///< From the beginning of the encoded bytes; a multiple of 16.
  std::uint32_t bytes = 0;
  std::uint32_t words = 0;
};

/// A column in device memory, as segments: all but the last have segment_words words. The bytes of a segment
/// are those of the CPU's engine (docs/format/trees.md), and do not depend on the others.
struct EncodedColumn {
  const void* data =
      nullptr;  ///< At a multiple of 16; readable up to the next multiple of 16 behind data_bytes.
  std::uint64_t data_bytes = 0;
  const SegmentEntry* segments = nullptr;  ///< Directory, in device memory.
  std::uint64_t word_count = 0;
  std::uint32_t segment_words = usual_segment_words;
  DType type = DType::f64;  ///< Not text; time is i64.
};

/// A column to decode, or rows of it.
struct ColumnDecode {
  EncodedColumn column;
  Slice rows = {0, ~std::uint64_t{0}};  ///< A count of all ones means all rows from the first on.
  void* out = nullptr;                  ///< The rows' words; at a multiple of their size, better of 256.
  std::uint64_t out_bytes = 0;          ///< Room at `out`. Nothing is written beyond.
  ItemResult* result = nullptr;         ///< In device memory.
  std::uint32_t* codes = nullptr;  ///< In device memory, an ErrorCode for each segment of the column that the
                                   ///< rows overlap; or null.
};

/// Bytes of workspace that decode_columns_async needs for columns whose segments have up to segment_words
/// words of up to word_bytes bytes, segment_count of them altogether. Pure arithmetic; needs no device.
/// Errors: invalid_argument.
Result<std::uint64_t> decode_workspace_size(std::uint32_t segment_words, std::uint32_t word_bytes,
                                            std::uint64_t segment_count);

/// Decodes up to max_columns columns at once, of any types. Trees come from the segments. Safe for any bytes,
/// directories included: a segment that is damaged, that has an encoding without a form for devices (codec,
/// entropy), or that needs more memory than the workspace has for it, becomes zeros and is counted, and the
/// others are decoded. Data errors: corrupt_frame, unsupported_codec, out_of_memory; of several the last one.
/// Errors: invalid_argument, output_too_small, device_error.
Status decode_columns_async(std::span<const ColumnDecode> columns, Workspace workspace, cudaStream_t stream);

inline constexpr std::size_t max_columns = 32;

}  // namespace floe::cuda

#pragma GCC visibility pop
