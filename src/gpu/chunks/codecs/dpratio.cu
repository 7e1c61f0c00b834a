#include "gpu/history/read_history.cuh"
#include "gpu/history/write_history.cuh"

namespace floe::gpu {
namespace {

constexpr unsigned small_block = 32 * history_warps;

extern __shared__ __align__(128) std::uint8_t shared_memory[];

__global__ void __launch_bounds__(32 * span_warps)
    count_spans_kernel(const __grid_constant__ HistoryStep step) {
  count_spans(step);
}
__global__ void __launch_bounds__(scan_threads) add_up_spans_kernel(const __grid_constant__ CompressJob job) {
  add_up_spans(job);
}
__global__ void __launch_bounds__(32 * span_warps, 2)
    move_spans_kernel(const __grid_constant__ HistoryStep step) {
  move_spans(step, shared_memory);
}
__global__ void __launch_bounds__(small_block) mark_tiles_kernel(const __grid_constant__ CompressJob job) {
  mark_tiles(job);
}
__global__ void __launch_bounds__(small_block) link_tiles_kernel(const __grid_constant__ CompressJob job) {
  link_tiles(job);
}
__global__ void __launch_bounds__(small_block) match_tiles_kernel(const __grid_constant__ CompressJob job) {
  match_tiles(job);
}
__global__ void __launch_bounds__(32 * TopsLayout::max_warps, 1)
    encode_slots_kernel(const __grid_constant__ HistoryStep step) {
  encode_slots(step, shared_memory);
}
__global__ void __launch_bounds__(frame_threads) place_parts_kernel(const __grid_constant__ CompressJob job) {
  FrameBlock block;
  place_segments(block, job);
  place_chunks(block, job);
}
__global__ void __launch_bounds__(small_block) copy_slots_kernel(const __grid_constant__ CompressJob job) {
  copy_slots(job);
}
__global__ void __launch_bounds__(frame_threads) finish_kernel(const __grid_constant__ CompressJob job) {
  FrameBlock block;
  load_crc_tables(block);
  block.sync();
  for (std::uint32_t unit = blockIdx.x; unit < job.counters->unit_count; unit += gridDim.x)
    finish_leaf<WrittenHistory>(block, job, unit);
}

__global__ void __launch_bounds__(frame_threads) place_history_kernel(const __grid_constant__ DecodeJob job) {
  FrameBlock block;
  place_history(block, job);
}
__global__ void __launch_bounds__(frame_threads) read_segments_kernel(const __grid_constant__ DecodeJob job) {
  FrameBlock block;
  read_history_segments(block, job);
}
__global__ void __launch_bounds__(32 * TopsLayout::max_warps, 1)
    decode_chunks_kernel(const __grid_constant__ DecodeJob job) {
  decode_history_chunks(job, shared_memory);
}
__global__ void __launch_bounds__(small_block / 2)
    resolve_tiles_kernel(const __grid_constant__ DecodeJob job) {
  resolve_history_tiles(job);
}
__global__ void __launch_bounds__(small_block) follow_tiles_kernel(const __grid_constant__ DecodeJob job) {
  follow_history_tiles(job);
}
__global__ void __launch_bounds__(small_block) deliver_tiles_kernel(const __grid_constant__ DecodeJob job) {
  deliver_history_tiles(job);
}

}  // namespace

HistoryWriters dpratio_writers() {
  HistoryWriters writers{count_spans_kernel, add_up_spans_kernel, move_spans_kernel,   mark_tiles_kernel,
                         link_tiles_kernel,  match_tiles_kernel,  encode_slots_kernel, place_parts_kernel,
                         copy_slots_kernel,  finish_kernel};
  writers.passes = sort_passes;
  writers.mover_bytes = SpanMover::bytes;
  writers.coder_bytes = ChunkMemory::warp_bytes(TopsEncoder::encode_bytes);
  writers.max_warps = TopsLayout::max_warps;
  return writers;
}

HistoryReaders dpratio_readers() {
  HistoryReaders readers{place_history_kernel, read_segments_kernel, decode_chunks_kernel,
                         resolve_tiles_kernel, follow_tiles_kernel,  deliver_tiles_kernel};
  readers.fixed_bytes = ChunkMemory::fixed_bytes;
  readers.coder_bytes = ChunkMemory::warp_bytes(TopsDecoder::decode_bytes);
  readers.max_warps = TopsLayout::max_warps;
  return readers;
}

}  // namespace floe::gpu
