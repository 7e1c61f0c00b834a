// All of a small table as a compact frame.
#include <algorithm>

#include "container/layout.hpp"
#include "pipeline/table_coder.hpp"

namespace floe::pipeline {
namespace {

using container::StreamEntry;
using rows::ColumnContent;
using rows::SegmentRows;
using rows::Words;

/// Of no more text, columns are read as faster goals do it, too.
constexpr std::uint64_t twice_read_bytes = std::uint64_t{1} << 16;

}  // namespace

/// Before anything else is tried. Columns of little text are also read as faster goals would do it.
TableCoder::Coded TableCoder::code_early(const Batch& batch, std::span<const Words> malformed,
                                         std::span<const ColumnContent> contents) {
  Coded compact = code_compact(*batch[0], malformed, contents, true, true, ~std::uint64_t{0});
  if (!compact || compact->empty() || reading_ != Reading::searched ||
      batch[0]->source_bytes() > twice_read_bytes)
    return compact;
  const ChosenCompact& chosen = *(*compact)[0].compact;
  if (chosen.is_text) return compact;
  reading_ = faster_reading_;
  const std::vector<ColumnContent> others = read(batch);
  reading_ = Reading::searched;
  if (std::equal(contents.begin(), contents.end(), others.begin(),
                 [](const ColumnContent& a, const ColumnContent& b) { return a.format == b.format; }))
    return compact;
  Coded other = code_compact(*batch[0], malformed, others, true, false, chosen.frame.size());
  return !other || !other->empty() ? other : compact;
}

/// Of an ordinary frame of a table of one segment.
std::uint64_t TableCoder::frame_bytes_of(const container::SegmentHeader& segment) const {
  return container::write_header(header_of(&segment)).size() +
         container::write_segment_header(segment, 0).size() + segment.payload_bytes() +
         container::footer_bytes(1);
}

/// All of a table as a compact frame; nothing if that has not fewer than `max_bytes`. Of words only if they
/// may share trees, of text only if that is to be tried.
TableCoder::Coded TableCoder::code_compact(const SegmentRows& rows, std::span<const Words> malformed,
                                           std::span<const ColumnContent> columns, bool shares_trees,
                                           bool tries_text, std::uint64_t max_bytes) const {
  CodedSegment segment;
  segment.header.count = rows.row_count();
  segment.header.lacks_last_line_end = rows.lacks_last_line_end();
  std::vector<Words> all;
  const auto add = [&](std::span<const Words> streams, std::vector<StreamEntry>& entries) {
    for (const Words& words : streams)
      entries.push_back({words.type(), static_cast<std::uint32_t>(words.count()), 0, 0});
    if (shares_trees) all.insert(all.end(), streams.begin(), streams.end());
  };
  add(malformed, segment.header.malformed);
  for (const ColumnContent& column : columns) {
    segment.header.columns.push_back({column.format, column.range, {}, column.base});
    add(column.streams, segment.header.columns.back().streams);
  }
  const container::Header header = header_of(&segment.header);
  CompactSearch search = compact_search_of(options_, rows.text().size(), columns.size());
  if (!tries_text) search.text_gain = 0;
  auto chosen = choose_compact(
      {header, segment.header, std::move(all), rows.text(), bool{options_.on_segment}}, search, max_bytes);
  if (!chosen) return chosen.status();
  std::vector<CodedSegment> coded;
  if (!*chosen) return coded;
  segment.planned = std::move((*chosen)->planned);
  segment.planned.source_bytes = rows.source_bytes();
  for (std::size_t i = 0; i < segment.planned.columns.size(); ++i)
    segment.planned.columns[i].source_bytes = rows.source_bytes(static_cast<std::uint32_t>(i));
  segment.compact = std::move(**chosen);
  coded.push_back(std::move(segment));
  return coded;
}

}  // namespace floe::pipeline
