// floe on NVIDIA GPUs: frames of floe.hpp, and streams of columns, made and read in device memory. Link
// floe::cuda. Arrays in memory of the host, and of several GPUs: floe/cuda_host.hpp. Values of encoded
// columns in kernels of your own: floe/cursor.hpp.
//
// Calls whose name ends with _async only enqueue work on a stream: they allocate nothing, wait for nothing
// and read nothing from the device, so they can be captured into a CUDA graph and replayed. Errors of
// arguments are returned before any work; errors of data appear in device memory, in ItemResult. The device
// is the current one; pointers and stream must belong to it. Thread-safe, no global state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "floe/floe.hpp"

using cudaStream_t = struct CUstream_st*;

#pragma GCC visibility push(default)

namespace floe::cuda {

/// What became of an array, a frame or a column, written when the work is done: in device memory, or of one
/// array or frame in pinned memory of the host (cudaHostAlloc), where the host reads it without a copy.
struct ItemResult {
  /// Of the frame, of the decoded elements, or of all segments of a column; 0 unless code is ok or
  /// corrupt_frame.
  std::uint64_t bytes = 0;
  /// For faults of a frame or of a column: where in it the first one is. Otherwise all ones.
  std::uint64_t byte_offset = 0;
  std::uint32_t code = 0;  ///< An ErrorCode. Until the work is done, the caller's value.
  /// Decoding: chunks of a codec, or segments of trees, that were damaged: their wanted bytes are 0 in the
  /// output.
  std::uint32_t failed_chunks = 0;
};

/// Memory of the caller. `data` is a multiple of 256, as cudaMalloc makes it.
struct Workspace {
  void* data = nullptr;
  std::uint64_t bytes = 0;
};

// ---- frames of arrays

/// One array to compress or one frame to decompress. Frames (`out` when compressing, `in` when decompressing)
/// begin at multiples of 16. Arrays begin anywhere for codecs, and at multiples of their elements' size for
/// other trees, of which multiples of 4 with a byte of them are read as a whole; multiples of 16 are much
/// faster.
struct BatchItem {
  const void* in = nullptr;
  std::uint64_t in_bytes = 0;
  void* out = nullptr;
  std::uint64_t out_bytes = 0;  ///< Room at `out`. Nothing is written beyond.
};

/// Whether arrays of a type can be compressed with Options::tree: a codec that takes them, or a tree whose
/// encodings have a form for devices (not codec, unique, grid, linear, affine, context) with segments of up
/// to max_segment_words. Trees that are chosen by a goal: PlannedEncoder, below.
bool supports(DType dtype, const Options& options) noexcept;

/// What is known of a frame before it is read. A frame that differs gives unsupported_codec.
struct FrameKind {
  DType dtype = DType::u8;
  /// The name of the codec of all segments. Empty, or a tree that is no codec: segments have any trees that
  /// devices read.
  std::string_view tree = {};
  /// Bytes of elements of the longest segment. Trees: 0 means usual_segment_words; there is room in the
  /// workspace for segments that are no longer, and for as many as arrays have with this length. dpratio:
  /// room for a segment of which a slice wants a part; with 0, slices consist of whole segments. Of no
  /// account for other codecs.
  std::uint64_t segment_bytes = 0;
};

/// Bytes of workspace that compress_async needs for arrays of `total_bytes` bytes together. Pure arithmetic;
/// needs no device. Codecs: 0.1 %, but 2.7 times the arrays for dpratio. Trees: as encode_workspace_size, and
/// 0.1 %. Errors: invalid_argument, unsupported_codec.
Result<std::uint64_t> compress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count,
                                              DType dtype, const Options& options);
/// Bytes of workspace that decompress_async needs for `total_bytes` of wanted elements together. Pure
/// arithmetic; needs no device. Codecs: 0.3 %, but half the bytes of the elements and three times
/// FrameKind::segment_bytes for dpratio. Trees: as decode_workspace_size, and 0.1 %. Errors: as above.
Result<std::uint64_t> decompress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count,
                                                const FrameKind& kind);

