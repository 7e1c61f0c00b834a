// Segments of a codec with a stage over the segment, on the device: their kinds and places, their chunks, and
// the words that their matches lead to. What frames say is checked as read_frames.cuh and read_segments.cuh
// check it.
#pragma once

#include "gpu/chunks/decode_chunks.cuh"
#include "gpu/chunks/tops_decoder.hpp"
#include "gpu/frames/read_segments.cuh"
#include "gpu/history/history_kernels.hpp"
#include "gpu/history/match_words.hpp"

namespace floe::cuda {

/// ChunkTask::mode of a chunk that is not wanted.
inline constexpr std::uint8_t mode_unwanted = 255;

/// What the unchecked head of a segment says of its kind; its other bytes are checked later.
__device__ inline std::uint8_t claimed_kind(const ReadSegment& segment) {
  return segment.head()[36] == format::kind_history ? format::kind_history : format::kind_content;
}

__device__ inline std::uint32_t coded_chunks(const ReadSegment& segment, std::uint8_t kind) {
  return static_cast<std::uint32_t>(core::divide_up(segment.content_bytes << kind, core::chunk_bytes));
}

/// A segment that a slice overlaps, of the kind that it claims.
struct ReadHistorySegment : ReadSegment {
  std::uint32_t number;  ///< Among those of all items.

  __device__ ReadHistorySegment(const DecodeItem& of, const HistorySegment& placed, std::uint32_t segment,
                                std::uint32_t its_number)
      : ReadSegment(of, segment), number(its_number) {
    kind = static_cast<std::uint8_t>(placed.kind);
    coded_bytes = content_bytes << kind;
    chunks = placed.tasks;
    first_number = placed.first_number;
  }

