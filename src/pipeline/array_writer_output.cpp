// What becomes of the encoded segments of an array: where they belong in the frame, and what is said of them.
#include <algorithm>

#include "floe/frame.hpp"
#include "pipeline/array_writer.hpp"
#include "pipeline/describe.hpp"

namespace floe::pipeline {

/// Where a frame goes to memory, streams are copied there side by side, unless they are there.
Status ArrayWriter::put_segments(std::span<StreamJob> jobs) {
  const bool have_positions = find_positions(jobs);
  core::for_each_task(workers_, static_cast<std::uint32_t>(jobs.size()), [&](std::uint32_t i) {
    StreamJob& job = jobs[i];
    if (!job.range) job.range = container::range_of(job.words.type, job.words.values, job.words.count);
    if (!have_positions || job.is_placed) return;
    const auto padding = std::copy(job.bytes.begin(), job.bytes.end(), job.destination.begin());
    std::fill(padding, job.destination.end(), std::uint8_t{0});
  });
  for (StreamJob& job : jobs) {
    if (const Status status = put_segment(job, have_positions); !status.ok()) return status;
    core::keep_spare(std::move(job.bytes));
  }
  return {};
}

/// Where the streams belong in the memory of the frame; false if it has no room for them, or is elsewhere.
/// Streams that lie there already, because some before them had other lengths at first, are moved out.
bool ArrayWriter::find_positions(std::span<StreamJob> jobs) {
  const std::span<std::uint8_t> room = frame_.room();
  std::uint64_t at = 0;
  bool are_right = true;
  for (const StreamJob& job : jobs) {
    at += container::array_segment_header_bytes;
    are_right =
        are_right && (!job.is_placed || (at < room.size() && job.destination.data() == room.data() + at));
    at += container::padded(job.stream_bytes());
  }
  are_right = are_right && at <= room.size();
  for (StreamJob& job : jobs) {
    if (!are_right && job.is_placed) {
      const auto stream = job.destination.first(static_cast<std::size_t>(job.stored_bytes));
      job.bytes.assign(stream.begin(), stream.end());
      job.is_placed = false;
    }
    if (!job.is_placed) job.stored_bytes = job.bytes.size();
  }
  if (room.empty() || at > room.size()) return false;
  give_positions(jobs, room);
  return true;
}

void ArrayWriter::give_positions(std::span<StreamJob> jobs, std::span<std::uint8_t> room) {
  for (StreamJob& job : jobs) {
    job.destination = room.subspan(container::array_segment_header_bytes,
                                   static_cast<std::size_t>(container::padded(job.stored_bytes)));
    room = room.subspan(container::array_segment_header_bytes + job.destination.size());
  }
}

/// `is_placed`: the stream and its padding are where they belong in the memory of the frame.
Status ArrayWriter::put_segment(const StreamJob& job, bool is_placed) {
  container::SegmentHeader segment;
  segment.count = static_cast<std::uint32_t>(job.words.count);
  container::ColumnEntry& column = segment.columns.emplace_back();
  column.range = job.range.value_or(container::ValueRange{});
  column.streams.push_back({job.words.type, segment.count, job.stored_bytes, job.digest});
  const std::span<const std::uint8_t> stream = job.bytes;
  const std::size_t whole = container::array_segment_header_bytes + job.destination.size();
  const Status status =
      is_placed ? frame_.segment(segment, frame_.room().first(whole)) : frame_.segment(segment, {&stream, 1});
  if (status.ok() && options_.on_segment) report(segment, job);
  return status;
}

void ArrayWriter::report(const container::SegmentHeader& segment, const StreamJob& job) {
  const bool is_explained = segment.index < options_.explained_segments && job.words.values != nullptr;
  PlannedSegment planned;
  planned.source_bytes = job.words.bytes();
  const std::span<const std::uint8_t> stream = job.bytes;
  if (Result<StoredColumn> stored = describe_column(segment.columns[0], {}, options_.checksum, {&stream, 1}))
    planned.stored.columns.push_back(std::move(*stored));
  planned.columns.push_back(
      {job.words.bytes(), {describe_stream(job.words, job.bytes, plan_.objective, is_explained)}});
  planned.stored.first = segment.first;
  planned.stored.count = segment.count;
  planned.stored.offset = frame_.segment_offset();
  planned.stored.stored_bytes = frame_.frame_bytes() - planned.stored.offset;
  options_.on_segment(planned);
}

}  // namespace floe::pipeline
