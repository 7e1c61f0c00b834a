#include "pipeline/frame_readers.hpp"

#include <algorithm>
#include <vector>

#include "chunks/chunk_table.hpp"
#include "core/bits.hpp"
#include "pipeline/base_column.hpp"
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

  /// Decodes the rows of a part of the segment, or all of them, which `part` becomes then.
  Status decode(std::uint64_t number, std::span<const std::size_t> columns, Slice& part,
                rows::ColumnsOfSegment& out) {
    const auto open = container::open_segment(source_, index_, number, header_scratch_);
    if (!open) return open.status();
    find_columns(*open);
    const bool is_part = has_a_word_per_row(open->header, columns);
    if (!is_part) part = {0, open->header.count};
    const auto& entries = open->header.columns;
    find_bases(entries, columns);
    out.contents.assign(columns.size(), {});
    std::vector<rows::ColumnContent> base_contents(bases_.size());
    std::vector<StoredStream> streams;
    std::vector<core::Buffer> stored(columns.size() + bases_.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const container::ColumnEntry& entry = entries[columns[i]];
      out.contents[i].format = entry.format;
      out.contents[i].range = entry.range;
      const Status status = add(offsets_[columns[i]], entry.streams, is_part ? &part : nullptr, stored[i],
                                out.contents[i].streams, streams);
      if (!status.ok()) return status;
    }
    for (std::size_t i = 0; i < bases_.size(); ++i) {  // of which only the numbers are needed
      const Status status =
          add(offsets_[bases_[i]], std::span(entries[bases_[i]].streams).first(1), is_part ? &part : nullptr,
              stored[columns.size() + i], base_contents[i].streams, streams);
      if (!status.ok()) return status;
    }
    const auto keep = [](std::span<const StoredStream>) { return Status{}; };
    if (const Status status = groups_.add(std::move(streams), keep); !status.ok()) return status;
    if (const Status status = groups_.finish(); !status.ok()) return status;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto& base = entries[columns[i]].base;
      if (!base) continue;
      const std::size_t position = positions_[base->index];
      const rows::ColumnContent& content =
          position < columns.size() ? out.contents[position] : base_contents[position - columns.size()];
      add_base(out.contents[i].streams[0], content.streams[0], *base);
    }
    return out.open(static_cast<std::uint32_t>(part.count), workers_);
  }

 private:
  /// Base columns that are not among the chosen ones, and where each column is among both.
  void find_bases(std::span<const container::ColumnEntry> entries, std::span<const std::size_t> columns) {
    constexpr std::size_t nowhere = ~std::size_t{0};
    bases_.clear();
    positions_.assign(entries.size(), nowhere);
    for (std::size_t i = 0; i < columns.size(); ++i) positions_[columns[i]] = i;
    for (const std::size_t column : columns) {
      const auto& base = entries[column].base;
      if (!base || positions_[base->index] != nowhere) continue;
      positions_[base->index] = columns.size() + bases_.size();
      bases_.push_back(base->index);
    }
  }

  /// Reads the bytes of neighbouring streams, and makes room for their words, or for those of a part.
  Status add(std::uint64_t position, std::span<const container::StreamEntry> entries, const Slice* part,
             core::Buffer& stored, std::vector<rows::Words>& words, std::vector<StoredStream>& streams) {
    std::uint64_t bytes = 0, words_bytes = 0;
    for (const auto& stream : entries) {
      bytes += chunks::padded(stream.stored_bytes);
      words_bytes += (part != nullptr ? part->count : stream.count) * size_of(stream.type);
    }
    if (const Status status = groups_.reserve(words_bytes + (source_.copies() ? bytes : 0)); !status.ok())
      return status;
    const auto column = source_.bytes(position, bytes, stored);
    if (!column) return column.status();
    std::uint64_t offset = 0;
    for (const auto& stream : entries) {
      const Slice slice = part != nullptr ? *part : Slice{0, stream.count};
      words.emplace_back(stream.type, slice.count);
      const std::uint64_t padded = chunks::padded(stream.stored_bytes);
      streams.push_back(
          {stream, column->subspan(offset, padded), position + offset, words.back().data(), {}, slice});
      offset += padded;
    }
    return {};
  }

  /// Numbers without exceptions: a row is a word of the only stream.
  static bool has_a_word_per_row(const container::SegmentHeader& segment,
                                 std::span<const std::size_t> columns) {
    return std::all_of(columns.begin(), columns.end(), [&](std::size_t column) {
      const auto& streams = segment.columns[column].streams;
      return streams.size() == 1 && streams[0].count == segment.count;
    });
  }

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
  std::vector<std::size_t> bases_, positions_;
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
    Slice part{first - begin, last - first};
    if (const Status status = segments.decode(number, columns, part, decoded); !status.ok()) return status;
    const std::uint64_t begin_of_part = begin + part.first;
    const Status status = use({decoded, begin_of_part, static_cast<std::uint32_t>(first - begin_of_part),
                               static_cast<std::uint32_t>(last - begin_of_part)});
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace floe::pipeline
