// Do compact frames keep to the limit of memory, whatever their texts and columns are?
#include <gtest/gtest.h>

#include "container/compact_frame.hpp"
#include "core/byte_stream.hpp"
#include "pipeline/compact/text/text_coder.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 28;

struct HostileText {
  const char* what;
  std::uint32_t columns;
  std::string rows;
};

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}

std::vector<HostileText> hostile_texts(std::size_t bytes) {
  std::string far_row(bytes, '\n');
  far_row.replace(far_row.size() / 2, 4095, 4095, ',');
  return {{"empty rows", 1, repeated("\n", bytes)},
          {"empty lines", 2, repeated("\n", bytes)},
          {"empty lines of a table of many columns", 4096, repeated("\n", bytes)},
          {"a row among them", 4096, far_row},
          {"empty cells", 4, repeated(",,,\n", bytes)},
          {"rows of many empty cells", 4096, repeated(std::string(4095, ',') + "\n", bytes)},
          {"one cell", 1, std::string(bytes, 'a')},
          {"half of it in one cell", 2, repeated("a,\n", bytes / 2) + std::string(bytes / 2, 'a') + ",\n"}};
}

/// A frame with such a text, of columns without names.
Bytes frame_of(const HostileText& text) {
  core::ByteWriter content, body;
  content.put_byte('0' + 2);  // names are listed
  content.put_varint('0' + text.columns);
  for (std::uint32_t i = 0; i < text.columns; ++i)
    content.put_byte('0' ^ static_cast<std::uint8_t>(DType::u8));
  for (std::uint32_t i = 0; i < text.columns; ++i) content.put_varint(0);
  content.put_varint(0);  // bytes of the prefix
  content.put_bytes({reinterpret_cast<const std::uint8_t*>(text.rows.data()), text.rows.size()});
  Bytes code = pipeline::encode_text(content.bytes(), ',', pipeline::TextKind::numbers, 1 << 21);
  code.resize(std::max(code.size(), content.size() / 4096 + 1));
  body.put_varint(1);
  body.put_byte(',');
  body.put_varint(2 * content.size());
  body.put_bytes(code);
  return container::write_compact_frame(body.bytes());
}

/// What it says, and what it takes.
Status open(const Bytes& frame, std::uint64_t limit, std::int64_t& taken) {
  Allocations::begin_peak();
  const Status status = Reader::open(reader_of(frame), frame.size(), limit).status();
  taken = Allocations::peak_bytes();
  return status;
}

/// With less than it takes it is refused, and takes no more.
void expect_within_limit(const Bytes& frame) {
  std::int64_t taken = 0;
  ASSERT_TRUE(open(frame, largest, taken).ok());
  for (std::uint64_t limit = static_cast<std::uint64_t>(taken) - 1; limit > 1000; limit /= 64) {
    std::int64_t taken_within = 0;
    EXPECT_EQ(open(frame, limit, taken_within).code, ErrorCode::out_of_memory) << limit;
    EXPECT_LE(taken_within, static_cast<std::int64_t>(limit));
  }
}

TEST(CompactText, KeepsToTheLimit) {
  for (const std::size_t bytes : {5'000, sanitized ? 6'000 : 50'000}) {
    for (const HostileText& text : hostile_texts(bytes)) {
      SCOPED_TRACE(text.what);
      const Bytes frame = frame_of(text);
      ASSERT_LT(frame.size(), bytes / 50);
      expect_within_limit(frame);
      const DecodeOptions options{.threads = 1, .memory_limit_bytes = largest};
      for (const Decoded& decoded : {decode_restored(frame, options), decode_stream(frame, options)})
        EXPECT_TRUE(decoded.status.ok() && text_of(decoded.content) == text.rows) << decoded.status.message();
    }
  }
}

// Their lines take more than the model, which is the most that others take.
TEST(CompactText, AMillionLinesKeepToTheLimit) {
  for (const std::uint32_t columns : {2u, 4096u, 65536u})
    expect_within_limit(frame_of({"empty lines", columns, repeated("\n", sanitized ? 50'000 : 1'000'000)}));
}

// Few words of many columns, which are not in a text.
TEST(CompactColumns, KeepToTheLimit) {
  const std::string row = std::string(99, ',') + "\n";
  const Bytes frame = table_of(row + row, {}, {.goal = Goal::ratio, .threads = 1});
  ASSERT_TRUE(container::is_compact(frame));
  expect_within_limit(frame);
}

}  // namespace
}  // namespace floe::test
