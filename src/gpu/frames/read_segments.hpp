// Segments of frames in device memory, turned into tasks: of a codec, headers and tables are checked as
// src/container and src/chunks do it, and every wanted chunk is a task; a stream of another tree is one task,
// and verified later.
#pragma once

#include "gpu/frames/read_segment_header.hpp"
#include "gpu/frames/segment_facts.hpp"
#include "gpu/warp/checksum.hpp"

namespace floe::gpu {

/// What of a chunk is wanted, and where it goes.
FLOE_DEVICE void set_target(const DecodeItem& item, std::uint32_t item_index, std::uint32_t number,
                            std::uint32_t chunk_bytes, ChunkTask& task) {
  const std::uint64_t begin = std::uint64_t{number} * core::chunk_bytes;
  // It may lie before `out`: then the bytes before that are not wanted. Hence no arithmetic of pointers.
  task.chunk =
      reinterpret_cast<std::uint8_t*>(reinterpret_cast<std::uintptr_t>(item.out) + begin - item.begin);
  task.chunk_bytes = static_cast<std::uint16_t>(chunk_bytes);
  task.begin = static_cast<std::uint16_t>(item.begin > begin ? item.begin - begin : 0);
  task.end = static_cast<std::uint16_t>(item.end - begin < chunk_bytes ? item.end - begin : chunk_bytes);
  task.item = item_index;
}

/// The chunks of a segment that a slice overlaps, without a stage over the segment.
class ReadChunks {
 public:
  FLOE_DEVICE ReadChunks(const DecodeItem& item, std::uint32_t item_index, const ReadSegment& segment)
      : item_(item),
        item_index_(item_index),
        first_(static_cast<std::uint32_t>(segment.begin / core::chunk_bytes)),
        content_bytes_(segment.content_bytes) {}

  FLOE_DEVICE std::uint8_t kind() const { return chunks::kind_content; }
  FLOE_DEVICE std::uint32_t count() const {
    return static_cast<std::uint32_t>(core::divide_up(content_bytes_, core::chunk_bytes));
  }
  FLOE_DEVICE std::uint32_t chunk_bytes(std::uint32_t chunk) const {
    const std::uint64_t rest = content_bytes_ - std::uint64_t{chunk} * core::chunk_bytes;
    return static_cast<std::uint32_t>(rest < core::chunk_bytes ? rest : core::chunk_bytes);
  }
  /// Whether a chunk is wanted, and which one of its item it is then.
  FLOE_DEVICE bool is_wanted(std::uint32_t chunk) const {
    return first_ + chunk >= item_.first_chunk && first_ + chunk - item_.first_chunk < item_.chunks;
  }
  /// Writes the task of a chunk, if it is wanted, with those of its item's wanted chunks.
  FLOE_DEVICE void put_task(std::uint32_t chunk, ChunkTask& task, ChunkTask* tasks) const {
    if (!is_wanted(chunk)) return;
    set_target(item_, item_index_, first_ + chunk, chunk_bytes(chunk), task);
    tasks[first_ + chunk - item_.first_chunk] = task;
  }

