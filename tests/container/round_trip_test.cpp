// Are headers, segment heads and footers read as they were written?
#include <gtest/gtest.h>

#include "container/footer.hpp"
#include "container/header.hpp"
#include "container/segment_head.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

using namespace format;

Header random_header(Random& random) {
  Header header;
  header.dtype = all_dtypes[random.below(all_dtypes.size())];
  header.rank = static_cast<std::uint32_t>(random.below(max_rank + 1));
  for (std::uint32_t d = 1; d < header.rank; ++d)
    header.inner_extent[d - 1] = random.next() >> random.below(64);
  header.checksums = random.below(2) == 0;
  header.chunks_per_segment = 1 + static_cast<std::uint32_t>(random.below(largest_chunks_per_segment));
  header.codec_id = static_cast<std::uint16_t>(random.next());
  header.prefix = make_bytes(8, 8, random.below(3) == 0 ? 0 : random.below(300), random.next());
  header.codec_parameters = make_bytes(8, 8, random.below(3) == 0 ? 0 : random.below(40), random.next());
  return header;
}

void expect_equal(const Header& a, const Header& b) {
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.inner_extent, b.inner_extent);
  EXPECT_EQ(a.checksums, b.checksums);
  EXPECT_EQ(a.chunks_per_segment, b.chunks_per_segment);
  EXPECT_EQ(a.codec_id, b.codec_id);
  EXPECT_EQ(a.prefix, b.prefix);
  EXPECT_EQ(a.codec_parameters, b.codec_parameters);
}

void expect_round_trip(const Header& header) {
  const Bytes bytes = write_header(header);
  EXPECT_EQ(bytes.size() % alignment, 0u);
  const auto length = header_length(std::span(bytes).first(smallest_header_bytes));
  ASSERT_TRUE(length) << length.status().message();
  ASSERT_EQ(*length, bytes.size());
  const auto parsed = parse_header(bytes);
  ASSERT_TRUE(parsed) << parsed.status().message();
  expect_equal(*parsed, header);
  EXPECT_EQ(write_header(*parsed), bytes);
}

TEST(HeaderRoundTrip, RandomHeaders) {
  Random random(1);
  for (unsigned round = 0; round < 3000 && !testing::Test::HasFatalFailure(); ++round)
    expect_round_trip(random_header(random));
}

TEST(HeaderRoundTrip, EveryLengthOfFields) {
  Random random(2);
  for (std::size_t prefix = 0; prefix < 40; ++prefix) {
    for (std::size_t parameters = 0; parameters < 20 && !testing::Test::HasFatalFailure(); ++parameters) {
      Header header = random_header(random);
      header.prefix.assign(prefix, 1);
      header.codec_parameters.assign(parameters, 2);
      expect_round_trip(header);
    }
  }
}

TEST(HeaderRoundTrip, LongestPrefix) {
  Random random(3);
  Header header = random_header(random);
  header.prefix.assign(largest_prefix_bytes, 9);
  expect_round_trip(header);
  header.prefix.push_back(9);
  EXPECT_EQ(parse_header(write_header(header)).status().code, ErrorCode::corrupt_frame);
}

TEST(HeaderRoundTrip, SmallestHeader) {
  Header header;
  header.chunks_per_segment = 1;
  EXPECT_EQ(write_header(header).size(), smallest_header_bytes);
  expect_round_trip(header);
}

/// A segment head with a table of random entries, all of which are possible.
struct RandomSegment {
  Header header;
  SegmentHead head;
  Bytes bytes;

  RandomSegment(std::uint64_t chunk_count, bool checksums, bool history, Random& random) {
    header.dtype = DType::f64;
    header.checksums = checksums;
    header.chunks_per_segment = largest_chunks_per_segment;
    const std::uint64_t coded = chunk_count * core::chunk_bytes - 16 * random.below(1000);
    head.kind = history ? kind_history : kind_content;
    head.content_bytes = history ? coded / 2 : coded;
    head.chunk_count = chunk_count;
    head.head_bytes = segment_head_bytes(chunk_count, checksums);
    head.index = random.below(10);
    head.header_crc = static_cast<std::uint32_t>(random.next());
    bytes.assign(head.head_bytes, 0xEE);
    const ChunkTable<std::uint8_t> table(bytes, chunk_count, checksums);
    for (std::uint64_t chunk = 0; chunk < chunk_count; ++chunk) {
      const std::size_t chunk_bytes = head.chunk_bytes(chunk);
      const bool raw = random.below(3) == 0;
      ChunkEntry entry;
      entry.checksum = checksums ? static_cast<std::uint32_t>(random.next()) : 0;
      entry.mode = raw ? mode_raw : mode_coded;
      entry.stored_bytes = static_cast<std::uint16_t>(raw ? chunk_bytes : 1 + random.below(chunk_bytes - 1));
      if (chunk % chunks_per_group == 0) table.set_group_offset(chunk / chunks_per_group, head.payload_bytes);
      table.set_entry(chunk, entry);
      entries.push_back(entry);
      head.payload_bytes += padded(entry.stored_bytes);
    }
    finish_segment_head(bytes, head, table);
  }

