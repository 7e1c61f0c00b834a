// floe on NVIDIA GPUs: the frames of floe.hpp, byte for byte, made and read in device memory. Link
// floe::cuda.
//
// Calls whose name ends with _async only enqueue work on a stream: they allocate nothing, wait for nothing
// and read nothing from the device, so they can be captured into a CUDA graph and replayed. Errors of
// arguments are returned; errors of data appear in device memory, in ItemResult. The device is the current
// one; pointers and stream must belong to it. Thread-safe, no global state.
#pragma once

#include <cstdint>

#include "floe/floe.hpp"

using cudaStream_t = struct CUstream_st*;

#pragma GCC visibility push(default)

namespace floe::cuda {

/// What became of one array or frame, written in device memory when the work is done.
struct ItemResult {
  std::uint64_t bytes =
      0;  ///< Of the frame, or of the decoded elements; 0 unless code is ok or corrupt_frame.
  std::uint64_t byte_offset =
      0;  ///< For faults of a frame: where in the frame the first one is. Otherwise all ones.
  std::uint32_t code = 0;  ///< An ErrorCode. Until the work is done, the caller's value.
  std::uint32_t failed_chunks =
      0;  ///< Decoding: chunks that were damaged, whose wanted bytes are 0 in the output.
};

/// Memory of the caller. `data` is a multiple of 256, as cudaMalloc makes it.
struct Workspace {
  void* data = nullptr;
  std::uint64_t bytes = 0;
};

/// One array to compress or one frame to decompress. Frames (`out` when compressing, `in` when decompressing)
/// begin at multiples of 16. Arrays may begin anywhere; multiples of 16 are much faster.
struct BatchItem {
  const void* in = nullptr;
  std::uint64_t in_bytes = 0;
  void* out = nullptr;
  std::uint64_t out_bytes = 0;  ///< Room at `out`. Nothing is written beyond.
};

/// Which element types and codecs can be had on a GPU: all of this version.
bool supports(DType dtype, const Options& options = {}) noexcept;

/// What decompress_async expects of a frame; a frame that differs gives unsupported_codec.
struct FrameKind {
  DType dtype = DType::u8;
  std::string_view codec = {};  ///< A name from codecs(). For frames on the host, FrameView says which.
  /// For slices of dpratio: bytes of the largest segment of which a slice may want a part, for which there
  /// must be room in the workspace. With 0, slices consist of whole segments.
  std::uint64_t slice_segment_bytes = 0;
};

/// Bytes of workspace that compress_async needs for arrays of `total_bytes` bytes together. Pure arithmetic;
/// needs no device. dpratio needs 2.7 times the bytes of the arrays, other codecs 0.1 %. Errors:
/// invalid_argument, unsupported_codec.
Result<std::uint64_t> compress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count,
                                              DType dtype, const Options& options = {});
/// Bytes of workspace that decompress_async needs for `total_bytes` of wanted elements together. Pure
/// arithmetic; needs no device. dpratio needs half the bytes of the elements and three times
/// FrameKind::slice_segment_bytes, other codecs 0.3 %. Errors: as above.
Result<std::uint64_t> decompress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count,
                                                const FrameKind& kind);
/// Both for all codecs but dpratio.
Result<std::uint64_t> compress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count = 1);
Result<std::uint64_t> decompress_workspace_size(std::uint64_t total_bytes, std::uint64_t item_count = 1);

/// Compresses the array at item.in into a frame at item.out; max_compressed_size() says how much room is
/// always enough. `result` lies in device memory. If `device_bytes` is not null, it is the address in device
/// memory of the array's size, which is then known when the stream gets there: at most item.in_bytes, a whole
/// number of outermost entries; extent.size[0] is then the most that there can be. Options::prefix must be
/// empty; Options::threads does not matter. Data errors: output_too_small, invalid_argument (*device_bytes).
/// Errors: invalid_argument, unsupported_codec, unsupported_version, device_error.
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
/// item.out. Safe for any bytes: every offset is checked, damaged chunks become zeros and are counted, and
/// the other chunks are decoded; of dpratio, all wanted elements of a segment with a damaged chunk become
/// zeros. Data errors: those of FrameView, output_too_small, invalid_argument if the slice reaches beyond the
/// array, out_of_memory if it wants a part of a segment of dpratio that is larger than
/// FrameKind::slice_segment_bytes. Errors: invalid_argument, unsupported_codec, device_error.
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

}  // namespace floe::cuda

#pragma GCC visibility pop
