// Segments of a launch by their tickets: where their bytes lie, what of them is wanted, and where that goes.
#pragma once

#include "gpu/decode/job.hpp"
#include "gpu/warp/atomics.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

struct SegmentTarget {
  const std::uint8_t* data = nullptr;  ///< A multiple of 16; null if nothing sound is known of it.
  std::uint32_t bytes = 0, words = 0;  ///< There is no segment if it has no words.
  std::uint32_t begin = 0, end = 0;    ///< Words that are wanted.
  std::uint8_t* wanted = nullptr;      ///< Where they go.
  DType type{};
  cuda::ItemResult* result = nullptr;
  std::uint32_t* code = nullptr;  ///< Where an ErrorCode of the segment goes; or null.
  std::uint32_t fault = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);  ///< Without data.
  std::uint64_t offset = 0;                                                    ///< Of a fault.
  StreamTask::Check check = StreamTask::by_kernel;  ///< With what digest, of a stream of a frame.
  std::uint64_t digest = 0;

  [[nodiscard]] FLOE_DEVICE bool is_whole() const { return end - begin == words; }
  [[nodiscard]] FLOE_DEVICE unsigned width() const { return word_bytes(type); }
};

/// Whether an entry of a directory says what it must.
FLOE_DEVICE bool is_sound(const DecodeColumn& column, const cuda::SegmentEntry& entry, std::uint32_t words) {
  return entry.words == words && entry.offset % 16 == 0 && entry.bytes < (1u << 31) &&
         entry.offset <= column.data_bytes && entry.bytes <= column.data_bytes - entry.offset;
}

/// Of a segment of a frame, which was checked.
FLOE_DEVICE SegmentTarget target_of_stream(const DecodeColumnsJob& job, std::uint32_t ticket) {
  const StreamTask task = job.streams[ticket];
  SegmentTarget to;
  to.data = task.data;
  to.bytes = task.bytes;
  to.words = task.words;
  to.begin = task.begin;
  to.end = task.end;
  to.wanted = task.out;
  to.type = job.column[0].type;
  to.result = job.results + task.item;
  to.fault = task.code;
  to.offset = task.offset;
  to.check = static_cast<StreamTask::Check>(task.check);
  to.digest = task.digest;
  return to;
}

FLOE_DEVICE SegmentTarget target_of(const DecodeColumnsJob& job, std::uint32_t ticket) {
  if (job.streams != nullptr) return target_of_stream(job, ticket);
  unsigned index = 0;
  while (ticket >= job.column[index].end_ticket) ++index;
  const DecodeColumn& column = job.column[index];
  const std::uint32_t number = ticket - (index == 0 ? 0 : job.column[index - 1].end_ticket),
                      segment = column.first_segment + number;
  const std::uint64_t first = std::uint64_t{segment} * column.segment_words;
  const cuda::SegmentEntry entry = column.segments[segment];
  SegmentTarget to;
  to.words = words_of_segment(column, segment);
  to.begin = first > column.first_row ? 0 : static_cast<std::uint32_t>(column.first_row - first);
  to.end = first + to.words < column.end_row ? to.words : static_cast<std::uint32_t>(column.end_row - first);
  if (is_sound(column, entry, to.words)) to.data = column.data + entry.offset;
  to.bytes = entry.bytes;
  to.type = column.type;
  to.wanted = column.out + (first + to.begin - column.first_row) * to.width();
  to.result = column.result;
  to.code = column.codes == nullptr ? nullptr : column.codes + number;
  to.offset = entry.offset;
  return to;
}

/// Where all words of a segment go: in scratch memory if not all are wanted; null if that is too small.
FLOE_DEVICE std::uint8_t* words_of_target(const SegmentTarget& to, ScratchMemory& scratch) {
  return to.is_whole() ? to.wanted : scratch.take(std::uint64_t{to.words} * to.width());
}

FLOE_DEVICE void report_failure(const SegmentTarget& to, std::uint32_t code) {
  atomic_add(&to.result->failed_chunks, 1);
  set_word(&to.result->code, code);
  atomic_min(&to.result->byte_offset, to.offset);
}

}  // namespace floe::gpu
