// Are words predicted from the right neighbours, for every shape, place of the chunk and length?
#include "tests/experiments/lorenzo.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/experiments/lattice.hpp"
#include "tests/support/data.hpp"

namespace floe::experiments {
namespace {

core::ChunkContext context_of(const std::vector<std::uint64_t>& extent, std::uint64_t first_word = 0) {
  core::ChunkContext context;
  context.rank = static_cast<std::uint32_t>(extent.size());
  std::copy(extent.begin(), extent.end(), context.extent.begin());
  context.first_word = first_word;
  return context;
}

template <unsigned dimensions, core::Word W>
std::vector<W> residuals_of(const std::vector<W>& words, const core::ChunkContext& context,
                            std::size_t tail_bytes = 0) {
  using Stage = Lorenzo<dimensions>;
  const Bytes in = reference::to_bytes(words, Bytes(tail_bytes, 9));
  const MaybeBytes out = encode<Stage, W>(LatticeShape{}, in, context);
  EXPECT_TRUE(out && out->size() == in.size());
  EXPECT_EQ((decode<Stage, W>(LatticeShape{}, *out, context)), in);
  return reference::to_words<W>(*out);
}

TEST(Lorenzo, IsExactForPolynomialsInsideACube) {
  const std::size_t planes = 7, rows = 9, columns = 12;
  std::vector<std::uint32_t> words;
  for (std::uint32_t z = 0; z < planes; ++z) {
    for (std::uint32_t y = 0; y < rows; ++y) {
      for (std::uint32_t x = 0; x < columns; ++x)
        words.push_back(1000 + 7 * x * y + 5 * y * z - 11 * x * z + 3 * x);
    }
  }
  const auto residuals = residuals_of<3>(words, context_of({planes, rows, columns}));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_inside = i % columns > 0 && i / columns % rows > 0 && i / columns / rows > 0;
    if (is_inside) {
      ASSERT_EQ(residuals[i], 0u) << i;
    }
  }
}

TEST(Lorenzo, TakesTheNeighboursOfAChunkInTheMiddleOfARow) {
  // An array of rows of 5; the chunk begins at its word 12, in the middle of the third row.
  const std::vector<std::uint32_t> words = {102, 203, 307, 411, 518, 630, 741, 850, 967, 1083, 1201};
  const auto residuals = residuals_of<2>(words, context_of({0, 5}, 12));
  EXPECT_EQ(residuals[0], 102u);        // none
  EXPECT_EQ(residuals[1], 203u - 102);  // left
  EXPECT_EQ(residuals[3], 411u);        // the row begins, and the word above is not in the chunk
  EXPECT_EQ(residuals[5], 630u - 518);  // above is there, its left neighbour is not
  EXPECT_EQ(residuals[6], 741u - (630u + 203 - 102));  // the square
  EXPECT_EQ(residuals[8], 967u - 411);                 // a row begins: above
  EXPECT_EQ(residuals[10], 1201u - (1083 + 630 - 518));
}

TEST(Lorenzo, InOneDimensionIsTheDifferenceToTheWordBefore) {
  const auto words = test::make_words(test::contents<std::uint64_t>()[4], 300, 1);
  for (const auto& context :
       {core::ChunkContext{}, context_of({0}), context_of({300}), context_of({1, 1, 300, 1})}) {
    const auto residuals = residuals_of<3>(words, context);
    ASSERT_EQ(residuals[0], words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) ASSERT_EQ(residuals[i], words[i] - words[i - 1]) << i;
  }
}

TEST(Lorenzo, BringsBackAllLengthsWithAnyShape) {
  test::Random random(4);
  for (std::size_t count = 0; count <= 2048; ++count) {
    std::vector<std::uint64_t> extent(1 + random.below(8));
    for (std::uint64_t& size : extent) size = 1 + random.below(random.below(2) == 0 ? 8 : 400);
    const auto words = test::make_words(test::contents<std::uint64_t>()[count % 13], count, count);
    residuals_of<3>(words, context_of(extent, random.below(1u << 20)), count % 8);
    ASSERT_FALSE(HasFailure()) << count;
  }
}

TEST(Lorenzo, SurvivesShapesThatNoFrameHas) {
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const std::vector<std::uint32_t> words(4096, 17);
  for (const auto& extent : std::vector<std::vector<std::uint64_t>>{{huge, huge, huge},
                                                                    {0, 0, 0},
                                                                    {5, 0, 7},
                                                                    {huge, 3},
                                                                    {2, huge},
                                                                    {1, 1, 1, 1, 1, 1, 1, 1},
                                                                    {huge, 2, huge / 2, 2}}) {
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1} << 60})
      residuals_of<3>(words, context_of(extent, first));
  }
  core::ChunkContext scalar;
  scalar.rank = 0;
  residuals_of<3>(std::vector<std::uint32_t>{5}, scalar);
}

TEST(OrderedFloat, IsTheOrderOfFloatsAndItsOwnInverse) {
  const float ascending[] = {-0x1p127f, -1.5f,     -1.0f, -0x1p-149f, -0.0f,
                             0.0f,      0x1p-149f, 1.0f,  1.5f,       0x1p127f};
  for (std::size_t i = 1; i < std::size(ascending); ++i) {
    const auto before =
        std::bit_cast<std::int32_t>(OrderedFloat::forward(std::bit_cast<std::uint32_t>(ascending[i - 1])));
    EXPECT_LT(before,
              std::bit_cast<std::int32_t>(OrderedFloat::forward(std::bit_cast<std::uint32_t>(ascending[i]))));
  }
  for (const auto word : test::edge_words<std::uint64_t>())
    EXPECT_EQ(OrderedFloat::inverse(OrderedFloat::forward(word)), word);
}

RC_GTEST_PROP(Lorenzo, BringsBackAnyWords, (const std::vector<std::uint32_t>& words, std::uint32_t first)) {
  const auto extent =
      *rc::gen::container<std::vector<std::uint64_t>>(3, rc::gen::inRange<std::uint64_t>(0, 6));
  residuals_of<1>(words, context_of(extent, first));
  residuals_of<2>(words, context_of(extent, first));
  residuals_of<3>(words, context_of(extent, first));
}

}  // namespace
}  // namespace floe::experiments
