#include "pipeline/frame_readers.hpp"

#include <algorithm>
#include <vector>

#include "chunks/chunk_table.hpp"
#include "core/bits.hpp"
#include "pipeline/group_decoder.hpp"

namespace floe::pipeline {
namespace {

/// Decodes columns of one segment.
class SegmentColumns {
 public:
  SegmentColumns(const container::ByteSource& source, const container::FrameIndex& index,
                 core::Workers& workers, const DecodeOptions& options)
      : source_(source),
        index_(index),
        workers_(workers),
        groups_(index.header.checksums, options, workers) {}

  Status decode(std::uint64_t number, std::span<const std::size_t> columns, rows::ColumnsOfSegment& out) {
    const auto open = container::open_segment(source_, index_, number, header_scratch_);
    if (!open) return open.status();
    find_columns(*open);
    out.contents.assign(columns.size(), {});
    std::vector<core::Buffer> stored(columns.size());
    std::vector<StoredStream> streams;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const container::ColumnEntry& entry = open->header.columns[columns[i]];
      std::uint64_t bytes = 0, words_bytes = 0;
      for (const auto& stream : entry.streams) {
        bytes += chunks::padded(stream.stored_bytes);
        words_bytes += stream.words_bytes();
      }
      if (const Status status = groups_.reserve(words_bytes + (source_.copies() ? bytes : 0)); !status.ok())
        return status;
      const auto column = source_.bytes(offsets_[columns[i]], bytes, stored[i]);
      if (!column) return column.status();
      rows::ColumnContent& content = out.contents[i];
      content.format = entry.format;
      content.range = entry.range;
      std::uint64_t offset = 0;
      for (const auto& stream : entry.streams) {
        content.streams.emplace_back(stream.type, stream.count);
        const std::uint64_t padded = chunks::padded(stream.stored_bytes);
        streams.push_back({stream,
                           column->subspan(offset, padded),
                           offsets_[columns[i]] + offset,
                           content.streams.back().data(),
                           {}});
        offset += padded;
      }
    }
    const auto keep = [](std::span<const StoredStream>) { return Status{}; };
    if (const Status status = groups_.add(std::move(streams), keep); !status.ok()) return status;
    if (const Status status = groups_.finish(); !status.ok()) return status;
    return out.open(open->header.count, workers_);
  }

 private:
  /// Where the streams of each column begin.
  void find_columns(const container::OpenSegment& open) {
    std::uint64_t offset = open.payload_offset;
    const auto skip = [&offset](const std::vector<container::StreamEntry>& streams) {
      for (const auto& stream : streams) offset += chunks::padded(stream.stored_bytes);
    };
    skip(open.header.malformed);
    skip(open.header.padding);
    offsets_.clear();
    for (const container::ColumnEntry& column : open.header.columns) {
      offsets_.push_back(offset);
      skip(column.streams);
    }
  }

  const container::ByteSource& source_;
  const container::FrameIndex& index_;
  core::Workers& workers_;
  GroupDecoder groups_;
  core::Buffer header_scratch_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace

Status for_each_part(const container::ByteSource& source, const container::FrameIndex& index,
                     std::span<const std::size_t> columns, Slice rows, core::Workers& workers,
                     const DecodeOptions& options, const std::function<Status(const RowsOfSegment&)>& use) {
  if (index.info.content != Content::table)
    return {ErrorCode::invalid_argument, 0, "the frame holds an array, not a table"};
  for (const std::size_t column : columns) {
    if (column >= index.header.table.schema.size())
      return {ErrorCode::invalid_argument, 0, "the table has no such column"};
  }
  const auto end = core::checked_add(rows.first, rows.count);
  if (!end || *end > index.footer.element_count)
    return {ErrorCode::invalid_argument, 0, "the rows reach beyond the end of the table"};
  if (rows.count == 0) return {};
  SegmentColumns segments(source, index, workers, options);
  for (std::uint64_t number = index.segment_of(rows.first);
       number < index.segment_count() && index.begin_of(number).first < *end; ++number) {
    const std::uint64_t begin = index.begin_of(number).first;
    const std::uint64_t first = std::max(rows.first, begin),
                        last = std::min(*end, index.end_of(number).first);
    if (first >= last) continue;
    rows::ColumnsOfSegment decoded;
    if (const Status status = segments.decode(number, columns, decoded); !status.ok()) return status;
    const Status status = use({decoded, begin, static_cast<std::uint32_t>(first - begin),
                               static_cast<std::uint32_t>(last - begin)});
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace floe::pipeline
