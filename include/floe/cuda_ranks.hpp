// One array whose parts lie in the memories of GPUs of several processes or threads ("ranks"), joined by an
// NCCL communicator, and its one frame. In libraries that were built with FLOE_NCCL; link floe::cuda.
//
// Every rank compresses its part where it lies. Only sizes travel, from GPU to GPU: 64 bytes per rank and 8
// per segment of the array. Then each rank knows header, footer and all places, and can write its part by
// itself, or let gather_to_rank bring all together. The frame is that of floe::compress for the whole array,
// however many ranks there are.
//
// compress_rank and gather_to_rank are collective: all ranks of the communicator call them, with the same
// type, shape and options. Arguments that are wrong by themselves are refused before anything is sent; the
// other ranks then wait until the communicator is aborted, as in any collective call. What ranks find out
// together – parts that do not make up the array, a part that could not be compressed – all ranks return.
// Calls on the same communicator follow one another, as NCCL demands.
#pragma once

#include "floe/cuda_parts.hpp"

struct ncclComm;  // NCCL's ncclComm_t is a pointer to it

#pragma GCC visibility push(default)

namespace floe::cuda {

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
                                          DType dtype, const Options& options = {});

/// Bytes of workspace in memory of the host. Pure arithmetic. Errors: invalid_argument.
Result<std::uint64_t> rank_host_workspace_size(std::uint64_t array_bytes, std::uint32_t ranks,
                                               const Options& options = {});

/// Compresses the parts of all ranks, and waits. Every rank gets the same frame; PartedFrame::parts are in
/// the order of the ranks. Errors: invalid_argument, unsupported_codec, unsupported_version,
/// output_too_small, device_error.
Result<PartedFrame> compress_rank(const RankPart& mine, ncclComm* communicator, DType dtype,
                                  const Extent& extent, const Options& options = {});

/// Decodes the part of rank `rank` of a frame that compress_rank left in its memory, and waits. Not
/// collective. Errors: those of decompress_parts.
Status decompress_rank(const RankPart& mine, std::uint32_t rank, const PartedFrame& frame);

/// Sends all parts to their places in memory of the GPU of rank `root`, and waits; `to` and `room` matter
/// there only. Errors: invalid_argument, output_too_small, device_error.
Status gather_to_rank(const RankPart& mine, ncclComm* communicator, const PartedFrame& frame,
                      std::uint32_t root, void* to = nullptr, std::uint64_t room = 0);

}  // namespace floe::cuda

#pragma GCC visibility pop
