// Small frames of every kind with every kind of damage: what is recovered is what was there, and the map
// names the rest.
#include <gtest/gtest.h>

#include "container/layout.hpp"
#include "core/word.hpp"
#include "tests/recovery/recovered.hpp"

namespace floe::test {
namespace {

class SmallFrames : public testing::Test {
 protected:
  /// Calls test(small frame) for every one until one fails; under sanitizers for every third.
  template <class Test>
  void with_every_frame(const Test& test) {
    static const std::vector<SmallFrame> frames = small_frames();
    for (std::size_t i = 0; i < frames.size(); i += sanitized ? 3 : 1) {
      SCOPED_TRACE(frames[i].name);
      test(frames[i]);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_F(SmallFrames, IntactAllComesBack) {
  with_every_frame([](const SmallFrame& small) {
    const Recovered result = recover(small.frame);
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    EXPECT_TRUE(result.content == small.content);
    EXPECT_TRUE(result.map.is_complete());
    EXPECT_EQ(result.header, HeaderSource::intact);
    EXPECT_EQ(result.map.missing_segments + result.map.damaged_segments, 0u);
    const Reader reader = Reader::open(view_of(small.frame)).value();
    EXPECT_EQ(result.info.element_count, reader.info().element_count);
    EXPECT_EQ(result.info.segment_count, reader.info().segment_count);
    EXPECT_EQ(result.info.extent, reader.info().extent);
    EXPECT_EQ(result.info.columns, reader.info().columns);
    EXPECT_EQ(result.map.recovered, reader.info().element_count);
  });
}

// A bit of the header is mended, those of a footer are not needed but for the length.
TEST_F(SmallFrames, EveryBit) {
  std::size_t complete = 0, flips = 0;
  with_every_frame([&](const SmallFrame& small) {
    const Reader reader = Reader::open(view_of(small.frame)).value();
    const std::size_t header_bytes =
        core::load<std::uint32_t>(small.frame.data() + container::header_at::header_bytes);
    Bytes frame = small.frame;
    for (std::size_t bit = 0; bit < 8 * frame.size() && !HasFatalFailure(); bit += sanitized ? 67 : 3) {
      frame[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      const Recovered result = recover(frame);
      SCOPED_TRACE("bit " + std::to_string(bit));
      expect_honest(result, small);
      ++flips;
      complete += result.status.ok() && result.map.is_complete();
      if (bit / 8 < header_bytes && reader.info().segment_count > 0) {
        ASSERT_TRUE(result.status.ok());
        ASSERT_TRUE(result.map.is_complete());
        ASSERT_EQ(result.header, HeaderSource::mended);
      }
      if (result.status.ok()) {
        ASSERT_LE(result.map.damaged_segments + result.map.missing_segments, 1u);
      }
      frame[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    }
  });
  RecordProperty("cases", std::to_string(flips));
  EXPECT_GT(flips, sanitized ? 4'000u : 280'000u);
  EXPECT_GT(complete, flips / 16);
}

TEST_F(SmallFrames, EveryLength) {
  with_every_frame([&](const SmallFrame& small) {
    const Reader reader = Reader::open(view_of(small.frame)).value();
    const std::span<const std::uint8_t> frame = small.frame;
    for (std::size_t length = 0; length < frame.size() && !HasFatalFailure(); length += sanitized ? 37 : 3) {
      const Recovered result = recover(frame.first(length));
      SCOPED_TRACE("length " + std::to_string(length));
      expect_honest(result, small);
      std::uint64_t whole = 0;
      for (; whole < reader.info().segment_count; ++whole) {
        const StoredSegment segment = reader.segment(whole).value();
        if (segment.offset + segment.stored_bytes > length) break;
      }
      if (whole > 0) {
        ASSERT_GE(result.map.intact_segments, whole);
      }
    }
  });
}

TEST_F(SmallFrames, WithoutTheFront) {
  with_every_frame([&](const SmallFrame& small) {
    const Reader reader = Reader::open(view_of(small.frame)).value();
    const std::span<const std::uint8_t> frame = small.frame;
    for (std::size_t cut = 1; cut < frame.size() && !HasFatalFailure(); cut += sanitized ? 41 : 5) {
      const Recovered result = recover(frame.subspan(cut));
      SCOPED_TRACE("without the first " + std::to_string(cut));
      expect_honest(result, small);
      std::uint64_t whole = 0;
      for (std::uint64_t i = 0; i < reader.info().segment_count; ++i)
        whole += reader.segment(i).value().offset >= cut ? 1 : 0;
      if (whole == 0) continue;
      ASSERT_EQ(result.map.intact_segments, whole);
      ASSERT_EQ(result.header, HeaderSource::guessed);
      // A frame of the same kind has the same header.
      RecoveryOptions options;
      options.similar_frame = view_of(small.frame);
      const Recovered with_similar = recover(frame.subspan(cut), options);
      expect_honest(with_similar, small);
      ASSERT_EQ(with_similar.header, HeaderSource::similar);
      ASSERT_EQ(with_similar.info.columns, reader.info().columns);
    }
  });
}

TEST_F(SmallFrames, BytesLostOrAdded) {
  Random random(1);
  with_every_frame([&](const SmallFrame& small) {
    for (unsigned round = 0; round < (sanitized ? 10 : 100) && !HasFatalFailure(); ++round) {
      Bytes frame = small.frame;
      const auto at = static_cast<std::ptrdiff_t>(random.below(frame.size()));
      const auto count = static_cast<std::ptrdiff_t>(1 + random.below(64));
      if (round % 2 == 0) {
        frame.erase(frame.begin() + at, frame.begin() + std::min(at + count, std::ssize(frame)));
      } else {
        frame.insert(frame.begin() + at, static_cast<std::size_t>(count),
                     static_cast<std::uint8_t>(random.next()));
      }
      SCOPED_TRACE("round " + std::to_string(round));
      const Recovered result = recover(frame);
      expect_honest(result, small);
      const std::uint64_t segments = Reader::open(view_of(small.frame)).value().info().segment_count;
      if (segments > 0) {
        ASSERT_TRUE(result.status.ok() || segments == 1);
        // What is lost may be the end of a segment and the header of the next one.
        ASSERT_LE(result.map.damaged_segments + result.map.missing_segments, round % 2 == 0 ? 2u : 1u);
      }
    }
  });
}

TEST_F(SmallFrames, Rubbish) {
  Random random(2);
  with_every_frame([&](const SmallFrame& small) {
    for (unsigned round = 0; round < (sanitized ? 5 : 50) && !HasFatalFailure(); ++round) {
      Bytes frame = small.frame;
      const std::uint64_t first = random.below(frame.size()), count = 1 + random.below(frame.size() - first);
      for (std::uint64_t i = 0; i < count; ++i)
        frame[first + i] = round % 2 == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(random.next());
      SCOPED_TRACE("round " + std::to_string(round));
      expect_honest(recover(frame), small);
    }
  });
}

TEST_F(SmallFrames, WithoutChecksumsWhatContradictsTheFormatIsLost) {
  for (const SmallFrame& small : small_frames(false)) {
    SCOPED_TRACE(small.name);
    const Recovered intact = recover(small.frame);
    ASSERT_TRUE(intact.status.ok());
    EXPECT_TRUE(intact.content == small.content);
    EXPECT_FALSE(intact.map.has_checksums);
    const std::span<const std::uint8_t> frame = small.frame;
    for (std::size_t length = 0; length < frame.size() && !HasFatalFailure(); length += sanitized ? 501 : 41)
      expect_honest(recover(frame.first(length)), small);
    if (intact.info.segment_count == 0) continue;
    Bytes without_header = small.frame;
    std::fill_n(without_header.begin(), 32, std::uint8_t{0});
    const Recovered guessed = recover(without_header);
    ASSERT_TRUE(guessed.status.ok());
    EXPECT_EQ(guessed.map.recovered, intact.map.recovered);
  }
}

}  // namespace
}  // namespace floe::test
