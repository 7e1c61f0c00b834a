#include "tables/segment_coder.hpp"

#include <algorithm>
#include <numeric>

#include "format/crc32c.hpp"
#include "tables/column_facts.hpp"
#include "tables/parallel_tasks.hpp"

namespace floe::tables {
namespace {

series::ColumnView view_of(const Words& words) { return {words.type(), words.data(), words.count()}; }

void add_stream(const Words& words, std::vector<std::uint8_t> bytes, std::vector<StreamEntry>& entries,
                std::vector<std::vector<std::uint8_t>>& payloads) {
  entries.push_back({words.type(), format::crc32c(bytes), words.count(), bytes.size()});
  payloads.push_back(std::move(bytes));
}

std::vector<std::span<const std::uint8_t>> spans_of(const std::vector<std::vector<std::uint8_t>>& payloads) {
  return {payloads.begin(), payloads.end()};
}

void code_alone(const std::vector<Words>& streams, std::vector<StreamEntry>& entries, std::vector<std::vector<std::uint8_t>>& payloads) {
  for (const Words& words : streams) add_stream(words, series::ColumnEncoder().encode(view_of(words)), entries, payloads);
}

}  // namespace

std::uint64_t encoded_bytes(const Words& words) { return series::ColumnEncoder().encode(view_of(words)).size(); }

CodedColumn SegmentCoder::code_column(std::uint32_t column, const ColumnContent& content, const SegmentRows& rows, Report report,
                                      std::span<const series::SegmentAhead* const> ahead) {
  std::unique_ptr<series::Scratch> scratch = take_scratch();
  CodedColumn coded;
  coded.entry = {content.writing, content.range, {}};
  for (std::size_t i = 0; i < content.streams.size(); ++i) {
    const Words& words = content.streams[i];
    const EncoderKey key{i, content.writing.kind, words.type()};
    auto encoder = columns_[column].find(key);
    if (encoder == columns_[column].end())
      encoder = columns_[column].emplace(key, choice_.encoder_for(column, i, words.type(), coded.trees)).first;
    add_stream(words, encoder->second->encode(view_of(words), *scratch, ahead.empty() ? nullptr : ahead[i]), coded.entry.streams,
               coded.payloads);
  }
  give_scratch(std::move(scratch));
  choice_.find_trees_beyond(column, content.streams.size(), coded.trees);
  if (report == Report::nothing) return coded;

  if (Result<StoredColumn> stored = describe_column(coded.entry, spans_of(coded.payloads))) coded.stored = std::move(*stored);
  coded.planned.source_bytes = rows.source_bytes(column);
  for (std::size_t i = 0; i < content.streams.size(); ++i)
    coded.planned.streams.push_back(
        describe_stream(content.streams[i], coded.payloads[i], choice_.objective(), report == Report::explanations));
  return coded;
}

std::optional<series::Plan> SegmentCoder::expected_tree(std::uint32_t column, std::size_t stream, const ColumnContent& content) {
  const Words& words = content.streams[stream];
  const auto encoder = columns_[column].find(EncoderKey{stream, content.writing.kind, words.type()});
  return encoder == columns_[column].end() ? std::nullopt : encoder->second->expected_tree(view_of(words));
}

std::unique_ptr<series::Scratch> SegmentCoder::take_scratch() {
  const std::lock_guard lock(scratch_mutex_);
  if (unused_scratch_.empty()) return std::make_unique<series::Scratch>();
  std::unique_ptr<series::Scratch> scratch = std::move(unused_scratch_.back());
  unused_scratch_.pop_back();
  return scratch;
}

void SegmentCoder::give_scratch(std::unique_ptr<series::Scratch> scratch) {
  const std::lock_guard lock(scratch_mutex_);
  unused_scratch_.push_back(std::move(scratch));
}

CodedSegment SegmentCoder::begin_segment(const SegmentRows& rows) {
  CodedSegment segment;
  segment.head.row_count = rows.row_count();
  segment.head.lacks_last_line_end = rows.lacks_last_line_end();
  segment.planned.source_bytes = rows.source_bytes();
  code_alone(rows.strays(), segment.head.strays, segment.payloads);
  code_alone(rows.padding(), segment.head.padding, segment.payloads);
  return segment;
}

void SegmentCoder::add_columns(std::vector<CodedColumn> columns, Report report, CodedSegment& segment) {
  for (CodedColumn& column : columns) {
    segment.head.columns.push_back(std::move(column.entry));
    std::move(column.payloads.begin(), column.payloads.end(), std::back_inserter(segment.payloads));
    std::move(column.trees.unfit.begin(), column.trees.unfit.end(), std::back_inserter(segment.trees.unfit));
    segment.trees.fitting.insert(segment.trees.fitting.end(), column.trees.fitting.begin(), column.trees.fitting.end());
    if (report == Report::nothing) continue;
    segment.planned.stored.columns.push_back(std::move(column.stored));
    segment.planned.columns.push_back(std::move(column.planned));
  }
}

CodedSegment SegmentCoder::code(const SegmentRows& rows, Report report) {
  CodedSegment segment = begin_segment(rows);
  std::vector<CodedColumn> coded(columns_.size());
  run_tasks(column_count(), threads_,
            [&](std::uint32_t column) { coded[column] = code_column(column, rows.column(column), rows, report, {}); });
  add_columns(std::move(coded), report, segment);
  return segment;
}

std::vector<Words> stray_words(std::string_view text, const std::vector<StrayLine>& strays) {
  if (strays.empty()) return {};
  const std::uint64_t bytes = std::accumulate(strays.begin(), strays.end(), std::uint64_t{0},
                                              [](std::uint64_t sum, const StrayLine& s) { return sum + s.end - s.begin; });
  std::vector<Words> words = {{series::Type::u32, strays.size()}, {series::Type::u32, strays.size()}, {series::Type::u8, bytes}};
  auto to = words[2].as<char>().begin();
  for (std::size_t i = 0; i < strays.size(); ++i) {
    words[0].as<std::uint32_t>()[i] = strays[i].before_row;
    words[1].as<std::uint32_t>()[i] = strays[i].end - strays[i].begin;
    to = std::copy(text.begin() + strays[i].begin, text.begin() + strays[i].end, to);
  }
  return words;
}

}  // namespace floe::tables
