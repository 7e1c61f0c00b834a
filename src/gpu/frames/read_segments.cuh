// Segment heads of frames in device memory: checked as src/format/segment_head.cpp does, then turned into one
// task per wanted chunk.
#pragma once

#include "gpu/frames/read_frames.cuh"

namespace floe::cuda {

/// One segment that a slice overlaps.
struct ReadSegment {
  const DecodeItem& item;
  std::uint32_t index;
  std::uint64_t offset, bytes;  ///< In the frame.
  std::uint32_t chunks;
  std::uint64_t content_bytes;
  std::uint64_t coded_bytes;   ///< That its chunks decode to.
  std::uint64_t first_number;  ///< Of its first chunk among all of the frame.
  std::uint8_t kind = format::kind_content;

  __device__ ReadSegment(const DecodeItem& of, std::uint32_t segment) : item(of), index(segment) {
    const std::uint8_t* const at = item.frame + item.footer_offset + 40 + 8 * std::uint64_t{segment};
    offset = get<std::uint64_t>(at);
    bytes = (segment + 1 < item.segment_count ? get<std::uint64_t>(at + 8) : item.footer_offset) - offset;
    const std::uint64_t left = item.content_bytes - segment * item.segment_bytes;
    content_bytes = left < item.segment_bytes ? left : item.segment_bytes;
    chunks = static_cast<std::uint32_t>(core::divide_up(content_bytes, core::chunk_bytes));
    coded_bytes = content_bytes;
    first_number = first_chunk();
  }
  /// Number of its first chunk of content in the array.
  __device__ std::uint32_t first_chunk() const {
    return index * static_cast<std::uint32_t>(item.segment_bytes / core::chunk_bytes);
  }
  __device__ const std::uint8_t* head() const { return item.frame + offset; }
  __device__ std::uint32_t chunk_bytes(std::uint32_t chunk) const {
    const std::uint64_t rest = coded_bytes - std::uint64_t{chunk} * core::chunk_bytes;
    return static_cast<std::uint32_t>(rest < core::chunk_bytes ? rest : core::chunk_bytes);
  }
  /// Writes the task of a chunk, if it is wanted, with those of its item's wanted chunks.
  __device__ void put_task(std::uint32_t item_index, std::uint32_t chunk, ChunkTask& task,
                           ChunkTask* tasks) const;
};

/// The fixed part of a head, and its fields.
__device__ inline Fault parse_head(const ReadSegment& segment, std::uint64_t& head_bytes,
                                   std::uint64_t& payload_bytes, std::uint64_t& fields_bytes) {
  const std::uint8_t* const head = segment.head();
  const std::uint64_t at = segment.offset;
  // All at once: one load after the other would take longer than the rest.
  const auto a = load_aligned<Vector<std::uint32_t>>(head),
             c = load_aligned<Vector<std::uint32_t>>(head + 32);
  const auto index = load_aligned<std::uint64_t>(head + 8),
             content_bytes = load_aligned<std::uint64_t>(head + 16);
  payload_bytes = load_aligned<std::uint64_t>(head + 24);
  head_bytes = a.word[1];
  fields_bytes = c.word[3];
  if (a.word[0] != format::segment_magic) return corrupt(at);
  if (c.word[1] >> 8 != 0) return corrupt(at + 37);
  if (index != segment.index) return corrupt(at + 8);
  if (c.word[2] != segment.item.header_crc) return corrupt(at + 40);
  if (content_bytes != segment.content_bytes) return corrupt(at + 16);
  if ((c.word[1] & 255) != segment.kind) return corrupt(at + 36);
  if (c.word[0] != segment.chunks) return corrupt(at + 32);
  if (fields_bytes % 8 != 0 || fields_bytes > format::largest_fields_bytes) return corrupt(at + 44);
  if (head_bytes != head_bytes_of(segment.chunks, segment.item.checksums, fields_bytes))
    return corrupt(at + 4);
  if (payload_bytes > (segment.coded_bytes + 15) / 16 * 16 || payload_bytes % format::alignment != 0)
    return corrupt(at + 24);
  if (head_bytes + payload_bytes != segment.bytes) return corrupt(at + 24);
  return {};
}

/// What of a chunk is wanted, and where it goes.
__device__ inline void place_task(const ReadSegment& segment, std::uint32_t item_index, std::uint32_t number,
                                  std::uint32_t chunk_bytes, ChunkTask& task) {
  const DecodeItem& item = segment.item;
  const std::uint64_t begin = std::uint64_t{number} * core::chunk_bytes;
  task.chunk = item.out + (begin - item.begin);  // may lie before `out`: then bytes before it are not wanted
  task.chunk_bytes = static_cast<std::uint16_t>(chunk_bytes);
  task.begin = static_cast<std::uint16_t>(item.begin > begin ? item.begin - begin : 0);
  task.end = static_cast<std::uint16_t>(item.end - begin < chunk_bytes ? item.end - begin : chunk_bytes);
  task.item = item_index;
}

__device__ inline void ReadSegment::put_task(std::uint32_t item_index, std::uint32_t chunk, ChunkTask& task,
                                             ChunkTask* tasks) const {
  const std::uint32_t number = first_chunk() + chunk;
  if (number < item.first_chunk || number - item.first_chunk >= item.chunks) return;
  place_task(*this, item_index, number, chunk_bytes(chunk), task);
  tasks[number - item.first_chunk] = task;
}

/// The chunks of a segment whose tasks a block writes. Several blocks may check the same head: what takes
/// time is to write the tasks.
struct SegmentPart {
  std::uint32_t item_index;
  std::uint32_t begin, end;
};

/// Checks one entry of a table, whose payload should begin `payload` bytes behind the head, adds it to the
/// digest, and writes its task if the chunk is wanted and in the part. False if the entry is impossible.
template <class Segment>
__device__ inline bool use_entry(const Segment& segment, const SegmentPart& part, std::uint32_t chunk,
                                 std::uint64_t head_bytes, std::uint64_t payload, ChunkTask& task,
                                 ChunkTask* tasks, std::uint64_t& digest) {
  const DecodeItem& item = segment.item;
  const std::uint8_t* const head = segment.head();
  const std::uint32_t chunk_bytes = segment.chunk_bytes(chunk);
  bool good = task.mode == format::mode_raw ? task.stored_bytes == chunk_bytes
                                            : task.mode == format::mode_coded && task.stored_bytes > 0 &&
                                                  task.stored_bytes < chunk_bytes;
  if (chunk % format::chunks_per_group == 0 && chunk != 0) {
    const std::uint8_t* const offset =
        head + format::fixed_segment_head_bytes + 8 * (chunk / format::chunks_per_group - 1);
    good = good && load_aligned<std::uint64_t>(offset) == payload;
  }
  digest += format::digest_term(segment.first_number + chunk, task.checksum, task.stored_bytes, task.mode);
  task.payload = head + head_bytes + payload;
  task.dimensionality = static_cast<std::uint8_t>(item.dimensionality);
  task.checksums = item.checksums ? 1 : 0;
  if (chunk >= part.begin && chunk < part.end) segment.put_task(part.item_index, chunk, task, tasks);
  return good;
}

/// Checks a whole head. Called by all threads, which get the same answer. Also writes the tasks of the part's
/// wanted chunks to `tasks`, where those of the item begin: they count only if there is no fault.
template <class Segment>
__device__ inline Fault read_head(BlockMemory& memory, const Segment& segment, const SegmentPart& part,
                                  ChunkTask* tasks, std::uint64_t& digest) {
  const DecodeItem& item = segment.item;
  const std::uint8_t* const head = segment.head();
  std::uint64_t head_bytes = 0, payload_bytes = 0, fields_bytes = 0;
  if (const Fault fault = parse_head(segment, head_bytes, payload_bytes, fields_bytes); !fault.ok())
    return fault;
  const std::uint64_t crc_at = head_bytes - 4;
  if (block_crc(memory, head, crc_at) != get<std::uint32_t>(head + crc_at))
    return corrupt(segment.offset + crc_at);
  const HeadLayout layout(segment.chunks, item.checksums, fields_bytes);
  std::uint64_t used = 0;
  if (const Fault fault = read_fields(head, layout.fields, layout.checksums, segment.offset, nullptr, used);
      !fault.ok())
    return fault;
  if (used != layout.checksums) return corrupt(segment.offset + used);

  bool good = zeros(head, layout.end, crc_at);
  std::uint64_t payloads = 0;
  for (std::uint32_t first = 0; first < segment.chunks; first += scanned_rows * block_threads) {
    ChunkTask task[scanned_rows];
    std::uint32_t before[scanned_rows];
#pragma unroll
    for (unsigned i = 0; i < scanned_rows; ++i) {
      const std::uint32_t chunk = first + i * block_threads + threadIdx.x;
      if (chunk >= segment.chunks) continue;
      if (item.checksums) task[i].checksum = load_aligned<std::uint32_t>(head + layout.checksums + 4 * chunk);
      task[i].stored_bytes = load_aligned<std::uint16_t>(head + layout.stored_bytes + 2 * chunk);
      task[i].mode = head[layout.modes + chunk];
    }
#pragma unroll
    for (unsigned i = 0; i < scanned_rows; ++i) before[i] = padded32(task[i].stored_bytes);
    const std::uint32_t all = scan_rows(memory, before);
#pragma unroll
    for (unsigned i = 0; i < scanned_rows; ++i) {
      const std::uint32_t chunk = first + i * block_threads + threadIdx.x;
      if (chunk < segment.chunks)
        good =
            use_entry(segment, part, chunk, head_bytes, payloads + before[i], task[i], tasks, digest) && good;
    }
    payloads += all;
  }
  if (__syncthreads_and(good && payloads == payload_bytes) == 0)
    return corrupt(segment.offset + format::fixed_segment_head_bytes);
  return {};
}

/// Makes the tasks of a damaged segment such that its chunks become zeros.
__device__ inline void give_up(const ReadSegment& segment, const SegmentPart& part, ChunkTask* tasks) {
  for (std::uint32_t chunk = part.begin + threadIdx.x; chunk < part.end; chunk += block_threads) {
    ChunkTask task;
    segment.put_task(part.item_index, chunk, task, tasks);
  }
}

__device__ inline void report(ItemResult& result, const Fault& fault) {
  atomicExch(&result.code, static_cast<std::uint32_t>(fault.code));
  atomicMin(reinterpret_cast<unsigned long long*>(&result.byte_offset),
            static_cast<unsigned long long>(fault.byte_offset));
}

/// Adds a segment's digest to that of its frame, or reports its fault; with the last one of a frame that is
/// decoded whole, holds the digest against the footer's. Called by all threads; `share` is that of each.
__device__ inline void finish_segment(BlockMemory& memory, const DecodeJob& job, DecodeItem& item,
                                      std::uint32_t index, const Fault& fault, std::uint64_t share) {
  const std::uint64_t digest = block_scan(memory, share).total;
  if (threadIdx.x == 0) {
    if (fault.ok()) {
      atomicAdd(&item.found_digest, static_cast<unsigned long long>(digest));
    } else {
      report(job.results[index], fault);
    }
  }
  if (is_last_of(&item.units_done, item.segments) && threadIdx.x == 0) {
    const bool whole = item.begin == 0 && item.end == item.content_bytes;
    const std::uint64_t found = item.checksums ? __ldcg(&item.found_digest) : 0;
    if (whole && found != item.digest) report(job.results[index], corrupt(item.footer_offset + 24));
  }
}

/// Blocks that share a segment, at most.
inline constexpr std::uint32_t max_parts = 8;

/// Reads the segments whose turn it is. `memory` has the tables of load_crc_tables.
__device__ inline void read_all_segments(BlockMemory& memory, const DecodeJob& job) {
  const std::uint32_t units = job.counters->unit_count;
  const std::uint32_t parts = units == 0 ? 1 : min(max(gridDim.x / units, 1), max_parts);
  for (std::uint32_t work = blockIdx.x; work < units * parts; work += gridDim.x) {
    const std::uint32_t unit = work / parts, number = work % parts;
    const auto index = static_cast<std::uint32_t>(
        job.item_count == 1 ? 0 : find_owner(job.item_count, unit, [&](std::uint64_t i) {
          return job.items[i].unit_place;
        }));
    DecodeItem& item = job.items[index];
    const ReadSegment segment(item, item.first_segment + (unit - item.unit_place));
    const std::uint32_t each = (segment.chunks + parts - 1) / parts,
                        begin = min(number * each, segment.chunks);
    const SegmentPart part{index, begin, min(begin + each, segment.chunks)};
    ChunkTask* const tasks = job.tasks + item.chunk_place;
    std::uint64_t share = 0;
    const Fault fault = read_head(memory, segment, part, tasks, share);
    if (!fault.ok()) give_up(segment, part, tasks);
    if (number == 0) finish_segment(memory, job, item, index, fault, share);
  }
}

}  // namespace floe::cuda
