// Segments of a codec with a stage over the segment, on the device: their kinds, their chunks, and the words
// that their matches lead to. What frames say is checked as read_frames.hpp and read_segments.hpp check it.
#pragma once

#include "gpu/chunks/decode_chunks.cuh"
#include "gpu/chunks/tops_decoder.hpp"
#include "gpu/frames/frame_block.cuh"
#include "gpu/frames/read_segments.hpp"
#include "gpu/history/history_kernels.hpp"
#include "gpu/history/match_words.hpp"

namespace floe::gpu {

/// ChunkTask::mode of a chunk that is not wanted.
inline constexpr std::uint8_t mode_unwanted = 255;

/// The kind that a segment claims before anything of it is checked; its other bytes are checked later.
__device__ inline std::uint8_t claimed_kind(const DecodeItem& item, const ReadSegment& segment) {
  const std::uint8_t* const header = item.frame + segment.offset;
  const std::uint64_t header_bytes =
      load_aligned<std::uint32_t>(header + offsetof(SegmentStart, header_bytes));
  if (header_bytes > segment.bytes || segment.bytes - header_bytes < chunks::front_bytes)
    return chunks::kind_content;
  const std::uint8_t kind = header[header_bytes + chunks::kind_at];
  return kind == chunks::kind_history ? chunks::kind_history : chunks::kind_content;
}

__device__ inline std::uint32_t coded_chunks(const ReadSegment& segment, std::uint8_t kind) {
  return static_cast<std::uint32_t>(core::divide_up(segment.content_bytes << kind, core::chunk_bytes));
}

/// The chunks of a segment that a slice overlaps, of the kind that it claims.
class ReadHistoryChunks {
 public:
  __device__ ReadHistoryChunks(const DecodeItem& item, const ReadSegment& segment,
                               const HistorySegment& located, std::uint32_t number)
      : item_(item),
        content_(item, number, segment),
        number_(number),
        first_(static_cast<std::uint32_t>(segment.begin / core::chunk_bytes)),
        count_(located.tasks),
        kind_(static_cast<std::uint8_t>(located.kind)),
        coded_bytes_(segment.content_bytes << located.kind) {}

  __device__ std::uint8_t kind() const { return kind_; }
  __device__ std::uint32_t count() const { return count_; }
  __device__ std::uint32_t chunk_bytes(std::uint32_t chunk) const {
    const std::uint64_t rest = coded_bytes_ - std::uint64_t{chunk} * core::chunk_bytes;
    return static_cast<std::uint32_t>(rest < core::chunk_bytes ? rest : core::chunk_bytes);
  }
  __device__ void put_task(std::uint32_t chunk, ChunkTask& task, ChunkTask* tasks) const {
    task.item = number_;
    if (kind_ == chunks::kind_history) {
      task.chunk_bytes = static_cast<std::uint16_t>(chunk_bytes(chunk));
    } else if (content_.is_wanted(chunk)) {
      set_target(item_, number_, first_ + chunk, chunk_bytes(chunk), task);
    } else {
      task.mode = mode_unwanted;
    }
    tasks[chunk] = task;
  }
  /// After a fault: the task of a chunk of content that becomes zeros.
  __device__ void put_zeros(std::uint32_t chunk, ChunkTask* tasks) const {
    ChunkTask task;
    task.mode = mode_unwanted;
    if (chunk < content_.count() && content_.is_wanted(chunk)) {
      task.mode = chunks::mode_raw;
      set_target(item_, number_, first_ + chunk, content_.chunk_bytes(chunk), task);
    }
    tasks[chunk] = task;
  }

