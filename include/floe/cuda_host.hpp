// floe on NVIDIA GPUs, seen from the host. Link floe::cuda.
//
// Devices: GPUs as the accelerator of the calls of floe.hpp, for arrays, tables and frames in memory of the
// host. Parts: one array whose parts lie in the memories of several GPUs, of one process or of several.
//
// Calls leave the thread's current device as it was, and have no global state. Those that return a status
// have waited for their work. They may not be captured into CUDA graphs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "floe/cuda.hpp"
#include "floe/floe.hpp"

struct ncclComm;  // NCCL's ncclComm_t is a pointer to it

#pragma GCC visibility push(default)

namespace floe::cuda {

/// How many GPUs this process can use: at least 1. Errors: device_error; its detail says why there is none.
Result<std::uint32_t> device_count();

// ---- memory of the host

/// Pinned memory of the host, which all GPUs of this process reach themselves. Its contents are not set.
/// Movable. Allocating it is slow. A reset of the device that was the thread's current one takes it away.
class PinnedMemory {
 public:
  /// Errors: out_of_memory, device_error.
  static Result<PinnedMemory> allocate(std::size_t bytes);
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  ~PinnedMemory();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  PinnedMemory(std::span<std::byte> bytes, std::uint64_t id) : bytes_(bytes), id_(id) {}
  std::span<std::byte> bytes_;
  std::uint64_t id_ = 0;
};

/// Some GPUs of this host with streams and buffers, which stay from call to call: set Options::accelerator or
/// DecodeOptions::accelerator to it. Thread-safe: calls that run at the same time share the buffers. It must
/// outlive the calls, writers and readers that use it. After cudaDeviceReset() of one of its GPUs, which must
/// not come while a call is at work, calls end in device_error; others have to be opened.
///
/// Batches go through the GPUs in turn; copies in, work and copies out of several of them overlap. Words and
/// frames in memory that the GPUs reach themselves (PinnedMemory, cudaHostAlloc, cudaHostRegister) are copied
/// from where they lie and to where they belong; other memory goes through pinned buffers, which threads of
/// the call fill and empty. Buffers grow to what the largest batch needed: each GPU works on four batches
/// of 64 MiB of words at a time, or of one segment if that is longer. Left to the CPU are encodings that GPUs
/// do not have, streams of more than 2^20 words but for codecs, and what comes while other calls have all
/// buffers.
class Devices final : public Accelerator {
 public:
  /// The GPUs with these numbers, as CUDA counts them; all of them if `indices` is empty. Errors:
  /// device_error, invalid_argument (a number that does not exist, or stands there twice), out_of_memory.
  static Result<std::unique_ptr<Devices>> open(std::span<const std::uint32_t> indices = {});
  ~Devices() override;

  /// GPUs.
  [[nodiscard]] std::uint32_t count() const noexcept;

  [[nodiscard]] std::uint64_t batch_bytes() const override;
  [[nodiscard]] std::size_t batches_at_once() const override;
  Result<std::unique_ptr<Batch>> encode(std::span<StreamToEncode> streams, const Executor& executor) override;
  Result<std::unique_ptr<Batch>> decode(std::span<StreamToDecode> streams, const Executor& executor) override;
  [[nodiscard]] std::uint64_t decoding_bytes(std::span<const StreamToDecode> streams) const override;

