// Which parts of arrays are recovered: chunks of leaves, segments, and what their map says?
#include <gtest/gtest.h>

#include "chunks/leaf.hpp"
#include "container/layout.hpp"
#include "core/word.hpp"
#include "tests/recovery/recovered.hpp"
#include "tests/support/reseal.hpp"

namespace floe::test {
namespace {

constexpr std::uint64_t chunk = core::chunk_bytes;

struct OneLeaf {
  explicit OneLeaf(DType dtype, const char* tree, std::size_t chunks, std::size_t kind = 5)
      : content(make_bytes(static_cast<unsigned>(8 * size_of(dtype)), kind, chunks * chunk, 1)) {
    Options options;
    options.tree = tree;
    options.threads = 1;
    frame = frame_of(content, dtype, options);
    header_bytes = core::load<std::uint32_t>(frame.data() + container::header_at::header_bytes);
    stream_at = header_bytes + container::array_segment_header_bytes;
    table_at = stream_at + chunks::front_bytes;
    chunk_count = chunks::chunk_count_of(content.size(), frame[stream_at + chunks::kind_at]);
    payloads_at = table_at + chunks::table_bytes(chunk_count, true);
  }
  [[nodiscard]] chunks::ChunkTable<const std::uint8_t> table() const {
    return {std::span(frame).subspan(table_at, payloads_at - table_at), chunk_count, true};
  }
  [[nodiscard]] std::uint64_t payload_at(std::uint64_t index) const {
    return payloads_at + table().payload_offset(index);
  }

