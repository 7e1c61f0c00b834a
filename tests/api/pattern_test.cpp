// Does every pattern of bits come back, of words of 8, 16 and 32 bits?
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

template <class W>
void expect_patterns_back(const std::vector<W>& patterns, DType dtype, const Options& options) {
  Bytes content(sizeof(W) * patterns.size());
  std::memcpy(content.data(), patterns.data(), content.size());
  const Bytes frame = frame_of(content, dtype, options);
  ASSERT_FALSE(frame.empty());
  const Decoded decoded = decode_memory(frame);
  ASSERT_TRUE(decoded.status.ok()) << decoded.status.message();
  ASSERT_TRUE(decoded.content == content) << options.tree << " of " << name_of(dtype);
}

// In ascending order and shuffled.
TEST(Patterns, OfNarrowWords) {
  Random random(4);
  for (const DType dtype :
       {DType::f16, DType::bf16, DType::i16, DType::u16, DType::i8, DType::u8, DType::boolean}) {
    std::vector<std::uint16_t> patterns(65536);
    std::iota(patterns.begin(), patterns.end(), std::uint16_t{0});
    for (int order = 0; order < 2; ++order) {
      std::vector<Options> ways(4);
      ways[1].goal = Goal::max;
      ways[2].profile = Profile::gpu;
      ways[3].tree = size_of(dtype) == 1 ? "speed8" : "speed16";
      for (const Options& options : ways) expect_patterns_back(patterns, dtype, options);
      for (std::size_t i = patterns.size(); i > 1; --i) std::swap(patterns[i - 1], patterns[random.below(i)]);
    }
  }
}

// A sample, as far from each other as it takes to have one block of them; all of them if FLOE_EVERY_FLOAT is
// set.
TEST(Patterns, OfFloats) {
  constexpr std::uint64_t all = std::uint64_t{1} << 32;
  const bool every = std::getenv("FLOE_EVERY_FLOAT") != nullptr;
  const std::uint64_t block = every       ? 1 << 22
                              : sanitized ? 1 << 14
                                          : 1 << 18,
                      distance = every ? 1 : all / block + 1;
  std::vector<std::uint32_t> patterns;
  std::uint64_t count = 0;
  for (std::uint64_t pattern = 0; pattern < all;) {
    patterns.clear();
    for (; patterns.size() < block && pattern < all; pattern += distance)
      patterns.push_back(static_cast<std::uint32_t>(pattern));
    count += patterns.size();
    for (const char* tree :
         {"", "spspeed", "spratio", "sortable,delta,entropy", "decimal(2,4),delta,entropy,bitpack,raw"}) {
      Options options;
      options.tree = tree;
      expect_patterns_back(patterns, DType::f32, options);
      if (HasFatalFailure()) return;
    }
  }
  RecordProperty("cases", std::to_string(count));
}

}  // namespace
}  // namespace floe::test
