// Does recovery keep to its memory for any bytes, and survive allocations that fail?
#include <gtest/gtest.h>

#include "floe/recover.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/reseal.hpp"
#include "tests/support/small_frames.hpp"

namespace floe::test {
namespace {

constexpr std::int64_t recovery_slack = 2 << 20;  // the window of the search, a segment's header, workspaces

/// The text of a compact frame needs a model of a megabyte.
std::uint64_t recovery_limit(const SmallFrame& small) {
  return small.name.starts_with("compact") ? 2 << 20 : 256 << 10;
}

Status recover_forged(std::span<const std::uint8_t> frame, std::uint64_t limit, RecoveryMap* map = nullptr) {
  RecoveryOptions options;
  options.memory_limit_bytes = limit;
  options.max_filled_bytes = limit;
  const auto recovery = Recovery::open(view_of(frame), options);
  if (!recovery) return recovery.status();
  auto made = recovery->restore(ignore, {.threads = 1, .memory_limit_bytes = limit});
  if (made && map != nullptr) *map = std::move(*made);
  return made.status();
}

// Forged frames claim anything, with checksums that are right.
TEST(RecoveryMemory, KeepsToTheLimit) {
  Random random(1);
  std::size_t tried = 0;
  for (const SmallFrame& small : small_frames_of_both_versions()) {
    SCOPED_TRACE(small.name);
    for (unsigned round = 0; round < (sanitized ? 8 : 100); ++round) {
      Bytes frame = small.frame;
      for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
        // Most of them where the parts begin.
        const std::uint64_t range =
            random.below(2) == 0 ? std::min<std::uint64_t>(frame.size(), 300) : frame.size();
        frame[random.below(range)] = static_cast<std::uint8_t>(random.next());
      }
      reseal(frame);
      if (round % 3 == 0) std::fill(frame.end() - 16, frame.end(), std::uint8_t{0});
      Allocations::begin_peak();
      const Status status = recover_forged(frame, recovery_limit(small));
      const bool needs_more = status.code == ErrorCode::out_of_memory && small.name.starts_with("compact");
      ASSERT_TRUE(status.ok() || status.code == ErrorCode::corrupt_frame || needs_more) << status.message();
      ASSERT_LE(Allocations::peak_bytes(), static_cast<std::int64_t>(recovery_limit(small)) + recovery_slack);
      ++tried;
    }
  }
  RecordProperty("cases", std::to_string(tried));
  EXPECT_GT(tried, sanitized ? 1'000u : 18'000u);
}

// What could not be decoded for lack of memory is lost, and the map says why; or the call fails.
TEST(RecoveryMemory, SurvivesFailedAllocations) {
  for (const SmallFrame& small : small_frames_of_both_versions()) {
    if (!small.name.starts_with("compact") && small.name.find("segments") == std::string::npos &&
        small.name.find("CSV of three") == std::string::npos)
      continue;
    SCOPED_TRACE(small.name);
    for (std::int64_t n = 1;; n += 1 + n / 10) {
      ASSERT_LT(n, 100'000);
      const std::int64_t count = Allocations::live_count();
      Allocations::fail_at(n);
      Status status;
      bool is_complete = true, is_for_memory = true;
      {
        RecoveryMap map;
        status = recover_forged(small.frame, recovery_limit(small), &map);
        is_complete = map.lost.empty();
        for (const LostRange& range : map.lost)
          is_for_memory = is_for_memory && range.cause.code == ErrorCode::out_of_memory;
      }
      const bool failed = Allocations::failures() > 0;
      Allocations::fail_at(0);
      ASSERT_EQ(Allocations::live_count(), count) << "leak after failure " << n;
      ASSERT_TRUE(status.ok() || (failed && status.code == ErrorCode::out_of_memory))
          << status.message() << " at " << n;
      ASSERT_TRUE(is_for_memory && (failed || is_complete)) << n;
      if (!failed) break;
    }
  }
}

}  // namespace
}  // namespace floe::test
