// Tests of the limits of tables that are kept as texts.
#include "pipeline/compact/text/compact_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "container/compact_frame.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::pipeline {
namespace {

using Bytes = std::vector<std::uint8_t>;

container::Header header_of_text() {
  container::Header header;
  header.content = Content::table;
  header.max_segment_length = container::max_segment_rows;
  header.table.separator = ',';
  header.table.schema = {{"a", DType::text, 0}};
  return header;
}

TEST(CompactText, HasUpToFourMebibytesOfPrefixAndRows) {
  for (const std::size_t prefix_bytes : {0u, 1u, 1000u}) {
    container::Header header = header_of_text();
    header.prefix.resize(prefix_bytes, 'a');
    const std::string rows(max_compact_text_bytes - prefix_bytes, 'a');
    EXPECT_TRUE(can_be_text(header, rows)) << prefix_bytes;
    EXPECT_FALSE(can_be_text(header, rows + 'a')) << prefix_bytes;
  }
}

/// Whether a body is refused before memory is asked for, of which there is none.
bool is_impossible(std::uint64_t content_bytes, std::size_t code_bytes) {
  core::ByteWriter body;
  body.put_varint(1);  // a text
  body.put_byte(',');
  body.put_varint(2 * content_bytes);
  for (std::size_t i = 0; i < code_bytes; ++i) body.put_byte(static_cast<std::uint8_t>(37 * i));
  const ErrorCode code = open_text(body.bytes(), 0).status().code;
  EXPECT_TRUE(code == ErrorCode::corrupt_frame || code == ErrorCode::out_of_memory);
  return code == ErrorCode::corrupt_frame;
}

// Whatever the bytes of a code are, they bound what is decoded.
TEST(CompactText, HasUpTo4096BytesForEachOfItsCode) {
  for (const std::size_t code_bytes : {1u, 2u, 9u}) {
    EXPECT_FALSE(is_impossible(4096 * code_bytes, code_bytes)) << code_bytes;
    EXPECT_TRUE(is_impossible(4096 * code_bytes + 1, code_bytes)) << code_bytes;
  }
  EXPECT_FALSE(is_impossible(max_compact_text_bytes, 1024));
  EXPECT_TRUE(is_impossible(max_compact_text_bytes + 1, 1100));
  EXPECT_TRUE(is_impossible(0, 10));
  EXPECT_TRUE(is_impossible(1, 0));
}

// As many as a segment has. Sanitizers see those that are refused.
TEST(CompactText, HasUpTo2To20Rows) {
  for (const std::size_t rows : {container::max_segment_rows, container::max_segment_rows + 1}) {
    if (test::sanitized && rows <= container::max_segment_rows) continue;
    const Bytes frame =
        encode_text_frame(header_of_text(), std::string(rows, '\n'), ~std::uint64_t{0}, false);
    const auto body = container::compact_body(frame);
    ASSERT_TRUE(body);
    const auto opened = open_text(*body, ~std::uint64_t{0});
    EXPECT_EQ(opened.status().code,
              rows > container::max_segment_rows ? ErrorCode::corrupt_frame : ErrorCode::ok);
    if (opened) {
      EXPECT_EQ(opened->table.segment.count, rows);
    }
  }
}

}  // namespace
}  // namespace floe::pipeline
