// Binary records as a source of rows.
#include <algorithm>
#include <cstring>
#include <string>

#include "rows/csv/cell_index.hpp"
#include "rows/row_source.hpp"

namespace floe::rows {
namespace {

template <core::Word W>
void gather(const std::uint8_t* values, std::size_t stride_bytes, std::span<W> to) {
  for (std::size_t row = 0; row < to.size(); ++row)
    std::memcpy(&to[row], values + row * stride_bytes, sizeof(W));
}

class RecordSegment final : public SegmentRows {
 public:
  RecordSegment(std::string records, std::size_t record_bytes, const TableDescription& header)
      : records_(std::move(records)), record_bytes_(record_bytes), header_(header) {}
  [[nodiscard]] std::uint32_t row_count() const override {
    return static_cast<std::uint32_t>(records_.size() / record_bytes_);
  }
  [[nodiscard]] ColumnContent column(std::uint32_t index) const override {
    std::size_t offset = 0;
    for (std::uint32_t i = 0; i < index; ++i) offset += size_of(header_.schema[i].type);
    return native_column(records_.data() + offset, row_count(), record_bytes_, header_.schema[index].type);
  }
  /// Bytes at the end that are no whole record.
  [[nodiscard]] std::vector<Words> malformed() const override {
    const std::size_t whole_bytes = row_count() * record_bytes_;
    if (whole_bytes == records_.size()) return {};
    MalformedLine rest;
    rest.before_row = row_count();
    rest.begin = static_cast<std::uint32_t>(whole_bytes);
    rest.end = static_cast<std::uint32_t>(records_.size());
    return malformed_words(records_, {rest});
  }
  [[nodiscard]] std::vector<Words> padding() const override {
    if (header_.padding_bytes == 0) return {};
    Words padding(DType::u8, std::uint64_t{row_count()} * header_.padding_bytes);
    char* to = padding.as<char>().data();
    for (std::uint32_t row = 0; row < row_count(); ++row, to += header_.padding_bytes)
      std::memcpy(to, records_.data() + (row + std::size_t{1}) * record_bytes_ - header_.padding_bytes,
                  header_.padding_bytes);
    const auto bytes = padding.bytes();
    if (std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; })) return {};
    return {std::move(padding)};
  }
  [[nodiscard]] std::uint64_t source_bytes() const override { return records_.size(); }
  [[nodiscard]] std::uint64_t source_bytes(std::uint32_t column) const override {
    return std::uint64_t{row_count()} * size_of(header_.schema[column].type);
  }

 private:
  std::string records_;
  std::size_t record_bytes_;
  const TableDescription& header_;
};

class RecordSource final : public RowSource {
 public:
  explicit RecordSource(const TableOptions& options) {
    header_.source = options.source;
    header_.separator = '\0';
    header_.keeps_text = false;
    header_.padding_bytes = options.padding_bytes;
    header_.schema = options.schema;
    for (const Column& column : options.schema) record_bytes_ += size_of(column.type);
    record_bytes_ += options.padding_bytes;
    segment_bytes_ =
        record_bytes_ *
        std::min<std::size_t>(options.segment_rows, std::max<std::size_t>(max_bytes / record_bytes_, 1));
  }

  Status take(std::span<const std::byte>& bytes) override {
    const std::span<const std::byte> part =
        bytes.first(std::min(bytes.size(), segment_bytes_ - records_.size()));
    if (records_.empty()) records_.reserve(segment_bytes_);
    records_.append(reinterpret_cast<const char*>(part.data()), part.size());
    bytes = bytes.subspan(part.size());
    return {};
  }

  Result<std::unique_ptr<SegmentRows>> next_segment(bool is_last) override {
    if (records_.empty() || (!is_last && records_.size() < segment_bytes_))
      return std::unique_ptr<SegmentRows>();
    return std::unique_ptr<SegmentRows>(
        std::make_unique<RecordSegment>(std::exchange(records_, {}), record_bytes_, header_));
  }

  [[nodiscard]] const TableDescription& description() const override { return header_; }

 private:
  /// Wide records make shorter segments, so that some of them fit into memory together with their columns.
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;

  TableDescription header_;
  std::size_t record_bytes_ = 0, segment_bytes_ = 0;
  std::string records_;
};

}  // namespace

std::unique_ptr<RowSource> make_record_source(const TableOptions& options) {
  return std::make_unique<RecordSource>(options);
}

ColumnContent native_column(const void* values, std::uint32_t row_count, std::size_t stride_bytes,
                            DType type) {
  ColumnContent content;
  Words words(word_type(type), row_count);
  with_word(size_of(type), [&]<class W>(W) {
    gather(static_cast<const std::uint8_t*>(values), stride_bytes, words.as<W>());
  });
  content.range = range_of(words.type(), words.data(), words.count());
  content.streams.push_back(std::move(words));
  return content;
}

}  // namespace floe::rows
