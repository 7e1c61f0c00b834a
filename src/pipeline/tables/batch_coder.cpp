#include "pipeline/tables/batch_coder.hpp"

#include <iterator>
#include <utility>

#include "pipeline/tables/parallel_tasks.hpp"

namespace floe::tables {

Result<std::vector<CodedSegment>> BatchCoder::code(std::vector<SegmentToCode> segments) {
  std::vector<CodedSegment> coded;
  std::list<Batch> batch;
  batch.push_back(read(std::move(segments)));
  // Before the first segment is coded no tree is known.
  if (std::exchange(has_begun_, true)) gather_streams(batch.front());
  Status status = streams_.begin(batch.front().streams);
  if (status.ok()) begun_.splice(begun_.end(), batch);
  const bool is_first = begun_.size() == 1 && begun_.front().streams.empty();
  if (status.ok() && (is_first || begun_.size() == streams_.batches_at_once())) status = finish_oldest(coded);
  if (!status.ok()) {
    forget();
    return status;
  }
  return coded;
}

Result<std::vector<CodedSegment>> BatchCoder::finish() {
  std::vector<CodedSegment> coded;
  while (!begun_.empty()) {
    if (const Status status = finish_oldest(coded); !status.ok()) {
      forget();
      return status;
    }
  }
  return coded;
}

/// Waits for batches that nobody wants any more.
void BatchCoder::forget() {
  for (; !begun_.empty(); begun_.pop_front()) (void)streams_.finish();
}

BatchCoder::Batch BatchCoder::read(std::vector<SegmentToCode> segments) const {
  Batch batch;
  batch.segments = std::move(segments);
  const std::uint32_t columns = coder_.column_count();
  batch.contents.resize(batch.segments.size() * columns);
  run_tasks(static_cast<std::uint32_t>(batch.contents.size()), threads_,
            [&](std::uint32_t i) { batch.contents[i] = batch.segments[i / columns].rows->column(i % columns); });
  return batch;
}

void BatchCoder::gather_streams(Batch& batch) const {
  const std::uint32_t columns = coder_.column_count();
  std::vector<std::vector<std::optional<series::Plan>>> trees(batch.contents.size());
  // A column's encoders are looked at by one thread.
  run_tasks(columns, threads_, [&](std::uint32_t column) {
    for (std::size_t i = column; i < trees.size(); i += columns) {
      for (std::size_t k = 0; k < batch.contents[i].streams.size(); ++k)
        trees[i].push_back(coder_.expected_tree(column, k, batch.contents[i]));
    }
  });
  batch.indices.resize(trees.size());
  for (std::size_t i = 0; i < trees.size(); ++i) {
    for (std::size_t k = 0; k < trees[i].size(); ++k) {
      batch.indices[i].push_back(trees[i][k] ? batch.streams.size() : nowhere);
      if (!trees[i][k]) continue;
      const Words& words = batch.contents[i].streams[k];
      batch.streams.push_back({words.data(), words.type(), words.count(), series::text_of(*trees[i][k])});
      batch.ahead.push_back({std::move(*trees[i][k]), {}});
    }
  }
}

Status BatchCoder::finish_oldest(std::vector<CodedSegment>& coded) {
  std::list<Batch> oldest;
  oldest.splice(oldest.end(), begun_, begun_.begin());
  Batch& batch = oldest.front();
  if (const Status status = streams_.finish(); !status.ok()) return status;
  for (std::size_t i = 0; i < batch.streams.size(); ++i) {
    const StreamWords& stream = batch.streams[i];
    if (stream.is_encoded) batch.ahead[i].bytes = {reinterpret_cast<const std::uint8_t*>(stream.bytes.data()), stream.bytes.size()};
  }
  std::vector<CodedSegment> segments = code_batch(batch);
  std::move(segments.begin(), segments.end(), std::back_inserter(coded));
  return {};
}

std::vector<CodedSegment> BatchCoder::code_batch(Batch& batch) {
  const std::uint32_t columns = coder_.column_count();
  const std::size_t segment_count = batch.segments.size();
  std::vector<CodedSegment> segments(segment_count);
  std::vector<std::vector<CodedColumn>> coded(segment_count);
  for (std::vector<CodedColumn>& of_segment : coded) of_segment.resize(columns);
  // Columns side by side, the segments of each in their order; then what belongs to no column.
  run_tasks(columns + static_cast<std::uint32_t>(segment_count), threads_, [&](std::uint32_t task) {
    if (task >= columns) {
      segments[task - columns] = SegmentCoder::begin_segment(*batch.segments[task - columns].rows);
      return;
    }
    for (std::size_t i = 0; i < segment_count; ++i) coded[i][task] = code_column(batch, i, task);
  });
  for (std::size_t i = 0; i < segment_count; ++i) SegmentCoder::add_columns(std::move(coded[i]), batch.segments[i].report, segments[i]);
  for (std::size_t i = 0; i < batch.contents.size(); ++i) {
    for (std::size_t k = 0; k < batch.contents[i].streams.size(); ++k) {
      const std::uint64_t bytes = batch.contents[i].streams[k].bytes().size();
      const bool is_beside = !batch.indices.empty() && batch.indices[i][k] != nowhere && batch.streams[batch.indices[i][k]].is_encoded;
      share_.words_bytes += bytes;
      share_.beside_bytes += is_beside ? bytes : 0;
    }
  }
  return segments;
}

CodedColumn BatchCoder::code_column(const Batch& batch, std::size_t segment, std::uint32_t column) {
  const std::size_t i = segment * coder_.column_count() + column;
  const SegmentToCode& from = batch.segments[segment];
  std::vector<const series::SegmentAhead*> ahead;
  for (std::size_t k = 0; !batch.indices.empty() && k < batch.indices[i].size(); ++k) {
    const std::size_t index = batch.indices[i][k];
    ahead.push_back(index != nowhere && batch.streams[index].is_encoded ? &batch.ahead[index] : nullptr);
  }
  return coder_.code_column(column, batch.contents[i], *from.rows, from.report, ahead);
}

}  // namespace floe::tables