 private:
  const DecodeItem& item_;
  ReadChunks content_;
  std::uint32_t number_;  ///< Of the segment among those of all items.
  std::uint32_t first_, count_;
  std::uint8_t kind_;
  std::uint64_t coded_bytes_;
};

/// What all segments of an item need together.
struct HistoryNeeds {
  std::uint64_t tasks = 0, tiles = 0, scratch = 0;
};

/// What one segment of an item needs.
__device__ inline HistoryNeeds needs_of(const DecodeItem& item, const ReadSegment& segment,
                                        std::uint8_t kind) {
  const std::uint64_t tiles = core::divide_up(segment.content_bytes, core::chunk_bytes);
  HistoryNeeds needs;
  needs.tasks = coded_chunks(segment, kind);
  if (kind == chunks::kind_history) needs.tiles = tiles;
  if (kind == chunks::kind_history &&
      (segment.begin < item.begin || segment.begin + segment.content_bytes > item.end))
    needs.scratch = tiles;
  return needs;
}

/// Gives the segments of an item their memory in the workspace. By all threads of a block.
__device__ inline void locate_item_segments(FrameBlock& block, const DecodeJob& job, std::uint32_t index) {
  const DecodeItem& item = job.items[index];
  const auto sum = [&](std::uint64_t number) {
    return block_scan(block, block.memory().warp_totals, number);
  };
  HistoryNeeds all;
  for (std::uint32_t s = threadIdx.x; s < item.segments; s += frame_threads) {
    const ReadSegment segment(item, item.first_segment + s);
    const HistoryNeeds needs = needs_of(item, segment, claimed_kind(item, segment));
    all.tasks += needs.tasks;
    all.tiles += needs.tiles;
    all.scratch += needs.scratch;
  }
  all = {sum(all.tasks).total, sum(all.tiles).total, sum(all.scratch).total};
  __shared__ HistoryNeeds taken;
  __shared__ bool fits;
  if (threadIdx.x == 0) {
    taken = {job.history.task_capacity, job.history.tile_capacity, job.history.scratch_capacity};
    const auto take = [](std::uint32_t* count, std::uint64_t number, std::uint32_t capacity,
                         std::uint64_t& begin) {
      if (number > capacity) return false;
      begin = atomicAdd(count, static_cast<std::uint32_t>(number));
      return begin + number <= capacity;
    };
    fits = take(&job.counters->task_count, all.tasks, job.history.task_capacity, taken.tasks);
    fits = fits && take(&job.counters->tile_count, all.tiles, job.history.tile_capacity, taken.tiles);
    fits =
        fits && take(&job.counters->scratch_count, all.scratch, job.history.scratch_capacity, taken.scratch);
    if (!fits) job.results[index] = {0, no_offset, static_cast<std::uint32_t>(ErrorCode::out_of_memory), 0};
  }
  __syncthreads();
  if (!fits) {  // what was taken is nobody's
    for (std::uint64_t t = taken.tasks + threadIdx.x;
         t < taken.tasks + all.tasks && t < job.history.task_capacity; t += frame_threads)
      job.tasks[t].mode = mode_unwanted;
    for (std::uint64_t t = taken.tiles + threadIdx.x;
         t < taken.tiles + all.tiles && t < job.history.tile_capacity; t += frame_threads)
      job.history.tile_segments[t] = item.first_unit;
  }
  HistoryNeeds next = taken;
  for (std::uint32_t first = 0; first < item.segments; first += frame_threads) {
    const std::uint32_t s = first + threadIdx.x;
    const bool exists = s < item.segments;
    const ReadSegment segment(item, item.first_segment + (exists ? s : 0));
    const std::uint8_t kind = claimed_kind(item, segment);
    const HistoryNeeds needs = exists ? needs_of(item, segment, kind) : HistoryNeeds{};
    const BlockScan tasks = sum(needs.tasks), tiles = sum(needs.tiles), scratch = sum(needs.scratch);
    if (exists) {
      HistorySegment located;
      located.item = index;
      if (fits) {
        located.kind = kind;
        located.first_task = static_cast<std::uint32_t>(next.tasks + tasks.before);
        located.tasks = static_cast<std::uint32_t>(needs.tasks);
        located.first_tile = static_cast<std::uint32_t>(next.tiles + tiles.before);
        located.tiles = static_cast<std::uint32_t>(needs.tiles);
        if (needs.scratch != 0) located.scratch = static_cast<std::uint32_t>(next.scratch + scratch.before);
        located.begin = segment.begin;
        located.content_bytes = segment.content_bytes;
      }
      job.history.segments[item.first_unit + s] = located;
    }
    next = {next.tasks + tasks.total, next.tiles + tiles.total, next.scratch + scratch.total};
  }
  __syncthreads();
}

__global__ void __launch_bounds__(frame_threads) locate_history(const __grid_constant__ DecodeJob job) {
  FrameBlock block;
  if (job.counters->unit_count == 0) return;
  for (std::uint64_t i = blockIdx.x; i < job.item_count; i += gridDim.x)
    locate_item_segments(block, job, static_cast<std::uint32_t>(i));
}

__global__ void __launch_bounds__(frame_threads)
    read_history_segments(const __grid_constant__ DecodeJob job) {
  FrameBlock block;
  load_crc_tables(block);
  block.sync();
  for (std::uint32_t unit = blockIdx.x; unit < job.counters->unit_count; unit += gridDim.x) {
    HistorySegment& located = job.history.segments[unit];
    if (located.kind == HistorySegment::no_kind) continue;
    DecodeItem& item = job.items[located.item];
    ReadSegment segment(item, item.first_segment + (unit - item.first_unit));
    const ReadHistoryChunks segment_chunks(item, segment, located, unit);
    ChunkTask* const tasks = job.tasks + located.first_task;
    Fault fault = read_segment_header(block, job, item, segment);
    if (fault.ok())
      fault = read_leaf(block, job, item, segment, segment_chunks, {0, segment_chunks.count()}, tasks);
    block.sync();
    if (!fault.ok()) {
      if (threadIdx.x == 0) located.kind = chunks::kind_content;
      for (std::uint32_t chunk = threadIdx.x; chunk < segment_chunks.count(); chunk += frame_threads)
        segment_chunks.put_zeros(chunk, tasks);
    }
    for (std::uint32_t tile = threadIdx.x; tile < located.tiles; tile += frame_threads) {
      job.history.tile_segments[located.first_tile + tile] = unit;
      job.history.tiles_left[located.first_tile + tile] = 0;
    }
    finish_segment(block, job, item, located.item, segment, fault);
  }
}

/// The words of a segment of kind 1, while it is decoded.
struct HistoryWords {
  SegmentValues values;
  std::uint32_t* pointers;
  std::uint32_t count;

