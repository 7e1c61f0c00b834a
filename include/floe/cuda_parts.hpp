// One array whose parts lie in the memories of several GPUs, and its one frame, in parts likewise. Link
// floe::cuda.
//
// The GPUs work at the same time and exchange nothing: where a part of the frame begins follows from the
// sizes of those before it, which the host adds up. The frame is that of floe::compress for the whole array,
// however it is cut.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "floe/cuda.hpp"

#pragma GCC visibility push(default)

namespace floe::cuda {

/// A part of an array on one GPU, and the memory for its part of the frame. Every part but the last holds
/// whole segments (Options::segment_bytes). Parts may share a GPU.
struct ArrayPart {
  int device = 0;                ///< As CUDA counts them.
  void* elements = nullptr;      ///< In its memory.
  std::uint64_t bytes = 0;       ///< Of the elements.
  void* frame = nullptr;         ///< In its memory, at a multiple of 16.
  std::uint64_t frame_room = 0;  ///< part_frame_room() is always enough.
  Workspace workspace;           ///< In its memory, of part_workspace_size() bytes.
  cudaStream_t stream = nullptr;
  /// In pinned memory of the host, of part_host_workspace_size() bytes: the GPU tells there what the host
  /// must know of the part. If there is none, the host fetches that from one GPU after the other, which makes
  /// calls longer by about 10 us for each.
  Workspace host_workspace = {};
};

/// Room that the frame's part needs in any case, of `bytes` bytes of elements. Errors: those of
/// max_compressed_size.
Result<std::uint64_t> part_frame_room(std::uint64_t bytes, DType dtype, const Options& options = {});
/// Bytes of workspace for a part of `bytes` bytes. Pure arithmetic. Errors: invalid_argument,
/// unsupported_codec.
Result<std::uint64_t> part_workspace_size(std::uint64_t bytes, DType dtype, const Options& options = {});

/// Bytes of workspace in memory of the host. Pure arithmetic. Errors: invalid_argument.
Result<std::uint64_t> part_host_workspace_size(std::uint64_t bytes, const Options& options = {});

/// Bytes of a frame in the memory of a GPU, and where they belong.
struct FramePart {
  std::uint64_t memory_offset = 0;  ///< From ArrayPart::frame on.
  std::uint64_t bytes = 0;
  std::uint64_t frame_offset = 0;
};

/// A frame in parts: header, parts, footer.
struct PartedFrame {
  DType dtype = DType::u8;
  CodecInfo codec;
  std::vector<std::byte> header, footer;
  std::vector<FramePart> parts;  ///< In the order of the array's parts.
  std::uint64_t frame_bytes = 0;
};

/// Compresses all parts at the same time, waits for them, and adds up. Besides the frame's part, the memory
/// around it keeps what decompress_parts needs. After an error, too, no GPU works with the memory of the
/// parts any more. Errors: invalid_argument, unsupported_codec, unsupported_version, output_too_small,
/// out_of_memory, device_error.
Result<PartedFrame> compress_parts(std::span<const ArrayPart> parts, DType dtype, const Extent& extent,
                                   const Options& options = {});

/// Decodes all parts of a frame that compress_parts left in these parts' memories, at the same time, and
/// waits. While it works, the frame's parts are changed; afterwards, also after errors of arguments or data,
/// they are as before, and no GPU works with the memory of the parts any more. A damaged part is
/// corrupt_frame; byte_offset is where in the frame. Errors besides: invalid_argument, out_of_memory,
/// device_error.
Status decompress_parts(std::span<const ArrayPart> parts, const PartedFrame& frame);

/// Copies header, parts and footer to their places, all GPUs at the same time, and waits. `to` is memory of
/// the host (best pinned) or of any GPU that the parts' GPUs reach; where they do not have peer access,
/// copies go through the host. Errors: output_too_small, device_error.
Status gather(std::span<const ArrayPart> parts, const PartedFrame& frame, void* to, std::uint64_t room);

}  // namespace floe::cuda

#pragma GCC visibility pop
