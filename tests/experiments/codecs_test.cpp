// Do codecs of the experimental stages bring all chunks back, and survive damaged payloads?
#include "tests/experiments/codecs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/identity/chunk_runner.hpp"

namespace floe::experiments {
namespace {

core::ChunkContext context_of(std::uint64_t seed) {
  test::Random random(seed);
  core::ChunkContext context;
  context.rank = 1 + static_cast<std::uint32_t>(random.below(4));
  for (std::uint32_t d = 0; d < context.rank; ++d) context.extent[d] = 1 + random.below(90);
  context.first_word = random.below(1u << 20);
  return context;
}

class ExperimentalCodec : public testing::TestWithParam<Experiment> {
 protected:
  void expect_round_trip(std::size_t content, std::size_t size, std::uint64_t seed) {
    const Bytes chunk = test::make_bytes(GetParam().word_bits, content, size, seed);
    const core::ChunkContext context = context_of(seed);
    const MaybeBytes payload = runner_.encode(chunk, context);
    if (!payload) return;
    ++coded_;
    ASSERT_LT(payload->size(), size);
    ASSERT_EQ(runner_.decode(*payload, size, context), chunk)
        << test::content_names()[content] << ", " << size << " bytes";
  }

  test::ChunkRunner runner_{GetParam().coder};
  std::size_t coded_ = 0;
};

TEST_P(ExperimentalCodec, BringsBackSmallChunks) {
  for (std::size_t size = 1; size <= 700 && !HasFatalFailure(); ++size)
    expect_round_trip(size % 13, size, size);
  for (std::size_t size = 1; size <= 200 && !HasFatalFailure(); ++size) expect_round_trip(0, size, size);
  EXPECT_GT(coded_, 100u);
}

TEST_P(ExperimentalCodec, BringsBackLargeChunks) {
  for (std::size_t size = 701; size <= core::chunk_bytes && !HasFatalFailure(); size += 53)
    expect_round_trip(size % 13, size, size);
  EXPECT_GT(coded_, 100u);
}

TEST_P(ExperimentalCodec, BringsBackAllContents) {
  for (std::size_t content = 0; content < 13; ++content) {
    for (const std::size_t size :
         {core::chunk_bytes, core::chunk_bytes - 1, core::chunk_bytes - 8, core::chunk_bytes / 2 + 3}) {
      if (!HasFatalFailure()) expect_round_trip(content, size, size + content);
    }
  }
}

TEST_P(ExperimentalCodec, SurvivesDamage) {
  test::Random random(8);
  std::size_t refused = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    const std::size_t size = random.below(16) == 0 ? core::chunk_bytes : 200 + random.below(1500);
    const core::ChunkContext context = context_of(round);
    const MaybeBytes payload =
        runner_.encode(test::make_bytes(GetParam().word_bits, round % 13, size, round), context);
    if (!payload) continue;
    for (unsigned i = 0; i < 4; ++i) {
      Bytes damaged = *payload;
      const std::size_t reach =
          random.below(2) == 0 ? damaged.size() : std::min<std::size_t>(damaged.size(), 60);
      for (std::uint64_t changes = random.below(4); changes > 0; --changes) {
        damaged[random.below(reach)] = static_cast<std::uint8_t>(random.next());
      }
      if (random.below(4) == 0) damaged.resize(random.below(damaged.size()));
      if (random.below(4) == 0) damaged.insert(damaged.end(), random.below(9), std::uint8_t{0});
      const MaybeBytes chunk = runner_.decode(damaged, size, context);
      refused += chunk ? 0 : 1;
      if (chunk) {
        ASSERT_EQ(chunk->size(), size);
      }
    }
  }
  EXPECT_GT(refused, 500u);
}

TEST_P(ExperimentalCodec, SurvivesAnyBytes) {
  test::Random random(9);
  for (unsigned round = 0; round < 1500; ++round) {
    Bytes payload(random.below(round % 50 == 0 ? 20000 : 300));
    const bool is_sparse = random.below(2) == 0;
    for (std::uint8_t& byte : payload)
      byte = is_sparse && random.below(8) != 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(random.next());
    if (!payload.empty()) payload[0] %= 3;  // a pipeline that exists
    static_cast<void>(runner_.decode(payload, 1 + random.below(core::chunk_bytes), context_of(round)));
  }
}

TEST_P(ExperimentalCodec, BringsBackAnyWords) {
  EXPECT_TRUE(rc::check([this](const std::vector<std::uint8_t>& pattern, std::uint8_t repeats) {
    Bytes chunk;
    for (unsigned i = 0; i <= repeats % 40; ++i) reference::append(chunk, pattern);
    chunk.resize(std::min(chunk.size(), core::chunk_bytes));
    if (chunk.empty()) return;
    const core::ChunkContext context = context_of(repeats);
    const MaybeBytes payload = runner_.encode(chunk, context);
    if (!payload) return;
    RC_ASSERT(runner_.decode(*payload, chunk.size(), context) == MaybeBytes(chunk));
  }));
}

INSTANTIATE_TEST_SUITE_P(All, ExperimentalCodec, testing::ValuesIn(experiments), [](const auto& codec) {
  return std::string(codec.param.name) + "_" + std::to_string(codec.param.word_bits);
});

}  // namespace
}  // namespace floe::experiments