/// Compresses the array at item.in into a frame at item.out, with Options::tree, which must be given. The
/// frame is that of floe::compress() for the same options with Profile::gpu, whose max_compressed_size() is
/// always enough room. `result` lies in memory of the device, or in pinned memory of the host. If
/// `device_bytes` is not null, it is the address in device memory of the array's size, which is then known
/// when the stream gets there: at most item.in_bytes, a whole number of outermost entries; extent.size[0] is
/// then the most that there can be. Options::prefix must be empty; threads, executor and coders do not
/// matter. Data errors: output_too_small, invalid_argument (*device_bytes). Errors: invalid_argument,
/// unsupported_codec, device_error.
Status compress_async(const BatchItem& item, DType dtype, const Extent& extent, const Options& options,
                      ItemResult* result, Workspace workspace, cudaStream_t stream,
                      const std::uint64_t* device_bytes = nullptr);
/// The same for `item_count` arrays of one dimension. `items` and `results` lie in device memory.
/// `total_bytes` is at least the sum of all in_bytes. Data errors, besides: invalid_argument if in_bytes is
/// no whole number of elements or an address is not as it should be, out_of_memory for all items if
/// total_bytes is too small for them.
Status compress_batch_async(const BatchItem* items, std::uint64_t item_count, std::uint64_t total_bytes,
                            DType dtype, const Options& options, ItemResult* results, Workspace workspace,
                            cudaStream_t stream);

/// Decodes the elements of `slice` of the frame at item.in, of item.in_bytes or *device_bytes bytes, to
/// item.out. Safe for any bytes: every offset is checked and every digest verified; damaged chunks become
/// zeros and are counted, and the others are decoded; of dpratio and of trees, all wanted elements of a
/// damaged segment become zeros. Segments must be of one length but for the last one, as all calls of floe
/// make them. Data errors: those of Reader, output_too_small, unsupported_codec, invalid_argument if the
/// slice reaches beyond the array, out_of_memory if segments are longer than FrameKind::segment_bytes or more
/// than there is room for. Errors: invalid_argument, device_error.
Status decompress_slice_async(const BatchItem& item, const FrameKind& kind, Slice slice, ItemResult* result,
                              Workspace workspace, cudaStream_t stream,
                              const std::uint64_t* device_bytes = nullptr);
/// Decodes all elements.
Status decompress_async(const BatchItem& item, const FrameKind& kind, ItemResult* result, Workspace workspace,
                        cudaStream_t stream, const std::uint64_t* device_bytes = nullptr);
/// Decodes `item_count` frames. `items` and `results` lie in device memory; `total_bytes` is at least the sum
/// of all out_bytes. Data errors, besides: out_of_memory for all items if total_bytes is too small for them.
Status decompress_batch_async(const BatchItem* items, std::uint64_t item_count, std::uint64_t total_bytes,
                              const FrameKind& kind, ItemResult* results, Workspace workspace,
                              cudaStream_t stream);

// ---- layouts of batches

/// Memory of the device in equal slots: slot i begins at data + i * distance and has `bytes` bytes.
struct StridedMemory {
  void* data = nullptr;
  std::uint64_t distance = 0;
  std::uint64_t bytes = 0;
};

/// Where a frame lies in packed memory.
struct FrameRange {
  std::uint64_t offset = 0;  ///< A multiple of 16.
  std::uint64_t bytes = 0;   ///< 0 if there is no frame.
};

/// Writes `count` items to device memory whose inputs and outputs lie at equal distances: arrays in a row to
/// slots of frames, or the other way round. Distances of frames are multiples of 16. Errors: invalid_argument
/// (null addresses), device_error.
Status strided_items_async(BatchItem* items, std::uint64_t count, const StridedMemory& in,
                           const StridedMemory& out, cudaStream_t stream);
