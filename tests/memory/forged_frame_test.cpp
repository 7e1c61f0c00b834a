// Is a frame harmless whose checksums are right but whose bytes no encoder wrote? Decoders may refuse it or
// make something of it; they never read or write outside their buffers, and never allocate more than the
// limit.
#include <gtest/gtest.h>

#include "tests/support/counted_new.hpp"
#include "tests/support/guarded_buffer.hpp"
#include "tests/support/reseal.hpp"
#include "tests/support/small_frames.hpp"

namespace floe::test {
namespace {

constexpr DecodeOptions limited{.threads = 1, .memory_limit_bytes = 256 << 10};
constexpr std::int64_t slack = 512 << 10;  // workspaces of threads, header and footer

class ForgedFrame : public testing::Test {
 protected:
  /// Makes the checksums right and decodes; in turns as array, as file, as stream, and each part by itself.
  void decode(std::span<const std::uint8_t> forged) {
    const auto frame = frame_area_.bytes().last(forged.size());
    std::copy(forged.begin(), forged.end(), frame.begin());
    reseal(frame);
    Allocations::begin_peak();
    bool is_accepted = false;
    switch (tried_ % 4) {
      case 0:
        is_accepted = restore(frame);
        break;
      case 1:
        is_accepted = stream(frame);
        break;
      case 2:
        is_accepted = read_parts(frame);
        break;
      default:
        is_accepted = decode_array(frame);
    }
    ASSERT_LE(Allocations::peak_bytes(), static_cast<std::int64_t>(limited.memory_limit_bytes) + slack)
        << "way " << tried_ % 4;
    ++tried_;
    accepted_ += is_accepted ? 1 : 0;
  }

  std::size_t tried_ = 0, accepted_ = 0;

 private:
  /// A compact frame is expanded when it is opened.
  static Result<Reader> opened(std::span<const std::uint8_t> frame) {
    const bool is_compact = frame.size() > 4 && frame[4] == 2;
    return is_compact ? Reader::open(reader_of(frame), frame.size(), limited.memory_limit_bytes)
                      : Reader::open(view_of(frame));
  }

  static bool restore(std::span<const std::uint8_t> frame) {
    const auto reader = opened(frame);
    return reader && reader->restore(ignore, limited).ok();
  }

  static bool stream(std::span<const std::uint8_t> frame) {
    StreamReader reader(ignore, limited);
    for (std::size_t at = 0; at < frame.size(); at += 1000) {
      if (!reader.write(view_of(frame.subspan(at, std::min<std::size_t>(1000, frame.size() - at)))).ok())
        return false;
    }
    return reader.finish().ok();
  }

  bool decode_array(std::span<const std::uint8_t> frame) {
    const auto reader = Reader::open(reader_of(frame), frame.size(), limited.memory_limit_bytes);
    if (!reader || reader->info().content != floe::Content::array) return reader && read_parts(frame);
    const std::uint64_t bytes = reader->info().array_bytes();
    if (bytes > limited.memory_limit_bytes) return false;
    const auto out = out_area_.bytes().last(bytes);
    const auto before = out_area_.bytes().last(bytes + 32).first(32);
    std::fill(before.begin(), before.end(), std::uint8_t{0x5C});
    const bool is_accepted = reader->decompress(room_of(out), limited).ok();
    EXPECT_EQ(std::count(before.begin(), before.end(), std::uint8_t{0x5C}), 32);
    return is_accepted;
  }

  /// What is stored of each segment, and the cells or elements in the middle of the frame.
  bool read_parts(std::span<const std::uint8_t> frame) {
    const auto reader = opened(frame);
    if (!reader) return false;
    const FrameInfo& info = reader->info();
    bool is_accepted = true;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(info.segment_count, 4); ++i)
      is_accepted = static_cast<bool>(reader->segment(i)) && is_accepted;
    const Slice middle{info.element_count / 3, std::min<std::uint64_t>(info.element_count / 3, 100)};
    if (info.content == floe::Content::array) {
      const auto out = out_area_.bytes().last(middle.count * size_of(info.dtype));
      return reader->decompress_slice(room_of(out), middle, limited).ok() && is_accepted;
    }
    for (std::size_t column = 0; column < std::min<std::size_t>(info.columns.size(), 8); ++column)
      is_accepted = static_cast<bool>(reader->read_texts(column, middle, limited)) && is_accepted;
    return is_accepted;
  }

  GuardedBuffer frame_area_{24 << 10};
  GuardedBuffer out_area_{limited.memory_limit_bytes + 32};
};

TEST_F(ForgedFrame, EveryByte) {
  for (const SmallFrame& small : small_frames_of_both_versions()) {
    SCOPED_TRACE(small.name);
    Bytes frame = small.frame;
    for (std::size_t i = 0; i < frame.size() && !HasFatalFailure(); i += sanitized ? 29 : 1) {
      const std::uint8_t byte = frame[i];
      for (const unsigned other : {byte ^ 1u << tried_ / 5 % 8, byte + 1u, byte - 1u, 0x00u, 0xFFu}) {
        frame[i] = static_cast<std::uint8_t>(other);
        if (!HasFatalFailure()) decode(frame);
      }
      frame[i] = byte;
    }
  }
  RecordProperty("cases", std::to_string(tried_));
  EXPECT_GT(tried_, sanitized ? 15'000u : 50'000u);
  EXPECT_GT(accepted_, sanitized ? 300u : 1'000u);  // the changes do reach the decoders
}

TEST_F(ForgedFrame, SeveralBytesCutsAndInsertions) {
  Random random(1);
  for (const SmallFrame& small : small_frames_of_both_versions()) {
    SCOPED_TRACE(small.name);
    for (unsigned round = 0; round < (sanitized ? 40 : 400) && !HasFatalFailure(); ++round) {
      Bytes frame = small.frame;
      for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
        const std::size_t at = random.below(frame.size());
        switch (random.below(6)) {
          case 0:  // what stands elsewhere in the frame
            frame[at] = frame[random.below(frame.size())];
            break;
          case 1:
            frame.erase(frame.begin() + static_cast<std::ptrdiff_t>(at));
            break;
          case 2:
            frame.insert(frame.begin() + static_cast<std::ptrdiff_t>(at),
                         static_cast<std::uint8_t>(random.next()));
            break;
          default:
            frame[at] = static_cast<std::uint8_t>(random.next());
            break;
        }
        if (frame.empty()) break;
      }
      decode(frame);
    }
  }
}

TEST_F(ForgedFrame, PartsOfTwoFrames) {
  Random random(2);
  const auto frames = small_frames_of_both_versions();
  for (unsigned round = 0; round < (sanitized ? 2000 : 20'000) && !HasFatalFailure(); ++round) {
    const Bytes &one = frames[random.below(frames.size())].frame,
                &other = frames[random.below(frames.size())].frame;
    Bytes mixed = one;
    const std::size_t at = random.below(mixed.size()), from = random.below(other.size());
    const std::size_t length = random.below(std::min(mixed.size() - at, other.size() - from)) + 1;
    std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(from), length,
                mixed.begin() + static_cast<std::ptrdiff_t>(at));
    decode(mixed);
  }
}

}  // namespace
}  // namespace floe::test