 private:
  const DecodeItem& item_;
  std::uint32_t item_index_;
  std::uint32_t first_;  ///< Its first chunk among those of the array.
  std::uint64_t content_bytes_;
};

/// The chunks of a segment whose tasks a block writes. Several blocks may check the same table: what takes
/// time is to write the tasks.
struct SegmentShare {
  std::uint32_t begin = 0, end = 0;
};

/// Whether a front is that of the wanted codec; which dimensionality it has.
FLOE_DEVICE Fault check_front(const DecodeJob& job, const std::uint8_t* front, std::uint64_t offset,
                              std::uint8_t kind, std::uint32_t& dimensionality) {
  const auto begin = load_aligned<std::uint64_t>(front), zeros = load_aligned<std::uint64_t>(front + 8);
  constexpr unsigned kind_shift = 8 * chunks::kind_at;
  const std::uint64_t plan = begin % (std::uint64_t{1} << kind_shift);
  dimensionality = static_cast<std::uint32_t>(plan >> 32);
  if (plan != leaf_plan(job.codec_id, dimensionality) || dimensionality < 1 ||
      dimensionality > job.max_dimensionality)
    return other_kind(offset);
  return begin >> kind_shift == kind && kind <= job.max_kind && zeros == 0
             ? Fault{}
             : corrupt(offset + chunks::kind_at);
}

/// Checks the stream of a segment. By all threads, which get the same answer. Also writes the tasks of the
/// share's wanted chunks to `tasks`: they count only if there is no fault.
template <class Block, class Chunks>
FLOE_DEVICE Fault read_leaf(Block& block, const DecodeJob& job, const DecodeItem& item,
                            const ReadSegment& segment, const Chunks& segment_chunks,
                            const SegmentShare& share, ChunkTask* tasks) {
  const std::uint8_t* const stream = item.frame + segment.stream_offset;
  const std::uint32_t count = segment_chunks.count();
  const std::uint64_t header_bytes = leaf_header_bytes(count, item.checksums);
  if (segment.stored_bytes < chunks::front_bytes) return other_kind(segment.stream_offset);
  std::uint32_t dimensionality = 1;
  if (const Fault fault =
          check_front(job, stream, segment.stream_offset, segment_chunks.kind(), dimensionality);
      !fault.ok())
    return fault;
  if (header_bytes > segment.stored_bytes) return corrupt(segment.stream_offset);

  const std::uint8_t* const table = stream + chunks::front_bytes;
  const TableLayout layout(count, item.checksums);
  bool is_good = is_zero(table, layout.end, header_bytes - chunks::front_bytes);
  std::uint64_t payloads = 0, digest = 0;
  if (block.warp_index() == 0) {
    const std::uint32_t checksum =
        item.checksums ? payload_checksum(block.warp(), stream, chunks::front_bytes, checksum_tables) : 0;
    if (block.rank() == 0) digest = core::digest_term(0, checksum, chunks::front_bytes, chunks::mode_raw);
  }
  for (std::uint32_t first = 0; first < count; first += scanned_rows * block.size()) {
    ChunkTask task[scanned_rows];
    std::uint32_t before[scanned_rows];
    FLOE_UNROLL
    for (unsigned i = 0; i < scanned_rows; ++i) {
      const std::uint32_t chunk = first + i * block.size() + block.rank();
      if (chunk >= count) continue;
      if (item.checksums)
        task[i].checksum = load_aligned<std::uint32_t>(table + layout.checksums + 4 * chunk);
      task[i].stored_bytes = load_aligned<std::uint16_t>(table + layout.stored_bytes + 2 * chunk);
      task[i].mode = table[layout.modes + chunk];
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < scanned_rows; ++i) before[i] = padded32(task[i].stored_bytes);
    const std::uint32_t all = scan_rows(block, block.memory().row_totals, before);
    FLOE_UNROLL
    for (unsigned i = 0; i < scanned_rows; ++i) {
      const std::uint32_t chunk = first + i * block.size() + block.rank(),
                          chunk_bytes = segment_chunks.chunk_bytes(chunk);
      if (chunk >= count) continue;
      const std::uint64_t payload = payloads + before[i];
      const bool is_raw = task[i].mode == chunks::mode_raw && task[i].stored_bytes == chunk_bytes;
      const bool is_coded = task[i].mode == chunks::mode_coded && task[i].stored_bytes > 0 &&
                            task[i].stored_bytes < chunk_bytes;
      is_good = is_good && (is_raw || is_coded);
      if (chunk % chunks::chunks_per_group == 0 && chunk != 0) {
        const std::uint8_t* const offset = table + 8 * (chunk / chunks::chunks_per_group - 1);
        is_good = is_good && load_aligned<std::uint64_t>(offset) == payload;
      }
      digest += core::digest_term(1 + chunk, task[i].checksum, task[i].stored_bytes, task[i].mode);
      task[i].payload = stream + header_bytes + payload;
      task[i].dimensionality = static_cast<std::uint8_t>(dimensionality);
      task[i].checksums = item.checksums ? 1 : 0;
      if (chunk >= share.begin && chunk < share.end) segment_chunks.put_task(chunk, task[i], tasks);
    }
    payloads += all;
  }
  const std::uint64_t found = block_scan(block, block.memory().warp_totals, digest).total;
  if (block.any(!is_good || payloads != segment.stored_bytes - header_bytes))
    return corrupt(segment.stream_offset + chunks::front_bytes);
  return found == segment.digest ? Fault{} : corrupt(segment.stream_offset);
}

/// Makes the tasks of a damaged segment such that its chunks become zeros.
template <class Block>
FLOE_DEVICE void give_up(Block& block, const ReadChunks& segment, const SegmentShare& share,
                         ChunkTask* tasks) {
  for (std::uint32_t chunk = share.begin + block.rank(); chunk < share.end; chunk += block.size()) {
    ChunkTask task;
    segment.put_task(chunk, task, tasks);
  }
}

/// Blocks that share a segment, at most.
inline constexpr std::uint32_t max_segment_shares = 8;

/// Reads a segment of a frame, or one of `shares` shares of it.
template <class Block>
FLOE_DEVICE void read_segment(Block& block, const DecodeJob& job, std::uint32_t unit, std::uint32_t number,
                              std::uint32_t shares) {
  const std::uint32_t index = item_of_unit(job, unit);
  DecodeItem& item = job.items[index];
  ReadSegment segment(item, item.first_segment + (unit - item.first_unit));
  Fault fault = read_segment_header(block, job, item, segment);
  const ReadChunks segment_chunks(item, index, segment);
  const std::uint32_t each = (segment_chunks.count() + shares - 1) / shares;
  SegmentShare share{number * each, number * each + each};
  if (share.end > segment_chunks.count()) share.end = segment_chunks.count();
  ChunkTask* const tasks = job.tasks + item.first_task;
  if (fault.ok()) fault = read_leaf(block, job, item, segment, segment_chunks, share, tasks);
  if (!fault.ok()) give_up(block, segment_chunks, share, tasks);
  if (number == 0) finish_segment(block, job, item, index, segment, fault);
}

/// Whether a stream is one that blocks have the memory for.
FLOE_DEVICE Fault check_stream(const DecodeJob& job, const DecodeItem& item, const ReadSegment& segment) {
  const std::uint8_t* const stream = item.frame + segment.stream_offset;
  constexpr std::uint64_t max_stream_bytes = (std::uint64_t{1} << 31) - 1;
  if (segment.content_bytes > job.max_stream_content || segment.stored_bytes > max_stream_bytes)
    return {ErrorCode::out_of_memory, segment.stream_offset};
  if (segment.stored_bytes >= chunks::front_bytes && stream[0] == 1 && stream[1] == 0 &&
      stream[2] == chunks::encoding_id)
    return other_kind(segment.stream_offset);
  return is_zero(stream, segment.stored_bytes, container::padded(segment.stored_bytes))
             ? Fault{}
             : corrupt(segment.stream_offset);
}

/// Reads a segment of a frame.
template <class Block>
FLOE_DEVICE void read_stream(Block& block, const DecodeJob& job, std::uint32_t unit) {
  const std::uint32_t index = item_of_unit(job, unit);
  DecodeItem& item = job.items[index];
  ReadSegment segment(item, item.first_segment + (unit - item.first_unit));
  Fault fault = read_segment_header(block, job, item, segment);
  if (fault.ok()) fault = check_stream(job, item, segment);
  if (block.rank() == 0) {
    const std::uint64_t width = size_of(job.dtype), end = segment.begin + segment.content_bytes;
    const std::uint64_t first = item.begin > segment.begin ? item.begin : segment.begin,
                        last = item.end < end ? item.end : end;
    StreamTask task;
    task.words = static_cast<std::uint32_t>(segment.content_bytes / width);
    task.begin = static_cast<std::uint32_t>((first - segment.begin) / width);
    task.end = static_cast<std::uint32_t>((last - segment.begin) / width);
    task.out = item.out + (first - item.begin);
    task.item = index;
    task.code = static_cast<std::uint32_t>(fault.code);
    task.offset = fault.ok() ? segment.stream_offset : fault.byte_offset;
    if (fault.ok()) {
      task.data = item.frame + segment.stream_offset;
      task.bytes = static_cast<std::uint32_t>(segment.stored_bytes);
      task.digest = segment.digest;
      task.checksums = item.checksums ? 1 : 0;
    }
    job.streams[unit] = task;
  }
  finish_segment(block, job, item, index, segment, fault);
}

}  // namespace floe::gpu