  Bytes content, frame;
  std::uint64_t header_bytes = 0, stream_at = 0, table_at = 0, chunk_count = 0, payloads_at = 0;
};

TEST(ChunkRecovery, LosesTheDamagedChunkAlone) {
  for (const auto& [dtype, tree] :
       {std::pair{DType::f32, "spspeed"}, {DType::f64, "dpspeed"}, {DType::i8, "speed8"}}) {
    const OneLeaf leaf(dtype, tree, 300);
    for (const std::uint64_t damaged : {0u, 1u, 255u, 256u, 299u}) {
      Bytes frame = leaf.frame;
      frame[leaf.payload_at(damaged) + 5] ^= 4;
      const Recovered result = recover(frame);
      ASSERT_TRUE(result.status.ok());
      expect_honest_array(result, leaf.content);
      ASSERT_EQ(result.map.lost.size(), 1u);
      EXPECT_EQ(result.map.lost[0].first, damaged * chunk / size_of(dtype));
      EXPECT_EQ(result.map.lost[0].count, chunk / size_of(dtype));
      EXPECT_EQ(result.map.lost[0].cause.byte_offset, leaf.payload_at(damaged));
      EXPECT_EQ(result.map.damaged_segments, 1u);
    }
  }
}

TEST(ChunkRecovery, KeepsWhatStandsBeforeACut) {
  const OneLeaf leaf(DType::f32, "spspeed", 40);
  for (const std::uint64_t kept : {0u, 1u, 17u, 39u}) {
    const Recovered result = recover(std::span(leaf.frame).first(leaf.payload_at(kept) + 3));
    ASSERT_TRUE(result.status.ok());
    EXPECT_EQ(result.map.recovered, kept * chunk / 4);
    EXPECT_FALSE(result.map.is_length_known);
    expect_honest_array(result, leaf.content);
  }
}

// The digest of the stream proves what the entry was.
TEST(ChunkRecovery, MendsFrontAndTableWhereOneEntryIsDamaged) {
  for (const auto& [dtype, tree] :
       {std::pair{DType::f32, "spratio"}, {DType::f64, "gfc(7)"}, {DType::f64, "dpratio"}}) {
    const OneLeaf leaf(dtype, tree, 260);
    for (std::uint64_t at = leaf.stream_at; at < leaf.payloads_at; at += sanitized ? 97 : 23) {
      Bytes frame = leaf.frame;
      frame[at] ^= static_cast<std::uint8_t>(1 + at % 255);
      const Recovered result = recover(frame);
      ASSERT_TRUE(result.status.ok());
      ASSERT_TRUE(result.map.is_complete()) << tree << " byte " << at - leaf.stream_at;
      ASSERT_TRUE(result.content == leaf.content);
    }
  }
}

TEST(ChunkRecovery, DoubtsChunksOfATableThatIsDamagedInTwoEntries) {
  const OneLeaf leaf(DType::f32, "spspeed", 600);
  Bytes frame = leaf.frame;
  const std::uint64_t checksums_at = leaf.table_at + 16, sizes_at = checksums_at + 4 * leaf.chunk_count;
  frame[checksums_at + 4 * 70] ^= 1;
  frame[sizes_at + 2 * 300] ^= 16;
  const Recovered result = recover(frame);
  ASSERT_TRUE(result.status.ok());
  expect_honest_array(result, leaf.content);
  EXPECT_EQ(result.map.recovered, 598 * chunk / 4);
  EXPECT_FALSE(result.map.is_complete());
  std::uint64_t unproven = 0;
  for (const LostRange& range : result.map.unproven) unproven += range.count;
  EXPECT_EQ(unproven, 598 * chunk / 4);
}

/// Recovers such words with a damaged byte of a payload, by turns; gives how often a part of them comes back.
std::uint64_t recovered_in_part(const Bytes& content, unsigned rounds, Random& random) {
  Options options;
  options.tree = "dpratio";
  options.threads = 1;
  const Bytes frame = frame_of(content, DType::f64, options);
  const std::uint64_t stream_at = 32 + container::array_segment_header_bytes;
  EXPECT_EQ(frame[stream_at + chunks::kind_at], chunks::kind_history);
  const std::uint64_t chunk_count = chunks::chunk_count_of(content.size(), chunks::kind_history),
                      payloads_at = stream_at + chunks::front_bytes + chunks::table_bytes(chunk_count, true);
  std::uint64_t partly = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    Bytes damaged = frame;
    damaged[payloads_at + random.below(frame.size() - payloads_at - 64)] ^= 1;
    const Recovered result = recover(damaged);
    EXPECT_TRUE(result.status.ok());
    expect_honest_array(result, content);
    partly += result.map.recovered > 0 && !result.map.is_complete() ? 1 : 0;
  }
  return partly;
}

// Words that repeat lost ones are lost with them, and only they.
TEST(ChunkRecovery, FollowsMatchesOfAHistory) {
  Random random(4);
  Bytes content(40 * chunk);
  for (std::size_t i = 0; i < content.size(); i += 8) {
    const bool repeats = i >= 8 * 4000 && (i / 8) % 4000 < 1500;
    core::store(content.data() + i,
                repeats ? core::load<std::uint64_t>(content.data() + i - 8 * 4000) : random.next());
  }
  const unsigned rounds = sanitized ? 5 : 30;
  EXPECT_GT(recovered_in_part(content, rounds, random), sanitized ? 3u : 25u);
}

// Those that repeat the word before them, too.
TEST(ChunkRecovery, FollowsMatchesOfWordsBeforeThem) {
  Random random(5);
  Bytes content(10 * chunk);
  for (std::size_t i = 0; i < content.size(); i += 8) {
    const bool repeats = i / 8 % 9 != 0;
    core::store(content.data() + i,
                repeats ? core::load<std::uint64_t>(content.data() + i - 8) : random.next());
  }
  EXPECT_GT(recovered_in_part(content, 20, random), 10u);
}

TEST(Recovery, LeavesOutWhatIsLostIfItShall) {
  const OneLeaf leaf(DType::f32, "spspeed", 10);
  Bytes frame = leaf.frame;
  frame[leaf.payload_at(3)] ^= 1;
  RecoveryOptions options;
  options.fill_lost = false;
  const Recovered result = recover(frame, options);
  Bytes expected = leaf.content;
  expected.erase(expected.begin() + 3 * chunk, expected.begin() + 4 * chunk);
  EXPECT_TRUE(result.content == expected);
}

TEST(Recovery, TakesBlocksThatCannotBeReadForLost) {
  const OneLeaf leaf(DType::f32, "spspeed", 64, 8);
  const std::uint64_t bad = (leaf.payload_at(20) + 5000) / 4096 * 4096;
  const ReadAt read_at = [&, whole = reader_of(leaf.frame)](std::uint64_t offset, std::span<std::byte> to) {
    if (offset < bad + 4096 && offset + to.size() > bad)
      return Status{ErrorCode::io_error, offset, "bad sector"};
    return whole(offset, to);
  };
  const Recovered result = recover(Recovery::open(read_at, leaf.frame.size()));
  ASSERT_TRUE(result.status.ok());
  expect_honest_array(result, leaf.content);
  EXPECT_EQ(result.map.recovered, 63 * chunk / 4);
  EXPECT_EQ(result.map.unreadable_bytes, 4096u);
  const auto nothing = [](std::uint64_t offset, std::span<std::byte>) {
    return Status{ErrorCode::io_error, offset, "no disk"};
  };
  EXPECT_EQ(recover(Recovery::open(nothing, leaf.frame.size())).status.code, ErrorCode::io_error);
}

TEST(Recovery, CanBeMovedAndReplaced) {
  const OneLeaf leaf(DType::f32, "spspeed", 2), other(DType::u8, "speed8", 1);
  Recovery first = Recovery::open(view_of(leaf.frame)).value(),
           second = Recovery::open(view_of(other.frame)).value();
  second = std::move(first);
  Bytes content;
  EXPECT_TRUE(second.restore(sink_to(content), one_thread));
  EXPECT_TRUE(content == leaf.content);
}

TEST(Recovery, RefusesWhatIsNoFrame) {
  for (const Bytes& bytes : {Bytes{}, Bytes(3), bytes_of("FLOE"), make_bytes(8, 8, 10000, 1)})
    EXPECT_EQ(recover(bytes).status.code, ErrorCode::corrupt_frame);
  EXPECT_EQ(recover(Recovery::open(ReadAt{}, 100)).status.code, ErrorCode::invalid_argument);
}

TEST(Recovery, StopsWhereTheSinkDoes) {
  const OneLeaf leaf(DType::f32, "spspeed", 4);
  const auto recovery = Recovery::open(view_of(leaf.frame));
  ASSERT_TRUE(recovery);
  EXPECT_EQ(recovery->restore(sink_with_room_for(10), one_thread).status().code, ErrorCode::io_error);
  EXPECT_EQ(recovery->restore(Sink{}, one_thread).status().code, ErrorCode::invalid_argument);
}

// The gap before a segment can be as long as its forged header says.
TEST(Recovery, BoundsWhatItFills) {
  OneLeaf leaf(DType::f32, "spspeed", 1);
  core::store(leaf.frame.data() + leaf.header_bytes + container::segment_at::first, std::uint64_t{1} << 60);
  reseal(leaf.frame);
  std::fill(leaf.frame.end() - 16, leaf.frame.end(), std::uint8_t{0});  // without the footer
  EXPECT_EQ(recover(leaf.frame).status.code, ErrorCode::corrupt_frame);
  RecoveryOptions options;
  options.fill_lost = false;
  const Recovered result = recover(leaf.frame, options);
  EXPECT_TRUE(result.content == leaf.content);
}

TEST(Recovery, HeedsTheMemoryLimit) {
  const OneLeaf leaf(DType::f32, "spspeed", 64);
  DecodeOptions options = one_thread;
  options.memory_limit_bytes = 1 << 20;
  const Recovered result = recover(Recovery::open(view_of(leaf.frame)), options);
  ASSERT_TRUE(result.status.ok());
  ASSERT_EQ(result.map.lost.size(), 1u);
  EXPECT_EQ(result.map.lost[0].cause.code, ErrorCode::out_of_memory);
}

// Bytes that look like parts everywhere are read a bounded number of times.
TEST(Recovery, ReadsRubbishABoundedNumberOfTimes) {
  Bytes bytes(1 << 20);
  for (std::size_t at = 0; at + 64 <= bytes.size(); at += 64) {
    core::store(bytes.data() + at, container::segment_magic);
    const auto entries = static_cast<std::uint32_t>((bytes.size() - at - 100) / 24);
    const std::uint32_t length = static_cast<std::uint32_t>(container::padded(48 + 24ull * entries + 4));
    core::store(bytes.data() + at + 4, length);
    core::store(bytes.data() + at + container::segment_at::stream_count, entries);
  }
  std::uint64_t read_bytes = 0;
  const ReadAt read_at = [&, whole = reader_of(bytes)](std::uint64_t offset, std::span<std::byte> to) {
    read_bytes += to.size();
    return whole(offset, to);
  };
  EXPECT_EQ(recover(Recovery::open(read_at, bytes.size())).status.code, ErrorCode::corrupt_frame);
  EXPECT_LT(read_bytes, 200 * bytes.size());
}

// A frame of bytes that holds a frame: parts of the inner one are never taken for those of the outer one.
TEST(Recovery, TellsAFrameWithinAFrameApart) {
  const Bytes inner_content = make_bytes(8, 8, 6 * chunk, 1);
  Options options;
  options.tree = "speed8";
  options.segment_bytes = chunk;
  options.threads = 1;
  const Bytes inner = frame_of(inner_content, DType::u8, options);
  const Bytes outer = frame_of(inner, DType::u8, options);
  const Bytes header(outer.begin(), outer.begin() + 32);
  ASSERT_TRUE(std::equal(header.begin(), header.end(), inner.begin()));
  expect_honest_array(recover(outer), inner);
  for (std::size_t at = 0; at < outer.size(); at += 1021) {
    Bytes damaged = outer;
    damaged[at] ^= 1;
    SCOPED_TRACE(at);
    expect_honest_array(recover(damaged), inner);
  }
  for (std::size_t length = 200; length < outer.size(); length += 1021) {
    SCOPED_TRACE(length);
    expect_honest_array(recover(std::span(outer).first(length)), inner);
  }
}

}  // namespace
}  // namespace floe::test
