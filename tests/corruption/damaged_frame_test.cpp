// Is every damaged frame refused by every way of reading it? Cut short at every length, with every single bit
// flipped, with bytes added.
#include <gtest/gtest.h>

#include <cstdlib>

#include "container/layout.hpp"
#include "core/word.hpp"
#include "floe/floe.h"
#include "tests/support/small_frames.hpp"

namespace floe::test {
namespace {

/// Through the C API: an array at once, a table as a whole.
Decoded decode_with_c(std::span<const std::uint8_t> frame) {
  Decoded decoded;
  floe_reader* reader = nullptr;
  const auto status_of = [](const floe_status& status) {
    return Status{static_cast<ErrorCode>(status.code), status.byte_offset, status.detail};
  };
  decoded.status = status_of(floe_reader_open(&reader, frame.data(), frame.size()));
  if (!decoded.status.ok()) return decoded;
  const auto append_part = [](void* user, const void* bytes, std::size_t count) {
    append(*static_cast<Bytes*>(user), {static_cast<const std::byte*>(bytes), count});
    return 0;
  };
  floe_decode_options options;
  floe_decode_options_default(&options);
  options.threads = 1;
  decoded.status = status_of(floe_reader_restore(reader, append_part, &decoded.content, &options));
  floe_reader_close(reader);
  return decoded;
}

class DamagedFrame : public testing::Test {
 protected:
  /// Calls test(frame) for every small frame until one fails.
  template <class Test>
  void with_every_frame(const Test& test) {
    for (const SmallFrame& small : frames_) {
      SCOPED_TRACE(small.name);
      small_ = &small;
      test(small.frame);
      if (HasFatalFailure()) return;
    }
  }

  /// All ways fail, and no wrong data leave a stream before it does.
  void expect_refused(std::span<const std::uint8_t> frame, const char* damage, std::size_t position) {
    const Decoded memory = decode_memory(frame), file = decode_file(frame), restored = decode_restored(frame),
                  stream = decode_stream(frame);
    ASSERT_FALSE(memory.status.ok()) << damage << " at " << position;
    ASSERT_FALSE(file.status.ok()) << damage << " at " << position;
    ASSERT_FALSE(restored.status.ok()) << damage << " at " << position;
    ASSERT_FALSE(stream.status.ok()) << damage << " at " << position;
    ASSERT_EQ(memory.status.code, file.status.code) << damage << " at " << position;
    ASSERT_EQ(memory.status.byte_offset, file.status.byte_offset) << damage << " at " << position;
    for (const Bytes& content : {restored.content, stream.content}) {
      ASSERT_LE(content.size(), small_->content.size()) << damage << " at " << position;
      ASSERT_TRUE(std::equal(content.begin(), content.end(), small_->content.begin()))
          << damage << " at " << position;
    }
    if (refused_++ % 16 != 0) return;
    const Status with_c = decode_with_c(frame).status;
    ASSERT_EQ(with_c.code, restored.status.code) << damage << " at " << position;
    ASSERT_EQ(with_c.byte_offset, restored.status.byte_offset) << damage << " at " << position;
  }

