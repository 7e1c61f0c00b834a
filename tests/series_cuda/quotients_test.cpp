// Tests of segments that are quotients of floats above a leaf of entropy, which a block packs while it
// divides, run by emulated lanes: the bytes are the CPU's.
#include <gtest/gtest.h>

#include <string>

#include "tests/series_cuda/emulated_encoder.hpp"
#include "tests/series_cuda/two_stream_columns.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

class PackedQuotientsOf : public testing::TestWithParam<DType> {
 protected:
  /// Fails where a segment is packed to other bytes than the CPU's. Returns whether it was packed.
  static bool is_packed_alike(const std::string& tree, const Column& column, const std::string& what) {
    const trees::Plan plan = trees::plan_from_text(tree, column.type).value();
    const std::vector<std::uint8_t> packed =
        pack_entropy_emulated(plan, column, column.count() % 3 == 0 ? 4 : 1);
    if (packed.empty()) return false;
    expect_bytes(ColumnEncoder(plan).encode(column.view()), packed, column.type,
                 tree + " on " + what + " of " + std::to_string(column.count()));
    return true;
  }
  static unsigned bits() { return 8 * static_cast<unsigned>(size_of(GetParam())); }
};

constexpr const char* quotients[] = {"entropy", "delta,entropy", "delta(2),entropy"};

TEST_P(PackedQuotientsOf, AreThoseOfTheCpu) {
  const unsigned shift = bits() / 2 - 3;
  for (const char* tree : quotients) {
    for (const std::uint64_t count : {1, 3, 4, 40, 300, 4097, 20'000, 65'536}) {
      const Column column = almost_multiples(GetParam(), count, std::uint64_t{1} << shift, 1'000'000'000);
      const bool is_packed = is_packed_alike("divide(1," + std::to_string(shift) + ")," + tree + ",constant",
                                             column, "multiples");
      EXPECT_TRUE(is_packed || count < 300) << tree << ", " << count;
      if (HasFatalFailure()) return;
    }
  }
}

/// Equal words, equal differences, words of all bits, zeros of both signs, infinities, words that are no
/// numbers; and each of them less what is below the divisor.
TEST_P(PackedQuotientsOf, OfDifficultWords) {
  std::size_t number = 0;
  const std::uint64_t top = std::uint64_t{1} << (bits() - 1);
  for (const char* tree : quotients) {
    for (const unsigned shift : {0u, 1u, 9u, bits() - 2}) {
      for (const std::uint64_t count : {1, 2, 3, 5, 9, 1000, 5000}) {
        for (unsigned kind = 0; kind < 6; ++kind) {
          if (sanitized && number++ % 5 > 1) continue;
          Column column(GetParam(), count), cut(GetParam(), count);
          for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t random = core::splitmix(i), word = kind == 0   ? 4711
                                                                   : kind == 1 ? i * 7
                                                                   : kind == 2 ? random
                                                                   : kind == 3 ? (i % 2) * top
                                                                   : kind == 4 ? (random % 3 + 1) * (top / 4)
                                                                               : top - 1 - i % 50;
            column.set(i, word);
            cut.set(i, word >> shift << shift | (shift > 3 ? 5 : 0));
          }
          const std::string text = "divide(1," + std::to_string(shift) + ")," + tree + ",constant",
                            what = "kind " + std::to_string(kind);
          is_packed_alike(text, column, what);
          is_packed_alike(text, cut, what + ", cut");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// Some words, in places or everywhere, have other remainders; or all of them, so that nothing is gained.
TEST_P(PackedQuotientsOf, HaveRemaindersThatDiffer) {
  const unsigned shift = bits() / 2 - 1;
  std::size_t number = 0;
  for (const char* tree : quotients) {
    for (const char* below : {"constant", "bitpack"}) {
      for (const std::uint64_t count : {2, 3, 40, 1024, 1025, 5000, 65'536}) {
        for (const std::uint64_t rare : {1, 3, 200, 3000}) {
          if (sanitized && number++ % 3 != 0) continue;
          Column column = almost_multiples(GetParam(), count, std::uint64_t{1} << shift, rare);
          const std::string text = "divide(1," + std::to_string(shift) + ")," + tree + "," + below;
          const bool is_packed = is_packed_alike(text, column, "one of " + std::to_string(rare));
          EXPECT_TRUE(is_packed || count < 300) << text << ", " << count;
          for (std::uint64_t i = count / 3; i < count / 2; ++i) column.set(i, core::splitmix(i));
          is_packed_alike(text, column, "others in the middle, one of " + std::to_string(rare));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(PackedQuotientsOf, AreThoseOfOneDeltaAndPowersOfTwo) {
  const Column column = almost_multiples(GetParam(), 5000, 128, 1'000'000'000);
  for (const char* tree : {"divide(3,2),delta,entropy,constant", "divide(1,7),delta,entropy,entropy",
                           "divide(1,7),delta(1,2),entropy,constant",
                           "divide(1,7),delta,delta,entropy,constant", "divide(1,7),bitpack,constant"})
    EXPECT_FALSE(is_packed_alike(tree, column, "multiples")) << tree;
}

INSTANTIATE_TEST_SUITE_P(Types, PackedQuotientsOf,
                         testing::Values(DType::f64, DType::f32, DType::f16, DType::bf16),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace floe::test
