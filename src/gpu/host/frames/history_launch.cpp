#include "gpu/host/frames/frame_launch.hpp"

#include "gpu/frames/frame_memory.hpp"
#include "gpu/history/history_kernels.hpp"
#include "gpu/history/match_links.hpp"
#include "gpu/history/match_resolve.hpp"

namespace floe::gpu {
namespace {

/// Blocks for work of which every block does `each` at a time; no more than the device runs at once.
std::uint32_t blocks_for(std::uint64_t work, std::uint32_t each, const DeviceShape& device,
                         std::uint32_t blocks_each) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      core::divide_up(work, each), 1, std::uint64_t{blocks_each} * device.multiprocessors));
}

LaunchShape frame_blocks(std::uint64_t work, const DeviceShape& device, std::uint32_t blocks_each) {
  return {blocks_for(work, 1, device, blocks_each), frame_threads, sizeof(FrameMemory)};
}

/// One block per multiprocessor with as many warps as have `warp_bytes` of shared memory.
LaunchShape with_memory(const DeviceShape& device, std::uint64_t work, std::uint32_t fixed_bytes,
                        std::uint32_t warp_bytes, std::uint32_t max_warps) {
  const std::uint64_t needed = core::divide_up(work, device.multiprocessors);
  const auto warps = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      needed, 1, std::min((device.shared_bytes - fixed_bytes) / warp_bytes, max_warps)));
  return {blocks_for(work, warps, device, 1), 32 * warps, fixed_bytes + warps * warp_bytes};
}

template <class T>
T* at(std::uint8_t* workspace, std::uint64_t offset) {
  return reinterpret_cast<T*>(workspace + offset);
}

}  // namespace

HistoryTables history_tables(std::uint8_t* workspace, const CompressLayout& layout) {
  HistoryTables tables;
  tables.units = at<HistoryUnit>(workspace, layout.units);
  tables.digit_sums = at<std::uint32_t>(workspace, layout.digit_sums);
  tables.distances = at<std::uint32_t>(workspace, layout.distances);
  tables.slots = workspace + layout.slots;
  tables.offsets = at<std::uint32_t>(workspace, layout.offsets);
  const std::uint64_t words = std::uint64_t{layout.chunk_capacity} * chunk_words;
  for (unsigned i = 0; i < 2; ++i) tables.records[i] = at<SortRecord>(workspace, layout.slots) + i * words;
  tables.tile_marks = tables.digit_sums;  // which are known no longer than the sort takes
  static_assert(TileMarks::words * span_tiles <= digits);
  tables.links =
      reinterpret_cast<std::uint32_t*>(tables.records[sort_passes % 2]);  // all are in the others by then
  return tables;
}

HistoryRead history_read(std::uint8_t* workspace, const DecodeLayout& layout) {
  HistoryRead read;
  read.segments = at<HistorySegment>(workspace, layout.segments);
  read.pointers = at<std::uint32_t>(workspace, layout.pointers);
  read.tile_segments = at<std::uint32_t>(workspace, layout.tile_segments);
  read.tiles_left = at<std::uint32_t>(workspace, layout.tiles_left);
  read.scratch = workspace + layout.scratch;
  read.task_capacity = layout.task_capacity;
  read.tile_capacity = layout.tile_capacity;
  read.scratch_capacity = layout.scratch_capacity;
  return read;
}

void launch_history(CudaCalls& calls, const CompressJob& job, const DeviceShape& device,
                    std::uint64_t max_units, cudaStream_t stream) {
  const HistoryWriters kernels = dpratio_writers();
  const std::uint64_t chunks = job.chunk_capacity;
  const LaunchShape tiles{blocks_for(chunks, history_warps, device, 8), 32 * history_warps, 0};
  const std::uint64_t spans = chunks / span_tiles + max_units;
  const LaunchShape counters{blocks_for(spans, 1, device, 8), 32 * span_warps, 0};
  const LaunchShape columns{blocks_for(digits / 32 * max_units, 1, device, 2), scan_threads, 0};
  const LaunchShape movers{blocks_for(spans, 1, device, 2), 32 * span_warps, kernels.mover_bytes};
  const LaunchShape units = frame_blocks(max_units, device, 4);
  for (std::uint32_t pass = 0; pass < kernels.passes; ++pass) {
    launch(calls, kernels.count_spans, counters, {job, pass}, stream);
    launch(calls, kernels.add_up_spans, columns, job, stream);
    launch(calls, kernels.move_spans, movers, {job, pass}, stream);
  }
  launch(calls, kernels.mark_tiles, tiles, job, stream);
  // Few at a time: they write all over their segment, which should stay in the cache.
  launch(calls, kernels.link_tiles, {blocks_for(chunks, history_warps, device, 3), 32 * history_warps, 0},
         job, stream);
  launch(calls, kernels.match_tiles, tiles, job, stream);
  for (const std::uint32_t kind : {1, 0}) {
    const auto shape = with_memory(device, chunks << kind, 0, kernels.coder_bytes, kernels.max_warps);
    launch(calls, kernels.encode_slots, shape, {job, kind}, stream);
  }
  launch(calls, kernels.locate_parts, units, job, stream);
  launch(calls, kernels.copy_slots, {blocks_for(2 * chunks, history_warps, device, 8), 32 * history_warps, 0},
         job, stream);
  launch(calls, kernels.finish_frames, units, job, stream);
}

void launch_history(CudaCalls& calls, const DecodeJob& job, const DeviceShape& device, cudaStream_t stream) {
  const HistoryReaders kernels = dpratio_readers();
  launch(calls, kernels.locate_segments, frame_blocks(job.item_count, device, 4), job, stream);
  launch(calls, kernels.read_segments, frame_blocks(job.history.tile_capacity, device, 2), job, stream);
  launch(calls, kernels.decode_chunks,
         with_memory(device, job.history.task_capacity, kernels.fixed_bytes, kernels.coder_bytes,
                     kernels.max_warps),
         job, stream);
  const LaunchShape with_tiles{blocks_for(job.history.tile_capacity, history_warps / 2, device, 6),
                               16 * history_warps, 0};
  const LaunchShape tiles{blocks_for(job.history.tile_capacity, history_warps, device, 8), 32 * history_warps,
                          0};
  launch(calls, kernels.resolve_tiles, with_tiles, job, stream);
  const std::uint64_t segment_tiles =
      std::min<std::uint64_t>(job.history.tile_capacity, container::max_segment_bytes / core::chunk_bytes);
  for (unsigned round = 0; round < rounds_for(segment_tiles); ++round)
    launch(calls, kernels.follow_tiles, tiles, job, stream);
  launch(calls, kernels.deliver_tiles, tiles, job, stream);
}

}  // namespace floe::gpu
