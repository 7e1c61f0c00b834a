#include "recovery/restoration.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "chunks/chunk_table.hpp"
#include "pipeline/base_column.hpp"

namespace floe::recovery {
namespace {

using container::SegmentHeader;

/// Of a table: that of its records.
std::uint64_t element_bytes(const container::Header& header) {
  if (header.content == Content::array) return size_of(header.dtype);
  if (header.table.source == TableSource::csv) return 0;
  std::uint64_t bytes = header.table.padding_bytes;
  for (const Column& column : header.table.schema) bytes += size_of(column.type);
  return bytes;
}

/// Empty cells, or zeros.
rows::ColumnContent lost_content(const container::ColumnEntry& column, std::uint32_t row_count) {
  rows::ColumnContent content;
  if (column.format.kind == container::CellKind::native) {
    content.format = column.format;
    content.streams.emplace_back(column.streams[0].type, row_count);
    return content;
  }
  content.format.kind = container::CellKind::text;
  content.streams.emplace_back(DType::u8, row_count);
  content.streams.emplace_back(DType::u8, 0);
  return content;
}

bool is_damaged(std::span<const RecoveredWords> streams) {
  return std::any_of(streams.begin(), streams.end(),
                     [](const RecoveredWords& words) { return !words.lost.empty(); });
}

Status first_cause(std::span<const RecoveredWords> streams) {
  const auto damaged = std::find_if(streams.begin(), streams.end(),
                                    [](const RecoveredWords& words) { return !words.cause.ok(); });
  return damaged == streams.end() ? Status{} : damaged->cause;
}

}  // namespace

Restoration::Restoration(DamagedBytes& bytes, const DamagedFrame& frame, const RecoveryOptions& options,
                         const DecodeOptions& decode_options, const Sink& sink)
    : bytes_(bytes),
      frame_(frame),
      options_(options),
      decode_options_(decode_options),
      sink_(sink),
      workers_(decode_options.threads, decode_options.executor),
      checksums_(frame.header_source == HeaderSource::guessed ? Checksums::unknown
                 : frame.header.checksums                     ? Checksums::yes
                                                              : Checksums::no) {}

Result<RecoveryMap> Restoration::run() {
  const container::Header& header = frame_.header;
  if (header.content == Content::table && !header.prefix.empty()) {
    if (const Status status = sink_(std::as_bytes(std::span(header.prefix))); !status.ok()) return status;
  }
  for (const FoundSegment& found : frame_.segments) {
    if (const Status status = lose_segments(found.index, found.first); !status.ok()) return status;
    const std::size_t lost_before = map_.lost_count();
    if (const Status status = restore(found); !status.ok()) return status;
    ++(map_.lost_count() == lost_before ? map_.counts.intact_segments : map_.counts.damaged_segments);
    index_ = found.index + 1;
    end_ = found.first + found.count;
    end_offset_ = std::min(found.end(), bytes_.size());
  }
  if (const Status status = lose_segments(frame_.segment_count, frame_.element_count); !status.ok())
    return status;
  map_.counts.is_length_known = frame_.is_length_known;
  map_.counts.has_checksums = checksums_ != Checksums::no;
  map_.counts.unreadable_bytes = bytes_.unreadable_bytes();
  return map_.release();
}

Loss Restoration::whole() const {
  return frame_.header.content == Content::array ? Loss::elements : Loss::rows;
}

/// Those that were not found before the next one.
Status Restoration::lose_segments(std::uint64_t next_index, std::uint64_t next_first) {
  map_.counts.missing_segments += next_index - index_;
  const Status cause{ErrorCode::corrupt_frame, end_offset_, "the header of a segment is damaged or missing"};
  if (next_first > end_) map_.lose({whole(), end_, next_first - end_, 0, cause});
  // Segments of a table may have no rows.
  if (next_first == end_ && next_index > index_) map_.lose({Loss::lines, end_, 0, 0, cause});
  return fill(next_first - end_);
}

Status Restoration::lose_segment(const FoundSegment& found, const Status& cause) {
  map_.lose({found.count == 0 ? Loss::lines : whole(), found.first, found.count, 0, cause});
  return fill(found.count);
}

Status Restoration::fill(std::uint64_t count) {
  const std::uint64_t width = element_bytes(frame_.header);
  if (!options_.fill_lost || width == 0 || count == 0) return {};
  if (count > (options_.max_filled_bytes - filled_bytes_) / width)
    return {ErrorCode::corrupt_frame, end_offset_, "what is lost takes more than max_filled_bytes"};
  filled_bytes_ += count * width;
  const std::vector<std::byte> zeros(
      static_cast<std::size_t>(std::min<std::uint64_t>(count * width, std::uint64_t{1} << 20)));
  for (std::uint64_t left = count * width; left > 0;) {
    const auto piece =
        std::span(zeros).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, zeros.size())));
    if (const Status status = sink_(piece); !status.ok()) return status;
    left -= piece.size();
  }
  return {};
}

