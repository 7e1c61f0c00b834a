// Columns of time series on NVIDIA GPUs: encoded in device memory, with the bytes of the CPU's engine. Link
// floe::cuda. The other direction is floe/series_cuda.hpp, which says what all calls have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "floe/series_cuda.hpp"

#pragma GCC visibility push(default)

namespace floe::cuda {

/// Most different trees of a call, and most bytes of all of them together as segments store them: one to four
/// per encoding.
inline constexpr std::size_t max_trees = 64;
inline constexpr std::size_t max_tree_bytes = 1024;

/// A column to encode.
struct ColumnEncode {
  /// In device memory; at a multiple of their size, better of 256. Multiples of 4 with a byte of them must be
  /// readable as a whole.
  const void* words = nullptr;
  std::uint64_t word_count = 0;
  std::uint32_t segment_words = usual_segment_words;  ///< All segments but the last one have as many.
  DType type = DType::f64;                            ///< Not text; time is i64.
  std::uint32_t tree = 0;                             ///< Index of the tree for all segments, unless
  /// there is one for each: indices in device memory, as many as segments. One that is too large, or whose
  /// tree does not take the column's words, is a data error: invalid_argument.
  const std::uint8_t* tree_of_segment = nullptr;

  void* out =
      nullptr;  ///< Encoded segments, one behind the other at multiples of 16; a multiple of 16 itself.
  std::uint64_t out_bytes =
      0;  ///< Room at `out`; encoded_column_bound() is always enough. Nothing is written beyond.
  SegmentEntry* segments = nullptr;  ///< Directory: room for as many entries as segments, in device memory.
  ItemResult* result =
      nullptr;  ///< In device memory. `bytes` are those of all segments, also if they do not fit.
};

/// The most bytes that an encoded column may need: segments have at most the bytes of their words, and of a
/// tree before them.
constexpr std::uint64_t encoded_column_bound(std::uint64_t word_count, std::uint32_t segment_words,
                                             std::uint32_t word_bytes) noexcept {
  const std::uint64_t segments = word_count / segment_words + (word_count % segment_words != 0 ? 1 : 0);
  return word_count * word_bytes + segments * 768;
}

/// Bytes of workspace with which encode_columns_async is fastest for these columns and trees; addresses do
/// not matter. Pure arithmetic; needs no device. Less will do, down to min_encode_workspace_size(): then
/// fewer segments are in work at a time. Errors: those of arguments of encode_columns_async.
Result<std::uint64_t> encode_workspace_size(std::span<const ColumnEncode> columns,
                                            std::span<const std::string_view> trees);
Result<std::uint64_t> min_encode_workspace_size(std::span<const ColumnEncode> columns,
                                                std::span<const std::string_view> trees);

/// Encodes up to max_columns columns at once, of any types, with trees written as in docs/format/trees.md
/// ("delta,bitpack"). Where a tree does not take the words of a segment, or gains nothing, leaves take its
/// place, as on the CPU; the bytes of a segment are those of the CPU's engine for the same tree. Data errors,
/// of segments that are then empty in the directory: output_too_small, invalid_argument. Errors:
/// invalid_argument, among others for trees with an encoding that has no form for devices (codec, entropy);
/// output_too_small if the workspace is; device_error.
Status encode_columns_async(std::span<const ColumnEncode> columns, std::span<const std::string_view> trees,
                            Workspace workspace, cudaStream_t stream);

/// Encodes columns of which nothing is known, with trees that the planner chooses from windows of words, for
/// speed: the device stores them in memory of the host. A column is planned in portions of many segments;
/// while the host plans one, the device encodes those before, or the first ones with a tree that is guessed:
/// what it makes does not depend on that. Remembers the kinds of data that it has seen. Trees for a new kind
/// are searched by up to eleven threads of its own beside the caller's, if so many are available
/// (available_threads()); they sleep otherwise. Allocates when it is made, and when a tree needs more memory
/// than any before. Used with the device that was current when it was made; not thread-safe.
class PlannedEncoder {
 public:
  /// For columns of a type with up to `words` words, in segments of segment_words, planned portion_words at a
  /// time (a multiple of segment_words). Errors: invalid_argument, out_of_memory, device_error.
  static Result<PlannedEncoder> create(DType type, std::uint64_t words, std::uint32_t segment_words,
                                       std::uint64_t portion_words);
  PlannedEncoder(PlannedEncoder&&) noexcept;
  PlannedEncoder& operator=(PlannedEncoder&&) noexcept;
  ~PlannedEncoder();

  /// Encodes a column, whose trees are left out. Waits for the windows, not for the encoding: the last
  /// launches are then still at work. Errors: invalid_argument, out_of_memory, device_error. Data errors:
  /// output_too_small.
  Status encode(const ColumnEncode& column, cudaStream_t stream);
  /// The trees of the last column's portions.
  [[nodiscard]] std::span<const std::string> trees() const;
  /// Forgets the kinds of data.
  void forget();

 private:
  struct State;
  explicit PlannedEncoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace floe::cuda

#pragma GCC visibility pop
