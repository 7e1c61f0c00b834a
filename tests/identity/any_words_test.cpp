// Do the backends of every codec agree on words that a generator of properties picks?
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/identity/chunk_runner.hpp"

namespace floe::test {
namespace {

class AnyWords : public testing::TestWithParam<registry::CodecEntry> {
 protected:
  ChunkRunner cpu_{GetParam().cpu};
  ChunkRunner oracle_{oracle::coder_of(GetParam())};
};

TEST_P(AnyWords, EqualBytes) {
  const unsigned word_bytes = GetParam().word_bits / 8;
  rc::check("bytes equal", [&] {
    const auto words = *rc::gen::container<std::vector<std::uint64_t>>(
        rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange<std::uint64_t>(0, 70),
                       rc::gen::just(std::uint64_t{0})));
    Bytes chunk;
    for (const std::uint64_t word : words) {
      for (unsigned b = 0; b < word_bytes; ++b) chunk.push_back(static_cast<std::uint8_t>(word >> (8 * b)));
    }
    chunk.resize(chunk.size() + *rc::gen::inRange<std::size_t>(chunk.empty() ? 1 : 0, 9), 7);
    core::ChunkContext context;
    context.parameters.dimensionality = *rc::gen::inRange<std::uint32_t>(1, 33);
    const MaybeBytes payload = cpu_.encode(chunk, context);
    RC_ASSERT(payload == oracle_.encode(chunk, context));
    if (payload) RC_ASSERT(cpu_.decode(*payload, chunk.size(), context) == chunk);
  });
}

INSTANTIATE_TEST_SUITE_P(All, AnyWords,
                         testing::ValuesIn(registry::all_codecs().begin(), registry::all_codecs().end()),
                         [](const auto& codec) { return test_name(codec.param); });

}  // namespace
}  // namespace floe::test