  const std::vector<SmallFrame> frames_ = small_frames_of_both_versions();
  const SmallFrame* small_ = nullptr;
  std::size_t refused_ = 0;
};

TEST_F(DamagedFrame, IsWholeBefore) {
  EXPECT_GE(frames_.size(), 180u);
  with_every_frame([&](const Bytes& frame) {
    ASSERT_FALSE(frame.empty());
    EXPECT_LE(frame.size(), 8192u);
    for (const Decoded& decoded : {decode_memory(frame), decode_file(frame), decode_restored(frame),
                                   decode_stream(frame), decode_with_c(frame)}) {
      EXPECT_TRUE(decoded.status.ok()) << decoded.status.message();
      EXPECT_TRUE(decoded.content == small_->content);
    }
  });
}

TEST_F(DamagedFrame, EveryLength) {
  with_every_frame([&](std::span<const std::uint8_t> frame) {
    for (std::size_t length = 0; length < frame.size() && !HasFatalFailure(); length += sanitized ? 11 : 1) {
      expect_refused(frame.first(length), "cut", length);
      EXPECT_EQ(decode_stream(frame.first(length)).status.code, ErrorCode::truncated_frame);
    }
  });
  RecordProperty("cases", std::to_string(refused_));
}

TEST_F(DamagedFrame, EveryBit) {
  with_every_frame([&](Bytes frame) {
    for (std::size_t bit = 0; bit < 8 * frame.size() && !HasFatalFailure(); bit += sanitized ? 131 : 1) {
      frame[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      expect_refused(frame, "flipped bit", bit);
      frame[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    }
  });
  RecordProperty("cases", std::to_string(refused_));
  EXPECT_GT(refused_, sanitized ? 6'500u : 850'000u);
}

/// Whether a byte belongs to what always has a checksum: header, segment headers, footer.
bool is_always_checked(const Reader& reader, const Bytes& frame, std::size_t at) {
  std::uint64_t end = core::load<std::uint32_t>(frame.data() + container::header_at::header_bytes);
  for (std::uint64_t i = 0; i < reader.info().segment_count; ++i) {
    if (at < end) return true;
    const StoredSegment segment = reader.segment(i).value();
    if (at < segment.offset + core::load<std::uint32_t>(frame.data() + segment.offset +
                                                        container::segment_at::header_bytes))
      return true;
    end = segment.offset + segment.stored_bytes;
    if (at < end) return false;
  }
  return true;
}

// Without checksums of payloads, nobody can tell wrong payloads that make sense. All ways agree on them.
TEST(DamagedFrameWithoutChecksums, EveryBit) {
  unsigned refused = 0, accepted = 0;
  for (const SmallFrame& small : small_frames(false)) {
    SCOPED_TRACE(small.name);
    Bytes frame = small.frame;
    const Reader intact = Reader::open(view_of(small.frame)).value();
    ASSERT_FALSE(intact.info().has_checksums);
    for (std::size_t bit = 0; bit < 8 * frame.size(); bit += sanitized ? 131 : 3) {
      const bool must_fail = is_always_checked(intact, small.frame, bit / 8);
      frame[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      const Decoded restored = decode_restored(frame), stream = decode_stream(frame);
      ASSERT_EQ(restored.status.ok(), stream.status.ok()) << bit;
      ASSERT_TRUE(!restored.status.ok() || restored.content == stream.content) << bit;
      const Decoded memory = decode_memory(frame);
      ASSERT_EQ(memory.status.ok(), restored.status.ok()) << bit;
      ASSERT_TRUE(!memory.status.ok() || memory.content == restored.content) << bit;
      ASSERT_FALSE(must_fail && restored.status.ok()) << bit;
      const bool has_size = intact.info().content == floe::Content::array && restored.status.ok();
      ASSERT_TRUE(!has_size || restored.content.size() == small.content.size()) << bit;
      ++(restored.status.ok() ? accepted : refused);
      frame[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    }
  }
  EXPECT_GT(refused, accepted);
  EXPECT_GT(accepted, sanitized ? 400u : 1000u);
}

/// Of each frame: FLOE_RANDOM_CHANGES, or as many as do not take long.
unsigned random_changes() {
  const char* const given = std::getenv("FLOE_RANDOM_CHANGES");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : sanitized ? 20 : 600;
}

TEST_F(DamagedFrame, TwoBits) {
  Random random(1);
  with_every_frame([&](Bytes frame) {
    const std::uint64_t bits = 8 * frame.size();
    for (unsigned round = 0; round < random_changes() && !HasFatalFailure(); ++round) {
      const std::uint64_t first = random.below(bits), second = (first + 1 + random.below(bits - 1)) % bits;
      const auto flip_both = [&] {
        for (const std::uint64_t bit : {first, second})
          frame[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      };
      flip_both();
      expect_refused(frame, "two bits, the first", first);
      flip_both();
    }
  });
  RecordProperty("cases", std::to_string(refused_));
  EXPECT_GT(refused_, sanitized ? 3'500u : 100'000u);
}

TEST_F(DamagedFrame, Bursts) {
  Random random(2);
  with_every_frame([&](const Bytes& frame) {
    for (unsigned round = 0; round < random_changes() && !HasFatalFailure(); ++round) {
      Bytes damaged = frame;
      const std::uint64_t length = 2 + random.below(31), first = random.below(8 * frame.size() - length),
                          last = first + length - 1;
      for (std::uint64_t bit = first; bit <= last; ++bit) {
        if (bit == first || bit == last || random.below(2) == 0)
          damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      }
      expect_refused(damaged, "burst", first);
    }
  });
  RecordProperty("cases", std::to_string(refused_));
  EXPECT_GT(refused_, sanitized ? 3'500u : 100'000u);
}

TEST_F(DamagedFrame, BytesAdded) {
  Random random(3);
  with_every_frame([&](const Bytes& frame) {
    for (const bool zeros : {true, false}) {
      Bytes longer = frame;
      for (std::size_t added = 1; added <= 64 && !HasFatalFailure(); ++added) {
        longer.push_back(zeros ? std::uint8_t{0} : static_cast<std::uint8_t>(random.next()));
        if (sanitized && added % 13 != 1) continue;
        expect_refused(longer, "added", added);
      }
    }
    Bytes twice = frame;
    append(twice, view_of(frame));
    expect_refused(twice, "the frame again", 0);
  });
  RecordProperty("cases", std::to_string(refused_));
}

TEST_F(DamagedFrame, ZerosInsteadOfTheEnd) {
  with_every_frame([&](const Bytes& frame) {
    for (std::size_t kept = 0; kept < frame.size() && !HasFatalFailure(); kept += sanitized ? 31 : 7) {
      Bytes damaged = frame;
      std::fill(damaged.begin() + static_cast<std::ptrdiff_t>(kept), damaged.end(), std::uint8_t{0});
      expect_refused(damaged, "zeros from", kept);
    }
  });
  RecordProperty("cases", std::to_string(refused_));
}

}  // namespace
}  // namespace floe::test
