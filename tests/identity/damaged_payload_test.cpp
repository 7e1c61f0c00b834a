// Do both backends refuse the same damaged payloads, and make the same chunk of those that they accept?
#include <gtest/gtest.h>

#include "tests/identity/chunk_runner.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

class DamagedPayload : public testing::TestWithParam<registry::CodecEntry> {
 protected:
  void expect_same_verdict(const Bytes& payload, std::size_t chunk_bytes, std::uint32_t dimensionality = 1) {
    core::ChunkContext context;
    context.parameters.dimensionality = dimensionality;
    const MaybeBytes expected = oracle_.decode(payload, chunk_bytes, context);
    const MaybeBytes chunk = cpu_.decode(payload, chunk_bytes, context);
    ASSERT_EQ(chunk.has_value(), expected.has_value())
        << payload.size() << " bytes for a chunk of " << chunk_bytes;
    ASSERT_EQ(chunk, expected) << payload.size() << " bytes for a chunk of " << chunk_bytes;
    ++(chunk ? accepted_ : refused_);
  }

  ChunkRunner cpu_{GetParam().cpu};
  ChunkRunner oracle_{oracle::coder_of(GetParam())};
  std::size_t accepted_ = 0, refused_ = 0;
};

void flip_bits(Bytes& payload, Random& random) {
  for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
    payload[random.below(payload.size())] ^= static_cast<std::uint8_t>(1u << random.below(8));
  }
}

void damage(Bytes& payload, Random& random) {
  const std::size_t position = random.below(payload.size());
  const std::size_t edge =
      std::min<std::size_t>(40, payload.size());  // where lengths, widths and bitmaps stand
  switch (random.below(8)) {
    case 0:
      flip_bits(payload, random);
      break;
    case 1:
      payload[position] = static_cast<std::uint8_t>(random.next());
      break;
    case 2:
      payload.resize(position);
      break;
    case 3:
      payload.insert(payload.end(), 1 + random.below(20), static_cast<std::uint8_t>(random.next()));
      break;
    case 4:
      payload.erase(payload.begin() + static_cast<std::ptrdiff_t>(position));
      break;
    case 5:
      payload.insert(payload.begin() + static_cast<std::ptrdiff_t>(position),
                     static_cast<std::uint8_t>(random.next()));
      break;
    case 6:
      payload[random.below(edge)] = static_cast<std::uint8_t>(random.next());
      break;
    default:
      payload[payload.size() - 1 - random.below(edge)] = static_cast<std::uint8_t>(random.next());
      break;
  }
}

TEST_P(DamagedPayload, DamagedInManyWays) {
  Random random(GetParam().id);
  ChunkRunner encoder(GetParam().cpu);
  for (unsigned round = 0; round < (sanitized ? 600 : 4000) && !HasFatalFailure(); ++round) {
    const std::size_t size =
        random.below(8) == 0 ? core::chunk_bytes - random.below(3) : 1 + random.below(1500);
    core::ChunkContext context;
    context.parameters.dimensionality = 1 + static_cast<std::uint32_t>(random.below(32));
    MaybeBytes payload = encoder.encode(
        make_bytes(GetParam().word_bits, random.below(content_names().size()), size, round), context);
    if (!payload) continue;
    for (unsigned i = 0; i < 3 && !payload->empty() && !HasFatalFailure(); ++i) {
      damage(*payload, random);
      expect_same_verdict(*payload, size, context.parameters.dimensionality);
    }
  }
  EXPECT_GT(accepted_, sanitized ? 3u : 20u);
  EXPECT_GT(refused_, sanitized ? 150u : 1000u);
}

TEST_P(DamagedPayload, FlippedBitsOnly) {
  Random random(77);
  ChunkRunner encoder(GetParam().cpu);
  for (std::size_t content = 0; content < content_names().size(); ++content) {
    const MaybeBytes payload = encoder.encode(make_bytes(GetParam().word_bits, content, 1024, 5), {});
    if (!payload) continue;
    for (unsigned round = 0; round < 300 && !HasFatalFailure(); ++round) {
      Bytes damaged = *payload;
      flip_bits(damaged, random);
      expect_same_verdict(damaged, 1024);
    }
  }
}

TEST_P(DamagedPayload, OtherLengthsOfTheChunk) {
  ChunkRunner encoder(GetParam().cpu);
  for (std::size_t content = 0; content < content_names().size(); ++content) {
    const MaybeBytes payload = encoder.encode(make_bytes(GetParam().word_bits, content, 1000, 9), {});
    if (!payload) continue;
    for (const std::size_t claimed :
         {std::size_t{1}, std::size_t{8}, std::size_t{999}, std::size_t{1001}, core::chunk_bytes}) {
      if (!HasFatalFailure()) expect_same_verdict(*payload, claimed);
    }
  }
}

TEST_P(DamagedPayload, RandomBytes) {
  Random random(3);
  for (unsigned round = 0; round < (sanitized ? 500 : 2000) && !HasFatalFailure(); ++round) {
    Bytes payload(random.below(round % 50 == 0 ? 40000 : 400));
    const bool sparse = random.below(2) == 0;
    for (std::uint8_t& byte : payload)
      byte = sparse && random.below(8) != 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(random.next());
    expect_same_verdict(payload, 1 + random.below(core::chunk_bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedPayload,
                         testing::ValuesIn(registry::all_codecs().begin(), registry::all_codecs().end()),
                         [](const auto& codec) { return test_name(codec.param); });

}  // namespace
}  // namespace floe::test