Status Restoration::restore(const FoundSegment& found) {
  std::vector<std::uint8_t> header_bytes(found.header_bytes);
  bytes_.read(found.offset, header_bytes);
  const auto segment =
      container::parse_segment_header(header_bytes, frame_.header, frame_.header_crc, found.offset);
  if (!segment) return lose_segment(found, segment.status());
  if (segment->payload_bytes() != found.payload_bytes || segment->count != found.count ||
      segment->first != found.first)
    return lose_segment(found,
                        {ErrorCode::corrupt_frame, found.offset, "a segment changed while it was read"});
  std::uint64_t needed = 0;  // a stream has up to 2^35 bytes of words, so that sums of them fit 64 bits
  segment->for_each_stream([&](const container::StreamEntry& entry) {
    needed = std::min(needed + recovery_bytes(entry), container::max_content_bytes);
  });
  if (needed > decode_options_.memory_limit_bytes)
    return lose_segment(found, {ErrorCode::out_of_memory, found.offset,
                                "decoding a segment needs more than memory_limit_bytes"});
  core::MemoryBudget budget(decode_options_.memory_limit_bytes, needed);
  std::vector<RecoveredWords> recovered;
  recover_streams(*segment, found, budget, recovered);
  if (frame_.header.content == Content::array)
    return restore_array(*segment, recovered[0], decoded_.columns[0].streams[0]);
  return restore_table(*segment, std::move(recovered));
}

void Restoration::recover_streams(const SegmentHeader& segment, const FoundSegment& found,
                                  core::MemoryBudget& budget, std::vector<RecoveredWords>& recovered) {
  payload_.resize(static_cast<std::size_t>(found.payload_bytes));
  decoded_ = {};
  std::vector<DamagedStream> streams;
  std::size_t at = 0;
  const auto add = [&](const container::StreamEntry& entry, std::vector<rows::Words>& words) {
    const auto bytes =
        std::span(payload_).subspan(at, static_cast<std::size_t>(chunks::padded(entry.stored_bytes)));
    words.emplace_back(entry.type, entry.count);
    const std::uint64_t offset = found.payload_offset() + at;
    const bool are_there = bytes_.read(offset, bytes);
    streams.push_back({entry, bytes, offset, are_there, checksums_, words.back().data(), &budget});
    at += bytes.size();
  };
  for (const auto& entry : segment.malformed) add(entry, decoded_.malformed);
  for (const auto& entry : segment.padding) add(entry, decoded_.padding);
  for (const container::ColumnEntry& column : segment.columns) {
    rows::ColumnContent& content =
        decoded_.columns.emplace_back(rows::ColumnContent{column.format, {}, column.range});
    for (const auto& entry : column.streams) add(entry, content.streams);
  }
  recovered.resize(streams.size());
  if (streams.size() == 1) {
    recovered[0] = recover_words(streams[0], workers_);
  } else {
    core::for_each_task(workers_, static_cast<std::uint32_t>(streams.size()), [&](std::uint32_t i) {
      core::Workers this_thread(1, nullptr);
      recovered[i] = recover_words(streams[i], this_thread);
    });
  }
  for (std::size_t i = 0; budget.was_exceeded() && i < streams.size(); ++i) {  // alone, one may take all
    if (recovered[i].cause.code == ErrorCode::out_of_memory)
      recovered[i] = recover_words(streams[i], workers_);
  }
  for (const DamagedStream& stream : streams) {
    if (checksums_ == Checksums::unknown) checksums_ = stream.checksums;
  }
}

Status Restoration::restore_array(const SegmentHeader& segment, const RecoveredWords& recovered,
                                  const rows::Words& words) {
  for (const Slice& part : recovered.unproven)
    map_.doubt({Loss::elements, segment.first + part.first, part.count, 0, recovered.cause});
  const std::uint64_t width = size_of(words.type());
  const auto put = [&](std::uint64_t first, std::uint64_t end) {
    const auto bytes = words.bytes().subspan(static_cast<std::size_t>(first * width),
                                             static_cast<std::size_t>((end - first) * width));
    return bytes.empty() ? Status{} : sink_(std::as_bytes(bytes));
  };
  std::uint64_t put_up_to = 0;
  map_.counts.recovered += segment.count;
  for (const Slice& part : recovered.lost) {
    map_.lose({Loss::elements, segment.first + part.first, part.count, 0, recovered.cause});
    map_.counts.recovered -= part.count;
    if (options_.fill_lost) continue;
    if (const Status status = put(put_up_to, part.first); !status.ok()) return status;
    put_up_to = part.first + part.count;
  }
  return put(put_up_to, segment.count);
}

