#include "pipeline/tables/segment_coder.hpp"

#include <algorithm>
#include <numeric>

#include "core/crc32c.hpp"
#include "pipeline/tables/column_facts.hpp"
#include "pipeline/tables/parallel_tasks.hpp"

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

SegmentCoder::SegmentCoder(std::uint32_t column_count, std::uint32_t threads, EncoderChoice choice)
    : columns_(column_count), outlooks_(column_count), threads_(threads), choice_(std::move(choice)) {
  if (tasks_at_once(threads) == 1) return;
  idle_threads_.emplace(tasks_at_once(threads), column_count,
                        [this](NextSegment& next, std::uint32_t column) { look_at_column(next, column); });
}

CodedColumn SegmentCoder::code_column(std::uint32_t column, const ColumnContent& content, const SegmentRows& rows, Report report,
                                      std::span<const series::SegmentAhead* const> ahead, const ColumnAhead* looked_at) {
  std::unique_ptr<series::Scratch> scratch = take_scratch();
  CodedColumn coded;
  coded.entry = {content.writing, content.range, {}};
  for (std::size_t i = 0; i < content.streams.size(); ++i) {
    const Words& words = content.streams[i];
    const EncoderKey key{i, content.writing.kind, words.type()};
    auto encoder = columns_[column].find(key);
    if (encoder == columns_[column].end())
      encoder = columns_[column].emplace(key, choice_.encoder_for(column, i, words.type(), coded.trees)).first;
    add_stream(words,
               encoder->second->encode(view_of(words), *scratch, ahead.empty() ? nullptr : ahead[i],
                                       looked_at == nullptr ? nullptr : looked_at->streams[i].get()),
               coded.entry.streams, coded.payloads);
  }
  if (idle_threads_) publish_outlooks(column);
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

void SegmentCoder::publish_outlooks(std::uint32_t column) {
  Outlooks outlooks;
  for (const auto& [key, encoder] : columns_[column]) {
    if (std::optional<series::Outlook> outlook = encoder->outlook()) outlooks.emplace(key, std::move(*outlook));
  }
  const std::lock_guard lock(outlooks_mutex_);
  outlooks_[column] = std::move(outlooks);
}

std::optional<series::Outlook> SegmentCoder::outlook_of(std::uint32_t column, const EncoderKey& key) {
  {
    const std::lock_guard lock(outlooks_mutex_);
    if (const auto known = outlooks_[column].find(key); known != outlooks_[column].end()) return known->second;
  }
  TreeOutcomes unused;
  return choice_.encoder_for(column, std::get<0>(key), std::get<2>(key), unused)->outlook();
}

void SegmentCoder::look_at_column(NextSegment& next, std::uint32_t column) noexcept {
  ColumnPlace& place = next.place(column);
  if (!place.begin()) return;
  std::shared_ptr<ColumnAhead> ahead;
  try {
    ahead = std::make_shared<ColumnAhead>();
    ahead->content = next.rows().column(column);
    for (std::size_t i = 0; i < ahead->content.streams.size(); ++i) {
      const Words& words = ahead->content.streams[i];
      std::optional<series::Outlook> outlook = outlook_of(column, {i, ahead->content.writing.kind, words.type()});
      ahead->streams.push_back(outlook ? std::make_unique<series::LookAhead>(view_of(words), std::move(*outlook), on_wait()) : nullptr);
    }
  } catch (const std::exception&) {  // whoever codes the column meets the same
    ahead = nullptr;
  }
  place.put(ahead);
  if (ahead == nullptr) return;
  try {
    std::unique_ptr<series::Scratch> scratch = take_scratch();
    for (const auto& stream : ahead->streams) {
      while (stream != nullptr && stream->step(*scratch)) {
      }
    }
    give_scratch(std::move(scratch));
  } catch (const std::exception&) {  // no memory to work in
  }
}

series::LookAhead::OnWait SegmentCoder::on_wait() {
  if (!idle_threads_) return {};
  return [this](bool is_waiting) { idle_threads_->set_waiting(is_waiting); };
}

std::shared_ptr<NextSegment> SegmentCoder::look_ahead(std::shared_ptr<const SegmentRows> rows) {
  if (!idle_threads_) return nullptr;
  auto next = std::make_shared<NextSegment>(std::move(rows), column_count());
  idle_threads_->look_at(next);
  return {next.get(), [next](NextSegment* closed) { closed->close(); }};
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

CodedSegment SegmentCoder::code(const SegmentRows& rows, Report report, NextSegment* next) {
  if (idle_threads_) idle_threads_->forget(next);
  CodedSegment segment = begin_segment(rows);
  std::vector<CodedColumn> coded(columns_.size());
  run_tasks(column_count(), threads_, [&](std::uint32_t column) {
    std::optional<IdleThreads::Coding> coding;
    if (idle_threads_) coding.emplace(*idle_threads_, column);
    const std::shared_ptr<ColumnAhead> ahead = next == nullptr ? nullptr : next->place(column).take(on_wait());
    coded[column] = ahead == nullptr ? code_column(column, rows.column(column), rows, report, {})
                                     : code_column(column, ahead->content, rows, report, {}, ahead.get());
  });
  add_columns(std::move(coded), report, segment);
  return segment;
}

std::vector<Words> stray_words(std::string_view text, const std::vector<StrayLine>& strays) {
  if (strays.empty()) return {};
  const std::uint64_t bytes = std::accumulate(strays.begin(), strays.end(), std::uint64_t{0},
                                              [](std::uint64_t sum, const StrayLine& s) { return sum + s.end - s.begin; });
  std::vector<Words> words = {{DType::u32, strays.size()}, {DType::u32, strays.size()}, {DType::u8, bytes}};
  auto to = words[2].as<char>().begin();
  for (std::size_t i = 0; i < strays.size(); ++i) {
    words[0].as<std::uint32_t>()[i] = strays[i].before_row;
    words[1].as<std::uint32_t>()[i] = strays[i].end - strays[i].begin;
    to = std::copy(text.begin() + strays[i].begin, text.begin() + strays[i].end, to);
  }
  return words;
}

}  // namespace floe::tables
