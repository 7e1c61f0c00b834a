// Trees are remembered of streams that stay where they are, and for searches with no more care.
#include "plan/search/search_memo.hpp"

#include <gtest/gtest.h>

namespace floe::trees {
namespace {

constexpr auto brief = SearchMemo::Care::brief, full = SearchMemo::Care::full;
const Plan bitpacked{{{EncodingId::bitpack, {}}}}, plain{{{EncodingId::raw, {}}}},
    coded{{{EncodingId::entropy, {}}}};

TEST(SearchMemo, RemembersTreesOfItsStream) {
  const std::vector<std::uint32_t> words(100, 7), others(100, 7);
  const ColumnView stream{DType::u32, words.data(), words.size()},
      other{DType::u32, others.data(), others.size()};
  Scratch scratch;
  SearchMemo memo(stream, scratch);
  EXPECT_EQ(scratch.search_memo, &memo);
  memo.keep({stream, brief, bitpacked, coded});
  memo.keep({other, full, {}, coded});  // whose memory is not the memo's
  EXPECT_EQ(memo.find(other, brief, {}), nullptr);
  EXPECT_EQ(memo.find(stream, full, bitpacked), nullptr);
  EXPECT_EQ(memo.find(stream, brief, plain), nullptr);
  ASSERT_NE(memo.find(stream, brief, bitpacked), nullptr);
  EXPECT_EQ(memo.find(stream, brief, bitpacked)->tree, coded);
  memo.keep({stream, full, {}, plain, 17});
  ASSERT_NE(memo.find(stream, full, bitpacked), nullptr);
  EXPECT_EQ(memo.find(stream, full, bitpacked)->tree, plain);
  EXPECT_EQ(memo.find(stream, brief, coded)->cost, 17U);
}

TEST(SearchMemo, ForgetsAnEpisode) {
  const std::vector<std::uint32_t> words(100, 7);
  const ColumnView stream{DType::u32, words.data(), words.size()};
  Scratch scratch;
  SearchMemo memo(stream, scratch);
  memo.keep({stream, brief, bitpacked, coded});
  {
    const SearchMemo::Episode episode(memo);
    memo.keep({stream, full, {}, plain});
    EXPECT_NE(memo.find(stream, full, bitpacked), nullptr);
  }
  EXPECT_EQ(memo.find(stream, full, bitpacked), nullptr);
  EXPECT_NE(memo.find(stream, brief, bitpacked), nullptr);
}

TEST(SearchMemo, FindsStepsOnce) {
  const std::vector<std::uint32_t> words(100, 7), others(100, 7);
  const ColumnView stream{DType::u32, words.data(), words.size()},
      other{DType::u32, others.data(), others.size()};
  Scratch scratch;
  SearchMemo memo(stream, scratch);
  unsigned calls = 0;
  const auto find = [&] { return std::vector<StepChoice>{{{3}, ++calls, 0}}; };
  EXPECT_EQ(memo.steps(stream, bitpacked.nodes, 1, find).at(0).cost, 1U);
  EXPECT_EQ(memo.steps(stream, bitpacked.nodes, 1, find).at(0).cost, 1U);
  EXPECT_EQ(memo.steps(stream, bitpacked.nodes, 3, find).at(0).cost, 2U);
  EXPECT_EQ(memo.steps(stream, plain.nodes, 1, find).at(0).cost, 3U);
  EXPECT_EQ(memo.steps(other, plain.nodes, 1, find).at(0).cost, 4U);
}

}  // namespace
}  // namespace floe::trees
