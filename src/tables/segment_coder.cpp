#include "tables/segment_coder.hpp"

#include <algorithm>
#include <numeric>

#include "format/crc32c.hpp"
#include "tables/parallel_tasks.hpp"

namespace floe::tables {
namespace {

series::ColumnView view_of(const Words& words) { return {words.type(), words.data(), words.count()}; }

series::Preset preset_of(Goal goal) {
  return goal == Goal::speed ? series::Preset::fast : goal == Goal::ratio ? series::Preset::ratio : series::Preset::balanced;
}

void add_stream(const Words& words, std::vector<std::uint8_t> bytes, std::vector<StreamEntry>& entries,
                std::vector<std::vector<std::uint8_t>>& payloads) {
  entries.push_back({words.type(), format::crc32c(bytes), words.count(), bytes.size()});
  payloads.push_back(std::move(bytes));
}

void code_alone(const std::vector<Words>& streams, std::vector<StreamEntry>& entries, std::vector<std::vector<std::uint8_t>>& payloads) {
  for (const Words& words : streams) add_stream(words, series::ColumnEncoder().encode(view_of(words)), entries, payloads);
}

}  // namespace

std::uint64_t encoded_bytes(const Words& words) { return series::ColumnEncoder().encode(view_of(words)).size(); }

SegmentCoder::CodedColumn SegmentCoder::code_column(const ColumnContent& content, Encoders& encoders) const {
  CodedColumn coded{{content.writing, content.range, {}}, {}};
  for (std::size_t i = 0; i < content.streams.size(); ++i) {
    const Words& words = content.streams[i];
    series::ColumnEncoder& encoder = encoders.try_emplace({i, content.writing.kind, words.type()}, preset_of(goal_)).first->second;
    add_stream(words, encoder.encode(view_of(words)), coded.entry.streams, coded.payloads);
  }
  return coded;
}

CodedSegment SegmentCoder::code(std::uint32_t row_count, const ColumnMaker& make_column, const std::vector<Words>& strays,
                                const std::vector<Words>& padding) {
  CodedSegment segment;
  segment.head.row_count = row_count;
  code_alone(strays, segment.head.strays, segment.payloads);
  code_alone(padding, segment.head.padding, segment.payloads);
  std::vector<CodedColumn> coded(columns_.size());
  run_tasks(static_cast<std::uint32_t>(columns_.size()), threads_,
            [&](std::uint32_t column) { coded[column] = code_column(make_column(column), columns_[column]); });
  for (CodedColumn& column : coded) {
    segment.head.columns.push_back(std::move(column.entry));
    std::move(column.payloads.begin(), column.payloads.end(), std::back_inserter(segment.payloads));
  }
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