/// Copies the frames that compress_batch_async has made of `items`, one behind the other and each to a
/// multiple of 16, to `packed`, which is a multiple of 16 and does not overlap them. What lies between two
/// frames becomes 0. Items whose result has an error take no room. `ranges` has room for `count` of them in
/// device memory. `result`, in device memory, says how many bytes all frames take: if these are more than
/// `packed_bytes`, its code is output_too_small and no frame is copied; ranges are written in any case.
/// Errors: invalid_argument (null or unaligned addresses), device_error.
Status pack_frames_async(const BatchItem* items, const ItemResult* results, std::uint64_t count, void* packed,
                         std::uint64_t packed_bytes, FrameRange* ranges, ItemResult* result,
                         cudaStream_t stream);
/// Writes items to device memory that decompress_batch_async decodes frames with that lie where `ranges`
/// says, to outputs at equal distances. A range that is not within `packed_bytes` gives an item without
/// input, which is no frame. Errors: as above.
Status packed_items_async(BatchItem* items, std::uint64_t count, const void* packed,
                          std::uint64_t packed_bytes, const FrameRange* ranges, const StridedMemory& out,
                          cudaStream_t stream);

// ---- columns

/// The longest segment of trees on a device, in words. Segments of 2^16 words are the best choice: one thread
/// block works on a segment, so there should be several hundred of them.
inline constexpr std::uint32_t max_segment_words = 1u << 24;
inline constexpr std::uint32_t usual_segment_words = 1u << 16;
/// Of one call.
inline constexpr std::size_t max_columns = 32;

/// Where an encoded segment of a column lies, and how many words it has: an entry of a directory in device
/// memory.
struct SegmentEntry {
  std::uint64_t offset = 0;  ///< From the beginning of the encoded bytes; a multiple of 16.
  std::uint32_t bytes = 0;
  std::uint32_t words = 0;
};

/// A column in device memory, as segments: all but the last have segment_words words. A segment is a stream
/// of a frame (docs/format/trees.md), and does not depend on the others.
struct EncodedColumn {
  /// At a multiple of 16; readable up to the next multiple of 16 behind data_bytes.
  const void* data = nullptr;
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
  /// In device memory, an ErrorCode for each segment of the column that the rows overlap; or null.
  std::uint32_t* codes = nullptr;
};

/// Bytes of workspace that decode_columns_async needs for columns whose segments have up to segment_words
/// words of up to word_bytes bytes, segment_count of them altogether. Pure arithmetic; needs no device.
/// Errors: invalid_argument.
Result<std::uint64_t> decode_workspace_size(std::uint32_t segment_words, std::uint32_t word_bytes,
                                            std::uint64_t segment_count);

/// Decodes up to max_columns columns at once, of any types. Trees come from the segments. Safe for any bytes,
/// directories included: a segment that is damaged, that has an encoding without a form for devices (codec,
/// unique), or that needs more memory than the workspace has for it, becomes zeros and is counted,
/// and the others are decoded. Data errors: corrupt_frame, unsupported_codec, out_of_memory; of several the
/// last one. Errors: invalid_argument, output_too_small, device_error.
Status decode_columns_async(std::span<const ColumnDecode> columns, Workspace workspace, cudaStream_t stream);

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

  /// Room that is left before each segment, a multiple of 16 below 2^16.
  std::uint32_t lead_bytes = 0;
  /// Encoded segments, one behind the other at multiples of 16; a multiple of 16 itself.
  void* out = nullptr;
  /// Room at `out`; encoded_column_bound() and the room before segments are always enough. Nothing is written
  /// beyond.
  std::uint64_t out_bytes = 0;
  /// Directory: room for as many entries as segments, in device memory.
  SegmentEntry* segments = nullptr;
  /// In device memory. `bytes` are those of all segments and of the room before them, also if they do not
  /// fit.
  ItemResult* result = nullptr;
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

