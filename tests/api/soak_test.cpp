// Does nothing grow, and does every bit come back, however long a process goes on? FLOE_SOAK_SECONDS says how
// long.
#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstdlib>

#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

double seconds_to_go_on() {
  const char* wanted = std::getenv("FLOE_SOAK_SECONDS");
  return wanted != nullptr ? std::strtod(wanted, nullptr) : 0.5;
}

/// What is allocated and not given back, but for memory that the library keeps for later calls.
std::size_t bytes_in_use() {
  release_memory();
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

/// An array or a table, by any way and any number of threads, whole, in pieces, and with a changed byte.
void round_trip(Random& random) {
  static const std::vector<ArrayCase> ways = mixed_cases();
  Bytes content, frame;
  if (random.below(4) == 0) {
    Options options;
    options.threads = static_cast<std::uint32_t>(1 + random.below(3));
    content = bytes_of(some_csv(random.below(3000), random.next()));
    frame = table_of(text_of(content), {}, options, 1 + random.below(100'000));
  } else {
    const ArrayCase& way = ways[random.below(ways.size())];
    Options options = way.options();
    options.threads = static_cast<std::uint32_t>(1 + random.below(3));
    options.segment_bytes = 16384 << random.below(4);
    const std::size_t bytes = random.below(200'000) / way.word_bytes() * way.word_bytes();
    content = way.sample(random.below(content_names().size()), bytes, random.next());
    frame = frame_of(content, way.dtype, options);
  }
  const DecodeOptions threads{.threads = static_cast<std::uint32_t>(1 + random.below(3))};
  const Decoded whole = decode_restored(frame, threads);
  ASSERT_TRUE(whole.status.ok() && whole.content == content) << whole.status.message();
  const Decoded pieces = decode_stream(
      frame, [&] { return 1 + random.below(50'000); }, threads);
  ASSERT_TRUE(pieces.status.ok() && pieces.content == content) << pieces.status.message();
  frame[random.below(frame.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
  ASSERT_FALSE(decode_restored(frame, threads).status.ok());
}

TEST(Soak, NothingGrowsAndEverythingComesBack) {
  using Clock = std::chrono::steady_clock;
  const double seconds = seconds_to_go_on();
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count() / seconds; };
  Random random(1);
  std::uint64_t rounds = 0;
  std::size_t at_half = 0;
  while (passed() < 1 && !HasFatalFailure()) {
    round_trip(random);
    ++rounds;
    if (at_half == 0 && passed() >= 0.5) at_half = bytes_in_use();
  }
  const std::size_t at_end = bytes_in_use();
  RecordProperty("cases", std::to_string(rounds));
  RecordProperty("bytes_in_use", std::to_string(at_half) + " " + std::to_string(at_end));
  if (sanitized) return;  // their allocators keep what was given back
  EXPECT_LE(at_end, std::size_t{1} << 20) << rounds << " rounds";
  if (seconds >= 60) {
    EXPECT_LE(at_end, at_half + at_half / 100) << rounds << " rounds";
  }
}

}  // namespace
}  // namespace floe::test
