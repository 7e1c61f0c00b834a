// Is a frame harmless whose checksums are right but whose bytes no encoder wrote? Decoders may refuse it or
// make something of it; they never read or write outside their buffers, and never allocate more than the
// limit.
#include <gtest/gtest.h>

#include "tests/corruption/small_frames.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/guarded_buffer.hpp"
#include "tests/support/reseal.hpp"

namespace floe::test {
namespace {

constexpr std::uint64_t memory_limit = 256 << 10;
constexpr std::int64_t slack = 512 << 10;  // workspaces of threads, header and footer, this test's own copies

class ForgedFrame : public testing::Test {
 protected:
  void decode(std::span<const std::uint8_t> forged) {
    const auto frame = frame_area_.bytes().last(forged.size());
    std::copy(forged.begin(), forged.end(), frame.begin());
    reseal(frame);
    Allocations::begin_peak();
    decode_view(frame);
    // The other ways share most of their code with this one.
    if (tried_ % 4 == 1) (void)decode_reader(frame, {1, memory_limit});
    if (tried_ % 4 == 3) (void)decode_stream(frame, [] { return std::size_t{1000}; }, {1, memory_limit});
    ASSERT_LE(Allocations::peak_bytes(), static_cast<std::int64_t>(memory_limit) + slack);
    ++tried_;
  }

  std::size_t tried_ = 0, accepted_ = 0;

 private:
  void decode_view(std::span<const std::uint8_t> frame) {
    const auto view = FrameView::parse(view_of(frame));
    if (!view || view->info().array_bytes() > memory_limit) return;
    const auto out = out_area_.bytes().last(view->info().array_bytes());
    const auto before = out_area_.bytes().last(out.size() + 32).first(32);
    std::fill(before.begin(), before.end(), std::uint8_t{0x5C});
    if (view->decompress(room_of(out), {1, memory_limit}).ok()) ++accepted_;
    EXPECT_EQ(std::count(before.begin(), before.end(), std::uint8_t{0x5C}), 32);
  }

  GuardedBuffer frame_area_{16 << 10};
  GuardedBuffer out_area_{memory_limit + 32};
};

TEST_F(ForgedFrame, EveryByte) {
  for (const SmallFrame& small : small_frames()) {
    SCOPED_TRACE(small.name);
    Bytes frame = small.frame;
    for (std::size_t i = 0; i < frame.size() && !HasFatalFailure(); i += sanitized ? 5 : 1) {
      const std::uint8_t byte = frame[i];
      for (unsigned bit = 0; bit < 8 && !HasFatalFailure(); ++bit) {
        frame[i] = static_cast<std::uint8_t>(byte ^ 1u << bit);
        decode(frame);
      }
      for (const unsigned other : {0x00u, 0xFFu}) {
        frame[i] = static_cast<std::uint8_t>(other);
        if (!HasFatalFailure()) decode(frame);
      }
      frame[i] = byte;
    }
  }
  EXPECT_GT(tried_, 50'000u);
  EXPECT_GT(accepted_, 1'000u);  // the changes do reach the codecs
}

TEST_F(ForgedFrame, SeveralBytesCutsAndInsertions) {
  Random random(1);
  for (const SmallFrame& small : small_frames()) {
    SCOPED_TRACE(small.name);
    for (unsigned round = 0; round < (sanitized ? 100 : 1000) && !HasFatalFailure(); ++round) {
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
  const auto frames = small_frames();
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