  [[nodiscard]] ExpectedSegment expected() const {
    return {header, head.header_crc, head.index, 1000, head.kind == kind_history};
  }

  std::vector<ChunkEntry> entries;
};

TEST(SegmentHeadRoundTrip, RandomTables) {
  Random random(4);
  for (unsigned round = 0; round < 200; ++round) {
    const std::uint64_t chunk_count = round < 20 ? 250 + round : 1 + random.below(1000);
    const RandomSegment segment(chunk_count, round % 2 == 0, round % 3 == 0, random);
    const auto head = parse_fixed_segment_head(segment.bytes, segment.expected());
    ASSERT_TRUE(head) << head.status().message();
    EXPECT_EQ(head->head_bytes, segment.head.head_bytes);
    EXPECT_EQ(head->index, segment.head.index);
    EXPECT_EQ(head->content_bytes, segment.head.content_bytes);
    EXPECT_EQ(head->payload_bytes, segment.head.payload_bytes);
    EXPECT_EQ(head->chunk_count, chunk_count);
    EXPECT_EQ(head->kind, segment.head.kind);
    const Status status = check_segment_head(segment.bytes, *head, segment.expected());
    ASSERT_TRUE(status.ok()) << status.message();

    const ChunkTable<const std::uint8_t> table(segment.bytes, chunk_count, segment.header.checksums);
    std::uint64_t offset = 0;
    for (std::uint64_t chunk = 0; chunk < chunk_count; ++chunk) {
      const ChunkEntry entry = table.entry(chunk), &written = segment.entries[chunk];
      ASSERT_EQ(entry.checksum, written.checksum);
      ASSERT_EQ(entry.stored_bytes, written.stored_bytes);
      ASSERT_EQ(entry.mode, written.mode);
      ASSERT_EQ(table.payload_offset(chunk), offset);
      offset += padded(entry.stored_bytes);
    }
  }
}

TEST(SegmentHeadRoundTrip, OtherFramesAndPlaces) {
  Random random(5);
  const RandomSegment segment(3, true, true, random);
  const auto code = [&](const ExpectedSegment& expected) {
    return parse_fixed_segment_head(segment.bytes, expected).status();
  };
  EXPECT_TRUE(code(segment.expected()).ok());
  ExpectedSegment other_place = segment.expected();
  other_place.index += 1;
  EXPECT_EQ(code(other_place).byte_offset, 1008u);
  ExpectedSegment other_frame = segment.expected();
  other_frame.header_crc ^= 1;
  EXPECT_EQ(code(other_frame).byte_offset, 1040u);
  ExpectedSegment other_codec = segment.expected();
  other_codec.history_allowed = false;
  EXPECT_EQ(code(other_codec).byte_offset, 1036u);
}

TEST(FooterRoundTrip, AllRanksAndCounts) {
  Random random(6);
  for (unsigned round = 0; round < 500; ++round) {
    Header header;
    header.dtype = all_dtypes[random.below(all_dtypes.size())];
    header.rank = static_cast<std::uint32_t>(random.below(max_rank + 1));
    header.chunks_per_segment = 1;
    Footer footer;
    footer.outer_size = header.rank == 0 ? 1 : random.below(50'000);
    footer.element_count = footer.outer_size;
    for (std::uint32_t d = 1; d < header.rank; ++d) {
      header.inner_extent[d - 1] = random.below(4) + (round % 5 == 0 ? 0 : 1);
      footer.element_count *= header.inner_extent[d - 1];
    }
    footer.digest = random.next();
    footer.segment_offsets.resize(
        core::divide_up(footer.element_count * size_of(header.dtype), core::chunk_bytes));
    for (std::uint64_t& offset : footer.segment_offsets) offset = random.next();

    const Bytes bytes = write_footer(footer);
    ASSERT_EQ(bytes.size(), footer_bytes(footer.segment_offsets.size()));
    const auto length =
        footer_length(std::span(bytes).last(footer_end_bytes), bytes.size() + smallest_header_bytes);
    ASSERT_TRUE(length) << length.status().message();
    ASSERT_EQ(*length, bytes.size());
    const auto parsed = parse_footer(bytes, 0, header);
    ASSERT_TRUE(parsed) << parsed.status().message();
    EXPECT_EQ(parsed->outer_size, footer.outer_size);
    EXPECT_EQ(parsed->element_count, footer.element_count);
    EXPECT_EQ(parsed->digest, footer.digest);
    EXPECT_EQ(parsed->segment_offsets, footer.segment_offsets);
    EXPECT_EQ(extent_of(header, *parsed).element_count(), footer.element_count);
  }
}

}  // namespace
}  // namespace floe::test