  struct State;  // internal
  explicit Devices(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

// ---- arrays in the memories of several GPUs of this process
//
// The GPUs work at the same time and exchange nothing: where a part of the frame begins follows from the
// sizes of those before it, which the host adds up. The frame is that of floe::compress for the whole array,
// however it is cut. Options::tree must be given, and be one that cuda::supports() takes; threads, executor
// and accelerator have no meaning. Thread-safe as long as calls use other parts; work goes to the streams of
// the parts, behind what is on them.

/// A part of an array on one GPU, and the memory for its part of the frame. Every part but the last holds
/// whole segments (Options::segment_bytes). Parts may share a GPU.
struct ArrayPart {
  int device = 0;                ///< As CUDA counts them.
  void* elements = nullptr;      ///< In its memory; best at a multiple of 16, see BatchItem.
  std::uint64_t bytes = 0;       ///< Of the elements.
  void* frame = nullptr;         ///< In its memory, at a multiple of 16.
  std::uint64_t frame_room = 0;  ///< part_frame_room() is always enough.
  Workspace workspace;           ///< In its memory, at a multiple of 256, of part_workspace_size() bytes.
  cudaStream_t stream = nullptr;
  /// In pinned memory of the host, at a multiple of 8, of part_host_workspace_size() bytes: the GPU writes
  /// there what the host must know of the part. If there is none, the host fetches that from one GPU after
  /// the other, which makes calls longer by about 10 us for each.
  Workspace host_workspace = {};
};

/// Room that the frame's part needs in any case, of `bytes` bytes of elements. Errors: those of
/// max_compressed_size.
Result<std::uint64_t> part_frame_room(std::uint64_t bytes, DType dtype, const Options& options);
/// Bytes of workspace for a part of `bytes` bytes. Pure arithmetic. Errors: invalid_argument,
/// unsupported_codec.
Result<std::uint64_t> part_workspace_size(std::uint64_t bytes, DType dtype, const Options& options);
/// Bytes of workspace in memory of the host. Pure arithmetic. Errors: as above.
Result<std::uint64_t> part_host_workspace_size(std::uint64_t bytes, DType dtype, const Options& options);

/// Bytes of a frame in the memory of a GPU, and where they belong.
struct FramePart {
  std::uint64_t memory_offset = 0;  ///< From ArrayPart::frame on.
  std::uint64_t bytes = 0;
  std::uint64_t frame_offset = 0;
};

/// A frame in parts: header, parts, footer. The offset of a part in the frame is a multiple of 16.
struct PartedFrame {
  DType dtype = DType::u8;
  std::string tree;  ///< Options::tree.
  std::vector<std::byte> header, footer;
  std::vector<FramePart> parts;  ///< In the order of the array's parts.
  std::uint64_t frame_bytes = 0;
};

/// Compresses all parts at the same time, waits for them, and adds up. Besides the frame's part, the memory
/// around it keeps what decompress_parts needs. After an error, too, no GPU works with the memory of the
/// parts any more. Errors: invalid_argument, unsupported_codec, output_too_small, out_of_memory,
/// device_error.
Result<PartedFrame> compress_parts(std::span<const ArrayPart> parts, DType dtype, const Extent& extent,
                                   const Options& options);

/// Decodes all parts of a frame that compress_parts left in these parts' memories, at the same time, and
/// waits. While it works, the frame's parts are changed; afterwards, also after errors of arguments or data,
/// they are as before, and no GPU works with the memory of the parts any more. A damaged part is
/// corrupt_frame; byte_offset is where in the frame. Errors besides: invalid_argument, out_of_memory,
/// device_error.
Status decompress_parts(std::span<const ArrayPart> parts, const PartedFrame& frame);

/// Copies header, parts and footer to their positions, all GPUs at the same time, and waits. `to` is memory
/// of the host (best pinned) or of any GPU that the parts' GPUs reach; where they do not have peer access,
/// copies go through the host. Errors: output_too_small, device_error.
Status gather(std::span<const ArrayPart> parts, const PartedFrame& frame, void* to, std::uint64_t room);

// ---- the same for GPUs of several processes or threads ("ranks"), joined by an NCCL communicator
//
// In libraries that were built with FLOE_NCCL. Every rank compresses its part where it lies. Only sizes
// travel, from GPU to GPU: 64 bytes per rank and 16 per segment of the array. Then each rank knows header,
// footer and all positions, and can write its part by itself, or let gather_to_rank bring all together.
//
// compress_rank and gather_to_rank are collective: all ranks of the communicator call them, with the same
// type, shape and options. Arguments that are wrong by themselves are refused before anything is sent; the
// other ranks then wait until the communicator is aborted, as in any collective call. What ranks find out
// together – parts that do not make up the array, a part that could not be compressed – all ranks return.
// Calls on the same communicator follow one another, as NCCL demands.

/// A rank's part of an array, in the memory of the communicator's GPU. The parts follow each other in the
/// order of the ranks.
struct RankPart {
  ArrayPart
      part;  ///< Its workspace has rank_workspace_size() bytes, that of the host rank_host_workspace_size().
  std::uint64_t first_byte = 0;  ///< Of the part in the array: a multiple of Options::segment_bytes.
};

/// Bytes of workspace for a part of `bytes` bytes of an array of `array_bytes` bytes. Pure arithmetic.
/// Errors: those of part_workspace_size.
Result<std::uint64_t> rank_workspace_size(std::uint64_t bytes, std::uint64_t array_bytes, std::uint32_t ranks,
                                          DType dtype, const Options& options);
/// Bytes of workspace in memory of the host. Pure arithmetic. Errors: as above.
Result<std::uint64_t> rank_host_workspace_size(std::uint64_t array_bytes, std::uint32_t ranks, DType dtype,
                                               const Options& options);

/// Compresses the parts of all ranks, and waits. Every rank gets the same frame; PartedFrame::parts are in
/// the order of the ranks. Errors: invalid_argument, unsupported_codec, output_too_small, device_error.
Result<PartedFrame> compress_rank(const RankPart& mine, ncclComm* communicator, DType dtype,
                                  const Extent& extent, const Options& options);

/// Decodes the part of rank `rank` of a frame that compress_rank left in its memory, and waits. Not
/// collective. Errors: those of decompress_parts.
Status decompress_rank(const RankPart& mine, std::uint32_t rank, const PartedFrame& frame);

/// Sends all parts to their positions in memory of the GPU of rank `root`, and waits; `to` and `room` matter
/// there only. Errors: invalid_argument, output_too_small, device_error.
Status gather_to_rank(const RankPart& mine, ncclComm* communicator, const PartedFrame& frame,
                      std::uint32_t root, void* to = nullptr, std::uint64_t room = 0);

}  // namespace floe::cuda

#pragma GCC visibility pop