/// Encodes up to max_columns columns at once, of any types, with trees written as in Options::tree. Where a
/// tree does not take the words of a segment, or gains nothing, leaves take its place; the bytes of a segment
/// are those that the CPU makes with the same tree. Data errors, of segments that are then empty in the
/// directory: output_too_small, invalid_argument. Errors: invalid_argument, among others for trees with an
/// encoding that has no form for devices (codec, unique); output_too_small if the workspace is;
/// device_error.
Status encode_columns_async(std::span<const ColumnEncode> columns, std::span<const std::string_view> trees,
                            Workspace workspace, cudaStream_t stream);

/// Encodes words of which nothing is known, as a column or as the frame of an array, with trees that the
/// planner chooses from windows of words, for speed: the device stores them in memory of the host. Words are
/// planned in batches of many segments; while the host plans one, the device encodes those before, or the
/// first ones with a tree that is guessed, which stays where it costs hardly more than the best one: what it
/// makes depends on the words alone, and of arrays on their shape, as rows and planes may be alike. Remembers
/// the kinds of data that it has seen, until an array has other rows. Trees for a new kind are
/// searched by up to eleven threads of its own beside the caller's, if so many are available
/// (available_threads()); they sleep otherwise. Allocates when it is made, and when a tree needs more memory
/// than any before. Used with the device that was current when it was made, until that is reset: then calls
/// say device_error. Not thread-safe.
class PlannedEncoder {
 public:
  /// For columns of a type with up to `words` words, in segments of segment_words, planned
  /// batch_words at a time (a multiple of segment_words). Errors: invalid_argument, out_of_memory,
  /// device_error.
  static Result<PlannedEncoder> create(DType type, std::uint64_t words, std::uint32_t segment_words,
                                       std::uint64_t batch_words);
  PlannedEncoder(PlannedEncoder&&) noexcept;
  PlannedEncoder& operator=(PlannedEncoder&&) noexcept;
  ~PlannedEncoder();

  /// Encodes a column, whose trees are left out. Waits for the windows, not for the encoding: the last
  /// launches are then still at work. For trees with dictionaries it takes as much memory of the device as
  /// the words have, up to 2 GiB, if there is so much. Errors: invalid_argument, out_of_memory, device_error.
  /// Data errors: output_too_small.
  Status encode(const ColumnEncode& column, cudaStream_t stream);
  /// Compresses an array into a frame of floe.hpp, in segments of segment_words, which must be a multiple of
  /// 16 KiB; Options::tree must be empty, and of the others only the checksums matter. Of an array with
  /// several dimensions, `extent` should say so. Room, result and waiting: as compress_async and encode do.
  /// Errors and data errors: those of both.
  Status compress(const BatchItem& item, DType dtype, const Extent& extent, const Options& options,
                  ItemResult* result, cudaStream_t stream);
  /// Room that is enough for the frame of any array of this shape. Pure arithmetic. Errors: those of
  /// floe::max_compressed_size().
  [[nodiscard]] Result<std::uint64_t> max_compressed_size(DType dtype, const Extent& extent,
                                                          const Options& options = {}) const;
  /// floe::compress_into() by the device for an array in memory of the host, of any length: pieces of it are
  /// copied in while others are encoded and what became of those before is copied out. The device needs some
  /// hundred MiB, which stay until the encoder is destroyed. Memory that it reaches itself (PinnedMemory,
  /// cudaHostAlloc, cudaHostRegister) is used where it lies; other memory goes through pinned buffers. Trees
  /// depend on the words and the shape, and on those that the encoder has seen unless it forgot them: the
  /// frame is not that of the CPU, which reads it. Options as for compress(), but that there may be a prefix.
  /// Waits. Errors: invalid_argument, output_too_small, out_of_memory, device_error.
  Result<std::size_t> compress_into(std::span<std::byte> out, std::span<const std::byte> in, DType dtype,
                                    const Extent& extent, const Options& options = {});
  /// The trees of the last column's or array's batches.
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