  __device__ void put_task(std::uint32_t, std::uint32_t chunk, ChunkTask& task, ChunkTask* tasks) const {
    const std::uint32_t content_chunk = first_chunk() + chunk;
    task.item = number;
    if (kind == format::kind_history) {
      task.chunk_bytes = static_cast<std::uint16_t>(chunk_bytes(chunk));
    } else if (content_chunk < item.first_chunk || content_chunk - item.first_chunk >= item.chunks) {
      task.mode = mode_unwanted;
    } else {
      place_task(*this, number, content_chunk, chunk_bytes(chunk), task);
    }
    tasks[chunk] = task;
  }
};

/// What all segments of an item need together.
struct HistoryNeeds {
  std::uint64_t tasks = 0, tiles = 0, scratch = 0;
};

/// What one segment of an item needs, if it is wanted.
__device__ inline HistoryNeeds needs_of(const DecodeItem& item, const ReadSegment& segment,
                                        std::uint8_t kind) {
  if (segment.index < item.first_segment) return {};
  const std::uint64_t begin = segment.index * item.segment_bytes,
                      tiles = core::divide_up(segment.content_bytes, core::chunk_bytes);
  HistoryNeeds needs;
  needs.tasks = coded_chunks(segment, kind);
  if (kind == format::kind_history) needs.tiles = tiles;
  if (kind == format::kind_history && (begin < item.begin || begin + segment.content_bytes > item.end))
    needs.scratch = tiles;
  return needs;
}

/// Gives the segments of an item their places in the workspace. Called by all threads of a block.
__device__ inline void place_item_segments(BlockMemory& memory, const DecodeJob& job, std::uint32_t index) {
  const DecodeItem& item = job.items[index];
  const std::uint32_t end = item.segments == 0 ? 0 : item.first_segment + item.segments;
  HistoryNeeds all;
  for (std::uint32_t s = item.first_segment + threadIdx.x; s < end; s += block_threads) {
    const ReadSegment segment(item, s);
    const HistoryNeeds needs = needs_of(item, segment, claimed_kind(segment));
    all.tasks += needs.tasks;
    all.tiles += needs.tiles;
    all.scratch += needs.scratch;
  }
  all = {block_scan(memory, all.tasks).total, block_scan(memory, all.tiles).total,
         block_scan(memory, all.scratch).total};
  __shared__ HistoryNeeds place;
  __shared__ bool fits;
  if (threadIdx.x == 0) {
    place = {job.history.task_capacity, job.history.tile_capacity, job.history.scratch_capacity};
    const auto take = [](std::uint32_t* count, std::uint64_t number, std::uint32_t capacity,
                         std::uint64_t& begin) {
      if (number > capacity) return false;
      begin = atomicAdd(count, static_cast<std::uint32_t>(number));
      return begin + number <= capacity;
    };
    fits = take(&job.counters->task_count, all.tasks, job.history.task_capacity, place.tasks);
    fits = fits && take(&job.counters->tile_count, all.tiles, job.history.tile_capacity, place.tiles);
    fits =
        fits && take(&job.counters->scratch_count, all.scratch, job.history.scratch_capacity, place.scratch);
    if (!fits) job.results[index] = {0, no_offset, static_cast<std::uint32_t>(ErrorCode::out_of_memory), 0};
  }
  __syncthreads();
  if (!fits) {  // what was taken is nobody's
    for (std::uint64_t t = place.tasks + threadIdx.x;
         t < place.tasks + all.tasks && t < job.history.task_capacity; t += block_threads)
      job.tasks[t].mode = mode_unwanted;
    for (std::uint64_t t = place.tiles + threadIdx.x;
         t < place.tiles + all.tiles && t < job.history.tile_capacity; t += block_threads)
      job.history.tile_segments[t] = item.unit_place;
  }
  HistoryNeeds next = place;
  std::uint64_t number = 0;
  for (std::uint32_t first = 0; first < end; first += block_threads) {
    const std::uint32_t s = first + threadIdx.x;
    const ReadSegment segment(item, s < end ? s : 0);
    const std::uint8_t kind = claimed_kind(segment);
    const HistoryNeeds needs = s < end ? needs_of(item, segment, kind) : HistoryNeeds{};
    const BlockScan numbers = block_scan(memory, s < end ? coded_chunks(segment, kind) : 0);
    const BlockScan tasks = block_scan(memory, needs.tasks), tiles = block_scan(memory, needs.tiles);
    const BlockScan scratch = block_scan(memory, needs.scratch);
    if (s < end && s >= item.first_segment) {
      HistorySegment placed;
      placed.item = index;
      if (fits) {
        placed.kind = kind;
        placed.first_number = number + numbers.before;
        placed.first_task = static_cast<std::uint32_t>(next.tasks + tasks.before);
        placed.tasks = static_cast<std::uint32_t>(needs.tasks);
        placed.first_tile = static_cast<std::uint32_t>(next.tiles + tiles.before);
        placed.tiles = static_cast<std::uint32_t>(needs.tiles);
        if (needs.scratch != 0) placed.scratch = static_cast<std::uint32_t>(next.scratch + scratch.before);
        placed.begin = s * item.segment_bytes;
        placed.content_bytes = segment.content_bytes;
      }
      job.history.segments[item.unit_place + (s - item.first_segment)] = placed;
    }
    number += numbers.total;
    next = {next.tasks + tasks.total, next.tiles + tiles.total, next.scratch + scratch.total};
  }
  __syncthreads();
}

__device__ inline void place_history(const DecodeJob& job) {
  __shared__ BlockMemory memory;
  if (job.counters->unit_count == 0) return;
  for (std::uint64_t i = blockIdx.x; i < job.item_count; i += gridDim.x)
    place_item_segments(memory, job, static_cast<std::uint32_t>(i));
}

/// After a fault in the head: the chunks of its content become zeros.
__device__ inline void give_up_history(const DecodeJob& job, HistorySegment& placed,
                                       const ReadHistorySegment& claimed, ChunkTask* tasks) {
  __syncthreads();
  if (threadIdx.x == 0) placed.kind = format::kind_content;
  const ReadSegment content(claimed.item, claimed.index);
  for (std::uint32_t chunk = threadIdx.x; chunk < placed.tasks; chunk += block_threads) {
    const std::uint32_t number = content.first_chunk() + chunk;
    ChunkTask task;
    task.mode = mode_unwanted;
    const bool wanted = chunk < content.chunks && number >= claimed.item.first_chunk &&
                        number - claimed.item.first_chunk < claimed.item.chunks;
    if (wanted) {
      task.mode = format::mode_raw;
      place_task(content, claimed.number, number, content.chunk_bytes(chunk), task);
    }
    tasks[chunk] = task;
  }
}

__device__ inline void read_history_segments(const DecodeJob& job) {
  __shared__ BlockMemory memory;
  load_crc_tables(memory);
  __syncthreads();
  for (std::uint32_t unit = blockIdx.x; unit < job.counters->unit_count; unit += gridDim.x) {
    HistorySegment& placed = job.history.segments[unit];
    if (placed.kind == HistorySegment::no_kind) continue;
    DecodeItem& item = job.items[placed.item];
    const ReadHistorySegment segment(item, placed, item.first_segment + (unit - item.unit_place), unit);
    ChunkTask* const tasks = job.tasks + placed.first_task;
    std::uint64_t share = 0;
    const Fault fault = read_head(memory, segment, {unit, 0, segment.chunks}, tasks, share);
    if (!fault.ok()) give_up_history(job, placed, segment, tasks);
    for (std::uint32_t tile = threadIdx.x; tile < placed.tiles; tile += block_threads) {
      job.history.tile_segments[placed.first_tile + tile] = unit;
      job.history.tiles_left[placed.first_tile + tile] = 0;
    }
    finish_segment(memory, job, item, placed.item, fault, share);
  }
}

/// The words of a segment of kind 1, while it is decoded.
struct HistoryWords {
  SegmentValues values;
  std::uint32_t* pointers;
  std::uint32_t count;