void Restoration::lose_column(const SegmentHeader& segment, std::size_t column, const Status& cause) {
  lost_columns_.push_back(
      {Loss::cells, segment.first, segment.count, static_cast<std::uint32_t>(column), cause});
  decoded_.columns[column] = lost_content(segment.columns[column], segment.count);
}

/// Of native columns parts are kept; a cell of others takes words of several streams.
void Restoration::judge_column(const SegmentHeader& segment, std::size_t column,
                               std::span<const RecoveredWords> streams) {
  const auto number = static_cast<std::uint32_t>(column);
  const Status cause = first_cause(streams);
  if (segment.columns[column].format.kind == container::CellKind::native) {
    for (const Slice& part : streams[0].unproven)
      map_.doubt({Loss::cells, segment.first + part.first, part.count, number, cause});
    if (streams[0].lost.size() == 1 && streams[0].lost[0].count == segment.count)
      return lose_column(segment, column, cause);
    for (const Slice& part : streams[0].lost)
      map_.lose({Loss::cells, segment.first + part.first, part.count, number, cause});
    return;
  }
  if (is_damaged(streams)) return lose_column(segment, column, cause);
  if (std::any_of(streams.begin(), streams.end(), [](const auto& words) { return !words.unproven.empty(); }))
    map_.doubt({Loss::cells, segment.first, segment.count, number, cause});
}

/// What is lost of the column remains zero.
void Restoration::add_base(const SegmentHeader& segment, std::size_t column,
                           std::span<const std::span<const RecoveredWords>> streams) {
  const auto& base = segment.columns[column].base;
  if (!base) return;
  rows::Words& numbers = decoded_.columns[column].streams[0];
  pipeline::add_base(numbers, decoded_.columns[base->index].streams[0], *base);
  const std::size_t width = size_of(numbers.type());
  for (const Slice& part : streams[column][0].lost)
    std::memset(static_cast<std::uint8_t*>(numbers.data()) + part.first * width, 0,
                static_cast<std::size_t>(part.count) * width);
}

Status Restoration::restore_table(const SegmentHeader& segment, std::vector<RecoveredWords> recovered) {
  auto left = std::span<const RecoveredWords>(recovered);
  const auto take = [&left](std::size_t count) {
    return std::exchange(left, left.subspan(count)).first(count);
  };
  lost_columns_.clear();
  if (const auto lines = take(segment.malformed.size()); is_damaged(lines)) {
    map_.lose({Loss::lines, segment.first, segment.count, 0, first_cause(lines)});
    decoded_.malformed.clear();
  }
  if (const auto padding = take(segment.padding.size()); is_damaged(padding)) {
    map_.lose({Loss::padding, segment.first, segment.count, 0, first_cause(padding)});
    decoded_.padding.clear();
  }
  std::vector<std::span<const RecoveredWords>> of_columns;
  for (const container::ColumnEntry& column : segment.columns)
    of_columns.push_back(take(column.streams.size()));
  for (std::size_t i = 0; i < segment.columns.size(); ++i) add_base(segment, i, of_columns);
  for (std::size_t i = 0; i < segment.columns.size(); ++i) {
    const auto& base = segment.columns[i].base;
    const bool lacks_base = base && is_damaged(of_columns[base->index].first(1));
    lacks_base ? lose_column(segment, i, of_columns[base->index][0].cause)
               : judge_column(segment, i, of_columns[i]);
  }
  return print(segment);
}

Status Restoration::print(const SegmentHeader& segment) {
  const auto& table = frame_.header.table;
  // Streams that match their digests may contradict the format all the same, if those were forged.
  if (table.source == TableSource::csv) {
    for (std::size_t i = 0; i < decoded_.columns.size(); ++i) {
      const Status status = rows::ColumnPrinter().open(decoded_.columns[i], segment.count);
      if (!status.ok()) lose_column(segment, i, status);
    }
  }
  if (lost_columns_.size() == segment.columns.size() && segment.count > 0) {
    const Status cause = lost_columns_.front().cause;
    map_.lose({Loss::rows, segment.first, segment.count, 0, cause});
    if (!decoded_.malformed.empty()) map_.lose({Loss::lines, segment.first, segment.count, 0, cause});
    return fill(segment.count);
  }
  for (const LostRange& cells : lost_columns_) map_.lose(cells);
  Status status = pipeline::print_segment(table, segment, decoded_, workers_, sink_);
  if (status.code == ErrorCode::corrupt_frame && !decoded_.malformed.empty()) {
    map_.lose({Loss::lines, segment.first, segment.count, 0, status});
    decoded_.malformed.clear();
    status = pipeline::print_segment(table, segment, decoded_, workers_, sink_);
  }
  if (status.ok()) map_.counts.recovered += segment.count;
  return status;
}

}  // namespace floe::recovery