  __device__ HistoryWords(const DecodeJob& job, const HistorySegment& segment)
      : pointers(job.history.pointers + std::uint64_t{segment.first_tile} * chunk_words),
        count(static_cast<std::uint32_t>(segment.content_bytes / 8)) {
    const DecodeItem& item = job.items[segment.item];
    if (segment.scratch == HistorySegment::in_place) {
      values.bytes = item.out + (segment.begin - item.begin);
    } else {
      values.bytes = job.history.scratch + std::uint64_t{segment.scratch} * core::chunk_bytes;
    }
    values.aligned = reinterpret_cast<std::uintptr_t>(values.bytes) % 8 == 0;
  }
  __device__ std::uint32_t tile_words_of(std::uint32_t tile) const {
    return min(chunk_words, count - tile * chunk_words);
  }
};

template <class Sink>
__device__ inline bool decode_payload(DeviceWarp warp, std::uint8_t* buffer, const ChunkTask& task,
                                      const Sink& sink) {
  if (task.mode != chunks::mode_raw)
    return TopsDecoder::decode(warp, buffer, task.payload, task.stored_bytes, task.chunk_bytes, sink);
  for (std::uint32_t i = warp.lane(); i < task.chunk_bytes / 8; i += warp_lanes)
    sink.put_word(i, load_aligned<std::uint64_t>(task.payload + 8 * i));
  return true;
}

__global__ void __launch_bounds__(32 * TopsLayout::max_warps, 1)
    decode_history_chunks(const __grid_constant__ DecodeJob job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  auto& weights = *reinterpret_cast<ChecksumTables*>(shared);
  load_weights(weights);
  DeviceWarp warp;
  std::uint8_t* const buffer = shared + ChunkMemory::fixed_bytes +
                               threadIdx.x / warp_lanes * ChunkMemory::warp_bytes(TopsDecoder::decode_bytes);
  const std::uint32_t count = min(job.counters->task_count, job.history.task_capacity);
  std::uint32_t ticket = warp.shuffle(take_ticket(warp, job.counters), 0);
  while (ticket < count) {
    ChunkTask task = job.tasks[ticket];
    const std::uint32_t next_ticket = take_ticket(warp, job.counters);
    if (task.mode != mode_unwanted) {
      HistorySegment& segment = job.history.segments[task.item];
      bool good = task.payload != nullptr && padding_is_zero(warp, task.payload, task.stored_bytes) &&
                  (task.checksums == 0 || payload_checksum(warp, task.payload, padded32(task.stored_bytes),
                                                           weights) == task.checksum);
      if (segment.kind == chunks::kind_history) {
        const HistoryWords words(job, segment);
        bool impossible = false;
        const std::uint32_t first = (ticket - segment.first_task) * chunk_words;
        if (first >= words.count) {
          good = good && decode_payload(warp, buffer, task,
                                        DistanceSink{words.pointers, first - words.count, &impossible});
        } else if (first + task.chunk_bytes / 8 <= words.count && words.values.aligned) {
          good = good &&
                 decode_payload(warp, buffer, task, ValueSink{words.values.bytes + 8 * std::uint64_t{first}});
        } else {
          good = good && decode_payload(
                             warp, buffer, task,
                             HistorySink{words.values, {words.pointers, 0, &impossible}, words.count, first});
        }
        good = warp.ballot(impossible) == 0 && good;
        if (!good && warp.lane() == 0) atomicExch(&segment.failed, 1);
      } else {
        const ChunkSink sink{task.chunk, task.begin, task.end,
                             task.begin == 0 && task.end == task.chunk_bytes && is_aligned(task.chunk)};
        good = good && decode_payload(warp, buffer, task, sink);
        for (std::uint32_t i = warp.lane(); !good && i < task.chunk_bytes; i += warp_lanes)
          sink.put_byte(i, 0);
      }
      task.item = segment.item;
      if (!good) report_fault(warp, job, task);
    }
    warp.sync();
    ticket = warp.shuffle(next_ticket, 0);
  }
}

/// Calls visit(tile's number, segment, tile within it) for a warp's tiles, of segments with history.
template <class Visit>
__device__ inline void for_each_tile(const DecodeJob& job, const Visit& visit) {
  const std::uint32_t count = min(job.counters->tile_count, job.history.tile_capacity);
  for (std::uint32_t number = warp_number(); number < count; number += warp_total()) {
    const HistorySegment& segment = job.history.segments[job.history.tile_segments[number]];
    if (segment.kind == chunks::kind_history) visit(number, segment, number - segment.first_tile);
  }
}

__global__ void __launch_bounds__(16 * history_warps)
    resolve_history_tiles(const __grid_constant__ DecodeJob job) {
  __shared__ std::uint32_t tiles[history_warps / 2][chunk_words];
  DeviceWarp warp;
  for_each_tile(job, [&](std::uint32_t number, const HistorySegment& segment, std::uint32_t tile) {
    if (segment.failed != 0) return;
    const HistoryWords words(job, segment);
    const bool left = resolve_tile(warp, tiles[threadIdx.x / warp_lanes], words.pointers, words.values,
                                   tile * chunk_words, words.tile_words_of(tile));
    if (left && warp.lane() == 0) job.history.tiles_left[number] = 1;
    warp.sync();
  });
}

__global__ void __launch_bounds__(32 * history_warps)
    follow_history_tiles(const __grid_constant__ DecodeJob job) {
  __shared__ WaitingWords waiting[history_warps];
  DeviceWarp warp;
  for_each_tile(job, [&](std::uint32_t number, const HistorySegment& segment, std::uint32_t tile) {
    if (segment.failed != 0 || job.history.tiles_left[number] == 0) return;
    const HistoryWords words(job, segment);
    const bool left = follow_pointers(warp, waiting[threadIdx.x / warp_lanes], words.pointers, words.values,
                                      tile * chunk_words, words.tile_words_of(tile),
                                      [&](std::uint32_t i) { return __ldcg(words.pointers + i); });
    if (!left && warp.lane() == 0) job.history.tiles_left[number] = 0;
    warp.sync();
  });
}

/// Makes segments with a damaged chunk zeros, and copies what is wanted of others in part.
__global__ void __launch_bounds__(32 * history_warps)
    deliver_history_tiles(const __grid_constant__ DecodeJob job) {
  DeviceWarp warp;
  for_each_tile(job, [&](std::uint32_t, const HistorySegment& segment, std::uint32_t tile) {
    if (segment.failed == 0 && segment.scratch == HistorySegment::in_place) return;
    const DecodeItem& item = job.items[segment.item];
    const HistoryWords words(job, segment);
    std::uint8_t* const out =
        item.out + segment.begin - item.begin;  // may lie before `out`: then bytes before it are not wanted
    const bool aligned = reinterpret_cast<std::uintptr_t>(out) % 8 == 0;
    for (std::uint32_t i = warp.lane(); i < words.tile_words_of(tile); i += warp_lanes) {
      const std::uint64_t at = 8 * (std::uint64_t{tile} * chunk_words + i), taken = segment.begin + at;
      if (taken < item.begin || taken >= item.end) continue;
      store_value(out + at,
                  segment.failed != 0 ? 0 : load_value(words.values.bytes + at, words.values.aligned),
                  aligned);
    }
  });
}

}  // namespace floe::gpu