  __device__ HistoryWords(const DecodeJob& job, const HistorySegment& segment)
      : pointers(job.history.pointers + std::uint64_t{segment.first_tile} * tile_words),
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
    return min(tile_words, count - tile * tile_words);
  }
};

template <class Sink>
__device__ inline bool decode_payload(DeviceWarp warp, std::uint8_t* buffer, const ChunkTask& task,
                                      const Sink& sink) {
  if (task.mode != format::mode_raw)
    return TopsDecoder::decode(warp, buffer, task.payload, task.stored_bytes, task.chunk_bytes, sink);
  for (std::uint32_t i = warp.lane(); i < task.chunk_bytes / 8; i += warp_lanes)
    sink.put_word(i, load_aligned<std::uint64_t>(task.payload + 8 * i));
  return true;
}

__device__ inline void decode_history_chunks(const DecodeJob& job, std::uint8_t* shared) {
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
      if (segment.kind == format::kind_history) {
        const HistoryWords words(job, segment);
        bool impossible = false;
        const std::uint32_t first = (ticket - segment.first_task) * tile_words;
        if (first >= words.count) {
          good = good && decode_payload(warp, buffer, task,
                                        DistanceSink{words.pointers, first - words.count, &impossible});
        } else if (first + task.chunk_bytes / 8 <= words.count && words.values.aligned) {
          good = good &&
                 decode_payload(warp, buffer, task, ValueSink{words.values.bytes + 8 * std::uint64_t{first}});
        } else {
          good = good &&
                 decode_payload(warp, buffer, task,
                                HistorySink{words.values, words.pointers, words.count, first, &impossible});
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

/// Calls visit(tile's number, segment, its words, tile within it) for the tiles whose turn it is, of segments
/// whose chunks were good.
template <class Visit>
__device__ inline void for_each_tile(const DecodeJob& job, const Visit& visit) {
  const std::uint32_t count = min(job.counters->tile_count, job.history.tile_capacity);
  for (std::uint32_t number = (blockIdx.x * blockDim.x + threadIdx.x) / warp_lanes; number < count;
       number += gridDim.x * blockDim.x / warp_lanes) {
    const HistorySegment& segment = job.history.segments[job.history.tile_segments[number]];
    if (segment.kind == format::kind_history) visit(number, segment, number - segment.first_tile);
  }
}

__device__ inline void resolve_history_tiles(const DecodeJob& job) {
  __shared__ std::uint32_t tiles[history_warps / 2][tile_words];
  DeviceWarp warp;
  for_each_tile(job, [&](std::uint32_t number, const HistorySegment& segment, std::uint32_t tile) {
    if (segment.failed != 0) return;
    const HistoryWords words(job, segment);
    const bool left = resolve_tile(warp, tiles[threadIdx.x / warp_lanes], words.pointers, words.values,
                                   tile * tile_words, words.tile_words_of(tile));
    if (left && warp.lane() == 0) job.history.tiles_left[number] = 1;
    warp.sync();
  });
}

__device__ inline void follow_history_tiles(const DecodeJob& job) {
  __shared__ WaitingWords waiting[history_warps];
  DeviceWarp warp;
  for_each_tile(job, [&](std::uint32_t number, const HistorySegment& segment, std::uint32_t tile) {
    if (segment.failed != 0 || job.history.tiles_left[number] == 0) return;
    const HistoryWords words(job, segment);
    const bool left = follow_pointers(warp, waiting[threadIdx.x / warp_lanes], words.pointers, words.values,
                                      tile * tile_words, words.tile_words_of(tile),
                                      [&](std::uint32_t i) { return __ldcg(words.pointers + i); });
    if (!left && warp.lane() == 0) job.history.tiles_left[number] = 0;
    warp.sync();
  });
}

/// Makes segments with a damaged chunk zeros, and copies what is wanted of those that are not wanted as a
/// whole.
__device__ inline void deliver_history_tiles(const DecodeJob& job) {
  DeviceWarp warp;
  for_each_tile(job, [&](std::uint32_t, const HistorySegment& segment, std::uint32_t tile) {
    if (segment.failed == 0 && segment.scratch == HistorySegment::in_place) return;
    const DecodeItem& item = job.items[segment.item];
    const HistoryWords words(job, segment);
    std::uint8_t* const out =
        item.out + segment.begin - item.begin;  // may lie before `out`: then bytes before it are not wanted
    const bool aligned = reinterpret_cast<std::uintptr_t>(out) % 8 == 0;
    for (std::uint32_t i = warp.lane(); i < words.tile_words_of(tile); i += warp_lanes) {
      const std::uint64_t at = 8 * (std::uint64_t{tile} * tile_words + i), place = segment.begin + at;
      if (place < item.begin || place >= item.end) continue;
      store_word(out + at, segment.failed != 0 ? 0 : load_word(words.values.bytes + at, words.values.aligned),
                 aligned);
    }
  });
}

}  // namespace floe::cuda
